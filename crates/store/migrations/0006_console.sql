-- Who may log in to the console, and who is logged in, who belong to no merchant; and what its charts show.

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

-- What happened, counted by day in the transactions in which it did. A day has a few rows for the same thing
-- (slot), so that rivals seldom wait for each other.
CREATE TABLE day_counts (
    merchant_id TEXT NOT NULL,
    day_us BIGINT NOT NULL,
    what TEXT NOT NULL,
    slot BIGINT NOT NULL,
    number BIGINT NOT NULL,
    PRIMARY KEY (merchant_id, day_us, what, slot)
) CLUSTERED;
CREATE INDEX day_counts_by_day ON day_counts (day_us);
