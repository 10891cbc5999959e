-- Work lists: orders, returns, ASNs, shipments and drop-ship orders in the order of their changes.
--
-- changed: a number that rises from commit to commit; changed_us: when the change was decided. A
-- transaction gets its number before it commits, so a reader reads only up to the number below
-- which nothing can commit any more. SQLite counts commits; PostgreSQL has numbers of transactions.
--
-- last: the last number that was given; on PostgreSQL, what is added to numbers of transactions.
-- written_by: on PostgreSQL, the number of the transaction that wrote the row.
CREATE TABLE change_counter (
    id BIGINT NOT NULL,
    last BIGINT NOT NULL,
    written_by BIGINT NOT NULL,
    PRIMARY KEY (id)
) CLUSTERED;
INSERT INTO change_counter (id, last, written_by) VALUES (1, 0, 0);

-- Which warehouse returns go to: one row.
CREATE TABLE return_routes (
    id BIGINT NOT NULL,
    version BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (id)
) CLUSTERED;

-- Orders are listed for one merchant only, so that publishing them maintains one index more.
ALTER TABLE orders ADD COLUMN changed BIGINT NOT NULL DEFAULT 0;
ALTER TABLE orders ADD COLUMN changed_us BIGINT NOT NULL DEFAULT 0;
UPDATE orders SET changed_us = received_us;
CREATE INDEX orders_of_merchant_by_change ON orders (merchant_id, changed, order_id);

ALTER TABLE returns ADD COLUMN changed BIGINT NOT NULL DEFAULT 0;
ALTER TABLE returns ADD COLUMN changed_us BIGINT NOT NULL DEFAULT 0;
UPDATE returns SET changed_us = created_us;
CREATE INDEX returns_by_change ON returns (changed, merchant_id, rma_id);
CREATE INDEX returns_of_merchant_by_change ON returns (merchant_id, changed, rma_id);

ALTER TABLE asns ADD COLUMN changed BIGINT NOT NULL DEFAULT 0;
ALTER TABLE asns ADD COLUMN changed_us BIGINT NOT NULL DEFAULT 0;
ALTER TABLE asns ADD COLUMN status TEXT NOT NULL DEFAULT '';
UPDATE asns SET changed_us = announced_us, status = CASE
    WHEN body LIKE '%"status":"shipped","details_type"%' THEN 'shipped'
    WHEN body LIKE '%"status":"delivered","details_type"%' THEN 'delivered'
    WHEN body LIKE '%"status":"cancelled","details_type"%' THEN 'cancelled'
    ELSE 'pending' END;
CREATE INDEX asns_by_change ON asns (changed, merchant_id, (asn_number || ' ' || program_id));
CREATE INDEX asns_of_merchant_by_change
    ON asns (merchant_id, changed, (asn_number || ' ' || program_id));

-- head: the shipment without its units, of which there may be very many.
ALTER TABLE shipments ADD COLUMN changed BIGINT NOT NULL DEFAULT 0;
ALTER TABLE shipments ADD COLUMN changed_us BIGINT NOT NULL DEFAULT 0;
ALTER TABLE shipments ADD COLUMN status TEXT NOT NULL DEFAULT '';
ALTER TABLE shipments ADD COLUMN head TEXT NOT NULL DEFAULT '';
UPDATE shipments SET head = body, status = CASE
    WHEN body LIKE '%"status":"shipped",%' THEN 'shipped'
    WHEN body LIKE '%"status":"delivered",%' THEN 'delivered'
    WHEN body LIKE '%"status":"canceled",%' THEN 'canceled'
    ELSE 'pending' END;
CREATE INDEX shipments_by_change ON shipments (changed, merchant_id, asn_number);
CREATE INDEX shipments_of_merchant_by_change ON shipments (merchant_id, changed, asn_number);

ALTER TABLE drop_ship_orders ADD COLUMN changed BIGINT NOT NULL DEFAULT 0;
ALTER TABLE drop_ship_orders ADD COLUMN changed_us BIGINT NOT NULL DEFAULT 0;
ALTER TABLE drop_ship_orders ADD COLUMN status TEXT NOT NULL DEFAULT '';
UPDATE drop_ship_orders SET status = CASE
    WHEN body LIKE '%"status":"rejected","price_cents"%' THEN 'rejected'
    WHEN body LIKE '%"status":"partially_shipped","price_cents"%' THEN 'partially_shipped'
    WHEN body LIKE '%"status":"shipped","price_cents"%' THEN 'shipped'
    WHEN body LIKE '%"status":"cancelled","price_cents"%' THEN 'cancelled'
    ELSE 'accepted' END;
CREATE INDEX drop_ship_orders_by_change
    ON drop_ship_orders (changed, merchant_id, client_identifier);
CREATE INDEX drop_ship_orders_of_merchant_by_change
    ON drop_ship_orders (merchant_id, changed, client_identifier);
