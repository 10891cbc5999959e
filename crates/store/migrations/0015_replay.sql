-- Messages that are sent again, and the last message about each thing.

-- 1 for a message that was finished before and is sent again, which its header says.
ALTER TABLE deliveries ADD COLUMN replay BIGINT NOT NULL DEFAULT 0;

-- The last message about each thing: what a merchant must hold. It stays when the message itself is
-- removed after its retention. hash: SHA-256 of the body. Written together with the index of
-- messages by reference, many at a time.
CREATE TABLE message_heads (
    merchant_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    reference TEXT NOT NULL,
    message_id BIGINT NOT NULL,
    sequence BIGINT NOT NULL,
    created_us BIGINT NOT NULL,
    hash BYTES NOT NULL,
    PRIMARY KEY (merchant_id, kind, reference)
) CLUSTERED;

-- The index is written again from the first message on, and the new table with it.
DELETE FROM message_references WHERE merchant_id > '';
DELETE FROM message_index_progress WHERE merchant_id > '';
