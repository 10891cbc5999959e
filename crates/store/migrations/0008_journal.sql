-- The journal of returns, and the money of returns as double entries.
--
-- return_events has every change of a return; the row in returns is the result of applying them.
-- postings has a row for each event that moves money, with an amount for each account. The amounts
-- of a row sum to zero, which the database checks itself. Nothing updates or deletes either table.
-- return_events is not clustered: its rows are large, and identifiers of returns are random.

CREATE TABLE return_events (
    merchant_id TEXT NOT NULL,
    rma_id TEXT NOT NULL,
    number BIGINT NOT NULL,
    at_us BIGINT NOT NULL,
    actor TEXT NOT NULL,
    cause TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (merchant_id, rma_id, number)
);

CREATE TABLE postings (
    merchant_id TEXT NOT NULL,
    at_us BIGINT NOT NULL,
    rma_id TEXT NOT NULL,
    number BIGINT NOT NULL,
    currency TEXT NOT NULL,
    promised BIGINT NOT NULL,
    refunds BIGINT NOT NULL,
    gift_cards BIGINT NOT NULL,
    exchanges BIGINT NOT NULL,
    goods BIGINT NOT NULL,
    tax BIGINT NOT NULL,
    shipping BIGINT NOT NULL,
    fees BIGINT NOT NULL,
    bonus BIGINT NOT NULL,
    absorbed BIGINT NOT NULL,
    written_off BIGINT NOT NULL,
    PRIMARY KEY (merchant_id, at_us, rma_id, number),
    CHECK (promised + refunds + gift_cards + exchanges + goods + tax + shipping + fees + bonus
        + absorbed + written_off = 0)
) CLUSTERED;

-- What a return still owes its shopper, so that open amounts are found without reading returns
-- that are settled.
ALTER TABLE returns ADD COLUMN currency TEXT NOT NULL DEFAULT '';
ALTER TABLE returns ADD COLUMN owed_cents BIGINT NOT NULL DEFAULT 0;
CREATE INDEX returns_owed ON returns (merchant_id, created_us, rma_id) WHERE owed_cents <> 0;

-- Returns that are older than the journal begin with their state now. Their first postings are
-- made by the server, which empties this table.
INSERT INTO return_events (merchant_id, rma_id, number, at_us, actor, cause, body)
    SELECT merchant_id, rma_id, 0, created_us, 'schedule', 'upgrade', body FROM returns;
CREATE TABLE unposted_returns (
    merchant_id TEXT NOT NULL,
    rma_id TEXT NOT NULL,
    PRIMARY KEY (merchant_id, rma_id)
) CLUSTERED;
INSERT INTO unposted_returns (merchant_id, rma_id) SELECT merchant_id, rma_id FROM returns;

-- A refund that differs from the promise is a problem with both amounts.
ALTER TABLE refund_problems ADD COLUMN kind TEXT NOT NULL DEFAULT '';
ALTER TABLE refund_problems ADD COLUMN rma_id TEXT NOT NULL DEFAULT '';
ALTER TABLE refund_problems ADD COLUMN currency TEXT NOT NULL DEFAULT '';
ALTER TABLE refund_problems ADD COLUMN promised_cents BIGINT NOT NULL DEFAULT 0;
ALTER TABLE refund_problems ADD COLUMN paid_cents BIGINT NOT NULL DEFAULT 0;
UPDATE refund_problems SET kind = state WHERE state <> 'settled';
CREATE INDEX refund_problems_open ON refund_problems (noticed_us, merchant_id, refund_id)
    WHERE state <> 'settled';
CREATE INDEX refund_problems_of_merchant ON refund_problems (merchant_id, noticed_us, refund_id);
