-- Policies, returns, and what of each order is spent.
--
-- A ledger is the one row that everything spending a unit of its order changes, so its version is what
-- keeps two returns, or a return and a refund, from spending the same unit. parcels and label_requests
-- are what the carrier searches by.

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
-- A carrier knows a return, and not whose it is.
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

-- Refunds that an operator should look at. A settled one stays, with what was done about it.
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
