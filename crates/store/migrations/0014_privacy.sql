-- What finds the data of a shopper, so that it can be exported and erased without reading all of it.
-- Orders are found by their own column shopper_hash.
--
-- Alone: older versions start returns without adding their keys.
--
-- shopper_hash: of the e-mail address of a return, or of the name and the postal code that a
-- drop-ship order goes to. Several shoppers may have the same hash, so what is found is compared.
-- kind: return or drop_ship_order.
CREATE TABLE shopper_keys (
    merchant_id TEXT NOT NULL,
    shopper_hash BIGINT NOT NULL,
    kind TEXT NOT NULL,
    reference TEXT NOT NULL,
    PRIMARY KEY (merchant_id, shopper_hash, kind, reference)
) CLUSTERED;
CREATE INDEX shopper_keys_by_hash ON shopper_keys (shopper_hash, merchant_id, kind, reference);

-- What is older than the keys. The server adds the keys and empties this table.
CREATE TABLE unkeyed_shoppers (
    merchant_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    reference TEXT NOT NULL,
    PRIMARY KEY (merchant_id, kind, reference)
) CLUSTERED;
INSERT INTO unkeyed_shoppers (merchant_id, kind, reference)
    SELECT merchant_id, 'return', rma_id FROM returns;
INSERT INTO unkeyed_shoppers (merchant_id, kind, reference)
    SELECT merchant_id, 'drop_ship_order', client_identifier FROM drop_ship_orders;

-- What audit records are about: orders, returns, refunds and messages.
CREATE TABLE audit_references (
    merchant_id TEXT NOT NULL,
    reference TEXT NOT NULL,
    at_us BIGINT NOT NULL,
    audit_id TEXT NOT NULL,
    PRIMARY KEY (merchant_id, reference, at_us, audit_id)
) CLUSTERED;
CREATE INDEX audit_references_by_time ON audit_references (merchant_id, at_us, audit_id);

-- How long the data of a merchant's shoppers is kept. Without a row, all of it.
CREATE TABLE retention_periods (
    merchant_id TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (merchant_id)
) CLUSTERED;

-- Up to which change orders or returns (class) were examined. What changes later has a higher
-- number, and is examined again.
CREATE TABLE retention_progress (
    merchant_id TEXT NOT NULL,
    class TEXT NOT NULL,
    changed BIGINT NOT NULL,
    reference TEXT NOT NULL,
    PRIMARY KEY (merchant_id, class)
) CLUSTERED;
