-- Who may log in to the console, and who is logged in. They belong to no merchant.

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
