-- Accounts at carriers' APIs, with sealed keys, and the shipments that labels are bought for. A
-- shipment is remembered before its label is bought, so that no label is bought twice.

CREATE TABLE carrier_accounts (
    merchant_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (merchant_id)
) CLUSTERED;

CREATE TABLE carrier_shipments (
    merchant_id TEXT NOT NULL,
    reference TEXT NOT NULL,
    shipment_id TEXT NOT NULL,
    created_us BIGINT NOT NULL,
    PRIMARY KEY (merchant_id, reference)
) CLUSTERED;
-- A webhook knows the shipment.
CREATE INDEX carrier_shipments_by_id ON carrier_shipments (merchant_id, shipment_id);
