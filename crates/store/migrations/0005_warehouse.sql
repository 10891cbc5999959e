-- The warehouse: announced goods, units, shipments and drop-ship orders.
--
-- The indexes without a merchant are for the warehouse, which knows a number but not its merchant.

-- The warehouses of the platform: what operators configured.
CREATE TABLE warehouses (
    warehouse_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (warehouse_id)
) CLUSTERED;

-- here: units that were received; told: units that were reported to the merchant. Two ASNs with the
-- same fingerprint have the same content. The body has no cartons: lines are rows of their own, so
-- that receiving a unit costs the same whatever the size of its ASN.
CREATE TABLE asns (
    merchant_id TEXT NOT NULL,
    asn_number TEXT NOT NULL,
    program_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    announced_us BIGINT NOT NULL,
    fingerprint TEXT NOT NULL,
    here BIGINT NOT NULL,
    told BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (merchant_id, asn_number, program_id)
);
CREATE INDEX asns_by_number ON asns (asn_number, merchant_id);

-- place: the line's position in the ASN; own_id: the merchant's own identifier of the unit;
-- upc: as a GTIN of 14 digits if it is one; complete: 1 when every unit of the line was received,
-- but always 0 where each line is one unit, because an index on a column that every unit changes
-- costs as much as all the rest of receiving. What a line does not have is empty.
CREATE TABLE asn_lines (
    merchant_id TEXT NOT NULL,
    asn_number TEXT NOT NULL,
    program_id TEXT NOT NULL,
    line_id TEXT NOT NULL,
    place BIGINT NOT NULL,
    unit_id TEXT NOT NULL,
    own_id TEXT NOT NULL,
    serial_number TEXT NOT NULL,
    sku TEXT NOT NULL,
    upc TEXT NOT NULL,
    asin TEXT NOT NULL,
    carton_id TEXT NOT NULL,
    quantity BIGINT NOT NULL,
    received BIGINT NOT NULL,
    complete BIGINT NOT NULL,
    carton TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (merchant_id, asn_number, program_id, line_id)
) CLUSTERED SPARSE;
-- A unit is announced once.
CREATE UNIQUE INDEX asn_lines_by_unit ON asn_lines (unit_id, merchant_id) WHERE unit_id <> '';
-- These start with the value that is looked up: an index that started with the ASN would look as
-- good as any other to a planner that assumes few lines in an ASN.
CREATE INDEX asn_lines_by_own ON asn_lines (own_id, merchant_id, asn_number, program_id, place) WHERE own_id <> '';
CREATE INDEX asn_lines_by_serial ON asn_lines (serial_number, merchant_id, asn_number, program_id, place)
    WHERE serial_number <> '';
CREATE INDEX asn_lines_by_sku ON asn_lines (sku, merchant_id, asn_number, program_id, complete, carton_id, place);
CREATE INDEX asn_lines_by_upc ON asn_lines (upc, merchant_id, asn_number, program_id, complete, carton_id, place)
    WHERE upc <> '';
CREATE INDEX asn_lines_by_asin ON asn_lines (asin, merchant_id, asn_number, program_id, complete, carton_id, place)
    WHERE asin <> '';
CREATE INDEX asn_lines_by_carton ON asn_lines (complete, merchant_id, asn_number, program_id, carton_id, place);

-- Units that are more than announced. doubt_us: since when an operator is asked about the unit; 0
-- while there is no question. The body is the unit at body_version; what happened since is in
-- unit_steps.
CREATE TABLE units (
    merchant_id TEXT NOT NULL,
    unit_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    body_version BIGINT NOT NULL,
    doubt_us BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (merchant_id, unit_id)
);
CREATE INDEX units_by_unit ON units (unit_id, merchant_id);
CREATE INDEX units_by_doubt ON units (doubt_us, merchant_id, unit_id) WHERE doubt_us > 0;

-- Small changes of a unit: it was graded, moved, packed, unpacked or shipped. A shipment of very
-- many units writes one short row for each of them instead of the whole unit.
CREATE TABLE unit_steps (
    merchant_id TEXT NOT NULL,
    unit_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (merchant_id, unit_id, version)
) CLUSTERED;

CREATE TABLE shipments (
    merchant_id TEXT NOT NULL,
    asn_number TEXT NOT NULL,
    version BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (merchant_id, asn_number)
);
CREATE INDEX shipments_by_number ON shipments (asn_number, merchant_id);

-- The numbers in messages about shipments; each belongs to one shipment.
CREATE TABLE shipment_numbers (
    merchant_id TEXT NOT NULL,
    asn_number TEXT NOT NULL,
    PRIMARY KEY (merchant_id, asn_number)
) CLUSTERED;

CREATE TABLE drop_ship_orders (
    merchant_id TEXT NOT NULL,
    client_identifier TEXT NOT NULL,
    version BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (merchant_id, client_identifier)
);
CREATE INDEX drop_ship_orders_by_identifier ON drop_ship_orders (client_identifier, merchant_id);
