-- Merchants, their credentials, their orders and refunds, stored responses, and the audit trail.
--
-- Both engines read this file. Two words are translated for each: BYTES (BLOB, BYTEA) and CLUSTERED
-- (rows in key order, where the engine can do that). Every key has the merchant in it.

CREATE TABLE merchants (
    merchant_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (merchant_id)
) CLUSTERED;

CREATE TABLE clients (
    merchant_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (merchant_id, client_id)
) CLUSTERED;

CREATE TABLE tokens (
    merchant_id TEXT NOT NULL,
    token_hash BYTES NOT NULL,
    client_id TEXT NOT NULL,
    scopes TEXT NOT NULL,
    expires_us BIGINT NOT NULL,
    PRIMARY KEY (merchant_id, token_hash)
) CLUSTERED;
CREATE INDEX tokens_by_expiry ON tokens (expires_us);
CREATE INDEX tokens_by_client ON tokens (merchant_id, client_id, expires_us);

-- created_us: when the order first arrived. shopper_hash: a hash of the shopper's e-mail address.
CREATE TABLE orders (
    merchant_id TEXT NOT NULL,
    order_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    created_us BIGINT NOT NULL,
    updated_us BIGINT NOT NULL,
    received_us BIGINT NOT NULL,
    status TEXT NOT NULL,
    shopper_hash BIGINT NOT NULL,
    -- The number that the shopper knows, if it is another one; otherwise empty.
    secondary_id TEXT NOT NULL,
    hash BYTES NOT NULL,
    body BYTES NOT NULL,
    -- The number first, so that an order is found without its merchant, too, by the same index.
    PRIMARY KEY (order_id, merchant_id)
);
-- Columns that never change, in the order of arrival: both indexes grow at their ends, and an
-- update touches neither.
CREATE INDEX orders_by_time ON orders (created_us, merchant_id, order_id);
CREATE INDEX orders_of_merchant_by_time ON orders (merchant_id, created_us, order_id);
CREATE INDEX orders_by_shopper ON orders (shopper_hash);
CREATE INDEX orders_by_secondary ON orders (merchant_id, secondary_id, order_id)
    WHERE secondary_id <> '';

CREATE TABLE refunds (
    merchant_id TEXT NOT NULL,
    refund_id TEXT NOT NULL,
    order_id TEXT NOT NULL,
    received_us BIGINT NOT NULL,
    hash BYTES NOT NULL,
    body BYTES NOT NULL,
    PRIMARY KEY (merchant_id, refund_id)
);
CREATE INDEX refunds_by_order ON refunds (merchant_id, order_id);

-- Keys with which values in this database may be encrypted. check_value: a known value that the key
-- encrypted. The keys themselves are not in the database.
CREATE TABLE sealing_keys (
    key_id TEXT NOT NULL,
    check_value BYTES NOT NULL,
    PRIMARY KEY (key_id)
) CLUSTERED;

-- Responses to requests with an Idempotency-Key.
CREATE TABLE answers (
    merchant_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    request_hash BYTES NOT NULL,
    answered_us BIGINT NOT NULL,
    body BYTES NOT NULL,
    PRIMARY KEY (merchant_id, client_id, idempotency_key)
);
CREATE INDEX answers_by_age ON answers (answered_us);

-- address: the client's address; empty for a change that no request asked for.
CREATE TABLE audit (
    merchant_id TEXT NOT NULL,
    at_us BIGINT NOT NULL,
    audit_id TEXT NOT NULL,
    actor TEXT NOT NULL,
    address TEXT NOT NULL,
    action TEXT NOT NULL,
    detail TEXT NOT NULL,
    PRIMARY KEY (merchant_id, at_us, audit_id)
) CLUSTERED;
CREATE INDEX audit_by_time ON audit (at_us, audit_id);
CREATE INDEX audit_by_actor ON audit (actor, at_us, audit_id);
