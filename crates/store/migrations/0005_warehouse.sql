-- The warehouse: what merchants announce, every unit's story, what leaves, and orders shipped for others.
--
-- The indexes without a merchant are for the warehouse, which knows a number and not whose it is.

CREATE TABLE asns (
    merchant_id TEXT NOT NULL,
    asn_number TEXT NOT NULL,
    program_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (merchant_id, asn_number, program_id)
);
CREATE INDEX asns_by_number ON asns (asn_number, merchant_id);

-- doubt_us: since when an operator is asked about the unit; 0 while nobody is.
CREATE TABLE units (
    merchant_id TEXT NOT NULL,
    unit_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    doubt_us BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (merchant_id, unit_id)
);
CREATE INDEX units_by_unit ON units (unit_id, merchant_id);
CREATE INDEX units_by_doubt ON units (doubt_us, merchant_id, unit_id);

CREATE TABLE shipments (
    merchant_id TEXT NOT NULL,
    asn_number TEXT NOT NULL,
    version BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (merchant_id, asn_number)
);
CREATE INDEX shipments_by_number ON shipments (asn_number, merchant_id);

-- Every number that a message about a shipment carries belongs to one shipment.
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
