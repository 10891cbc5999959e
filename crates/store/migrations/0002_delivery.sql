-- Messages to merchants, their deliveries, and the attempts at them.
--
-- messages is immutable and has the exact bytes, once. deliveries has only what is not finished, so
-- that its size is the amount of pending work; failures is the failure queue; attempts is history.
-- The message numbers of a merchant rise in the order of commits: the row of its counter stays
-- locked until the transaction ends, so no reader can see a number before all smaller ones.
-- message_references is an index of messages that is brought up to date in large steps, up to the
-- number in message_index_progress: a table of its own, so that indexing waits for no counter.

CREATE TABLE endpoints (
    merchant_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (merchant_id)
) CLUSTERED;

CREATE TABLE message_counters (
    merchant_id TEXT NOT NULL,
    last BIGINT NOT NULL,
    PRIMARY KEY (merchant_id)
) CLUSTERED;

CREATE TABLE messages (
    merchant_id TEXT NOT NULL,
    message_id BIGINT NOT NULL,
    kind TEXT NOT NULL,
    reference TEXT NOT NULL,
    sequence BIGINT NOT NULL,
    created_us BIGINT NOT NULL,
    body BYTES NOT NULL,
    PRIMARY KEY (merchant_id, message_id)
);

CREATE TABLE message_references (
    merchant_id TEXT NOT NULL,
    reference TEXT NOT NULL,
    message_id BIGINT NOT NULL,
    PRIMARY KEY (merchant_id, reference, message_id)
) CLUSTERED;

CREATE TABLE message_index_progress (
    merchant_id TEXT NOT NULL,
    last BIGINT NOT NULL,
    PRIMARY KEY (merchant_id)
) CLUSTERED;

CREATE TABLE deliveries (
    merchant_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    message_id BIGINT NOT NULL,
    lane BIGINT NOT NULL,
    cycle BIGINT NOT NULL,
    attempt BIGINT NOT NULL,
    due_us BIGINT NOT NULL,
    PRIMARY KEY (merchant_id, kind, message_id)
) CLUSTERED;

CREATE TABLE failures (
    merchant_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    message_id BIGINT NOT NULL,
    lane BIGINT NOT NULL,
    cycle BIGINT NOT NULL,
    failed_us BIGINT NOT NULL,
    status BIGINT,
    error TEXT,
    PRIMARY KEY (merchant_id, kind, message_id)
) CLUSTERED;
CREATE INDEX failures_by_time ON failures (failed_us, merchant_id, message_id);

CREATE TABLE discards (
    merchant_id TEXT NOT NULL,
    message_id BIGINT NOT NULL,
    discarded_us BIGINT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (merchant_id, message_id)
) CLUSTERED;
CREATE INDEX discards_by_time ON discards (discarded_us);

-- How far old messages were removed, and when a node does so again.
CREATE TABLE retention (
    id BIGINT NOT NULL,
    done_us BIGINT NOT NULL,
    next_us BIGINT NOT NULL,
    PRIMARY KEY (id)
) CLUSTERED;
INSERT INTO retention (id, done_us, next_us) VALUES (1, 0, 0);

CREATE TABLE attempts (
    merchant_id TEXT NOT NULL,
    message_id BIGINT NOT NULL,
    cycle BIGINT NOT NULL,
    attempt BIGINT NOT NULL,
    at_us BIGINT NOT NULL,
    latency_us BIGINT NOT NULL,
    status BIGINT,
    error TEXT,
    answer BYTES,
    PRIMARY KEY (merchant_id, message_id, cycle, attempt)
) CLUSTERED;

-- Attempts of messages that were delivered at the first try, by blocks of 256 message numbers.
CREATE TABLE packed_attempts (
    merchant_id TEXT NOT NULL,
    block BIGINT NOT NULL,
    first_message_id BIGINT NOT NULL,
    attempts BYTES NOT NULL,
    PRIMARY KEY (merchant_id, block, first_message_id)
) CLUSTERED;

-- Attempts counted by hour, status and the time from the message's commit to the response (two
-- buckets for each factor of two, from one millisecond up), with the sum of these times and of the
-- latencies.
CREATE TABLE attempt_counts (
    merchant_id TEXT NOT NULL,
    hour_us BIGINT NOT NULL,
    kind TEXT NOT NULL,
    status BIGINT NOT NULL,
    bucket BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    waited_us BIGINT NOT NULL,
    latency_us BIGINT NOT NULL,
    PRIMARY KEY (merchant_id, hour_us, kind, status, bucket)
) CLUSTERED;
CREATE INDEX attempt_counts_by_hour ON attempt_counts (hour_us);

-- Which node sends what when several nodes share the database. Queues are spread over 1,024 shards.
-- A shard is its owner's while the owner has a row in nodes, so a node renews all of its leases by
-- changing one row.
CREATE TABLE nodes (
    node_id TEXT NOT NULL,
    expires_us BIGINT NOT NULL,
    PRIMARY KEY (node_id)
) CLUSTERED;

CREATE TABLE shard_leases (
    shard BIGINT NOT NULL,
    owner TEXT NOT NULL,
    epoch BIGINT NOT NULL,
    PRIMARY KEY (shard)
) CLUSTERED;
INSERT INTO shard_leases (shard, owner, epoch)
    WITH RECURSIVE numbers(shard) AS (
        SELECT 0 UNION ALL SELECT shard + 1 FROM numbers WHERE shard < 1023)
    SELECT shard, '', 0 FROM numbers;
