CREATE TABLE orders (id BIGINT, total DOUBLE) WITH (
  'connector' = 'kafka',
  'topic' = 'fulfillment.public.orders', -- expect: topic-of-no-connector
  'properties.bootstrap.servers' = 'broker:9092',
  'scan.startup.mode' = 'earliest-offset',
  'format' = 'debezium-json'
);
INSERT INTO totals SELECT id, total FROM orders;
