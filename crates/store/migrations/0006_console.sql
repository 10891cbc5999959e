-- Operators and their sessions, which belong to no merchant, and the counts for the charts.

CREATE TABLE operators (
    operator TEXT NOT NULL,
    version BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (operator)
) CLUSTERED;

CREATE TABLE sessions (
    token_hash BYTES NOT NULL,
    operator TEXT NOT NULL,
    created_us BIGINT NOT NULL,
    last_seen_us BIGINT NOT NULL,
    expires_us BIGINT NOT NULL,
    PRIMARY KEY (token_hash)
) CLUSTERED;
CREATE INDEX sessions_by_operator ON sessions (operator);
CREATE INDEX sessions_by_expiry ON sessions (expires_us);

-- Events counted by day, in the transactions in which they happen. A day has several rows (slots)
-- for the same event, so that committers seldom wait for each other.
CREATE TABLE day_counts (
    merchant_id TEXT NOT NULL,
    day_us BIGINT NOT NULL,
    what TEXT NOT NULL,
    slot BIGINT NOT NULL,
    number BIGINT NOT NULL,
    PRIMARY KEY (merchant_id, day_us, what, slot)
) CLUSTERED;
CREATE INDEX day_counts_by_day ON day_counts (day_us);
