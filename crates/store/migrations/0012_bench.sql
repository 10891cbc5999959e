-- What the receiving bench looks up by a scan.

-- Codes on the outside of announced goods: the numbers of cartons, and the tracking number of the
-- ASN. A worker scans them without knowing the ASN or its merchant. code: as it is scanned;
-- carton_id: as the merchant wrote it, or empty for a tracking number.
CREATE TABLE asn_codes (
    merchant_id TEXT NOT NULL,
    asn_number TEXT NOT NULL,
    program_id TEXT NOT NULL,
    code TEXT NOT NULL,
    carton_id TEXT NOT NULL,
    PRIMARY KEY (merchant_id, asn_number, program_id, code)
) CLUSTERED;
CREATE INDEX asn_codes_by_code ON asn_codes (code, merchant_id, asn_number);

-- What finds a return that still awaits units, for goods that came without its label: the articles,
-- the order, and the name and postal code of the shopper. Rows exist while units are awaited.
CREATE TABLE receiving_keys (
    merchant_id TEXT NOT NULL,
    rma_id TEXT NOT NULL,
    lookup_key TEXT NOT NULL,
    PRIMARY KEY (merchant_id, rma_id, lookup_key)
) CLUSTERED;
CREATE INDEX receiving_keys_by_key ON receiving_keys (lookup_key, merchant_id, rma_id);

-- The rules that propose channels. warehouse_id is empty for the rules for all warehouses.
CREATE TABLE dispositions (
    merchant_id TEXT NOT NULL,
    warehouse_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (merchant_id, warehouse_id)
) CLUSTERED;

-- What became of returned units, counted by day in the transactions that receive them. weight: in
-- thousandths of the merchant's unit, of the units whose weight is known. A day has several rows
-- (slots) for the same count, so that committers seldom wait for each other.
CREATE TABLE disposition_counts (
    merchant_id TEXT NOT NULL,
    day_us BIGINT NOT NULL,
    channel TEXT NOT NULL,
    unit_condition TEXT NOT NULL,
    outcome TEXT NOT NULL,
    slot BIGINT NOT NULL,
    units BIGINT NOT NULL,
    weighed BIGINT NOT NULL,
    weight BIGINT NOT NULL,
    PRIMARY KEY (merchant_id, day_us, channel, unit_condition, outcome, slot)
) CLUSTERED;
