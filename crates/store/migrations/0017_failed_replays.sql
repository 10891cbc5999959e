-- 1 for a replay that failed: a retry says in its header that the message is sent again.
ALTER TABLE failures ADD COLUMN replay BIGINT NOT NULL DEFAULT 0;
