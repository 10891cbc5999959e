-- The portals of merchants. A merchant without a row has the default.

CREATE TABLE portals (
    merchant_id TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (merchant_id)
) CLUSTERED;

-- A table of its own, so that a page which only refers to the logo does not read it.
CREATE TABLE portal_logos (
    merchant_id TEXT NOT NULL,
    media_type TEXT NOT NULL,
    body BYTES NOT NULL,
    PRIMARY KEY (merchant_id)
);

-- Failed look-ups, by what they are counted by, in slots of some minutes.
CREATE TABLE lookup_attempts (
    merchant_id TEXT NOT NULL,
    subject TEXT NOT NULL,
    slot_us BIGINT NOT NULL,
    number BIGINT NOT NULL,
    PRIMARY KEY (merchant_id, subject, slot_us)
) CLUSTERED;
CREATE INDEX lookup_attempts_by_age ON lookup_attempts (slot_us);
