-- Exchange orders: at most one for each original order, so the original order is the key.

CREATE TABLE exchange_orders (
    merchant_id TEXT NOT NULL,
    original_order_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    rma_id TEXT NOT NULL,
    state TEXT NOT NULL,
    exchange_order_id TEXT NOT NULL,
    created_us BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (merchant_id, original_order_id)
) CLUSTERED;
CREATE INDEX exchange_orders_by_state ON exchange_orders (state, merchant_id, original_order_id);
CREATE INDEX exchange_orders_by_identifier ON exchange_orders (exchange_order_id, merchant_id);
CREATE INDEX exchange_orders_by_time ON exchange_orders (merchant_id, created_us, original_order_id);
