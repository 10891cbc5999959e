-- Policies, returns, and ledgers of what is spent of each order.
--
-- A ledger is the one row that every change which spends a unit of its order updates, so its
-- version prevents two returns, or a return and a refund, from spending the same unit. parcels and
-- label_requests are for look-ups by the carrier.

CREATE TABLE policies (
    merchant_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    created_us BIGINT NOT NULL,
    actor TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (merchant_id, version)
) CLUSTERED;

CREATE TABLE ledgers (
    merchant_id TEXT NOT NULL,
    order_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (merchant_id, order_id)
) CLUSTERED;

CREATE TABLE returns (
    merchant_id TEXT NOT NULL,
    rma_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    created_us BIGINT NOT NULL,
    status TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (merchant_id, rma_id)
);
-- A carrier knows the return, but not its merchant.
CREATE INDEX returns_by_rma ON returns (rma_id);
CREATE INDEX returns_by_time ON returns (created_us, merchant_id, rma_id);
CREATE INDEX returns_of_merchant_by_time ON returns (merchant_id, created_us, rma_id);

CREATE TABLE parcels (
    merchant_id TEXT NOT NULL,
    tracking_number TEXT NOT NULL,
    rma_id TEXT NOT NULL,
    PRIMARY KEY (merchant_id, tracking_number, rma_id)
) CLUSTERED;
CREATE INDEX parcels_by_number ON parcels (tracking_number);

CREATE TABLE label_requests (
    merchant_id TEXT NOT NULL,
    rma_id TEXT NOT NULL,
    requested_us BIGINT NOT NULL,
    carrier TEXT NOT NULL,
    PRIMARY KEY (merchant_id, rma_id)
) CLUSTERED;
CREATE INDEX label_requests_by_carrier ON label_requests (carrier, requested_us, rma_id);

-- Refunds that an operator should look into. A settled one stays, with what was done about it.
CREATE TABLE refund_problems (
    merchant_id TEXT NOT NULL,
    refund_id TEXT NOT NULL,
    order_id TEXT NOT NULL,
    state TEXT NOT NULL,
    noticed_us BIGINT NOT NULL,
    detail TEXT NOT NULL,
    PRIMARY KEY (merchant_id, refund_id)
) CLUSTERED;
CREATE INDEX refund_problems_by_state ON refund_problems (state, noticed_us, merchant_id, refund_id);
