-- The files that belong to labels, as carriers made them. They are in pieces, so that a file is
-- sent to a browser without being in memory as a whole.
CREATE TABLE label_documents (
    merchant_id TEXT NOT NULL,
    rma_id TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    piece BIGINT NOT NULL,
    body BYTES NOT NULL,
    PRIMARY KEY (merchant_id, rma_id, sha256, piece)
);
