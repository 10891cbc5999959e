-- The right of withdrawal.

-- Statements of withdrawal. record: the statement and what follows from it, as it was written once;
-- sha256: its hash; seal: the hash, sealed with a key that is not in the database, so that a changed
-- record is noticed even if its hash was changed, too; access_key: opens its page. Rows are never
-- changed, except that a new key seals the hash anew.
CREATE TABLE withdrawals (
    merchant_id TEXT NOT NULL,
    withdrawal_id TEXT NOT NULL,
    order_id TEXT NOT NULL,
    rma_id TEXT NOT NULL,
    recorded_us BIGINT NOT NULL,
    outcome TEXT NOT NULL,
    record TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    seal TEXT NOT NULL,
    access_key TEXT NOT NULL,
    PRIMARY KEY (merchant_id, withdrawal_id)
);
CREATE INDEX withdrawals_by_time ON withdrawals (recorded_us, merchant_id, withdrawal_id);
CREATE INDEX withdrawals_of_merchant ON withdrawals (merchant_id, recorded_us, withdrawal_id);
CREATE INDEX withdrawals_of_order ON withdrawals (merchant_id, order_id, withdrawal_id);
