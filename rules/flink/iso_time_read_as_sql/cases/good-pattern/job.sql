CREATE TABLE orders (
  id STRING,
  amount DOUBLE,
  `at` STRING,
  paid_at STRING,
  order_time AS TO_TIMESTAMP(`at`, 'yyyy-MM-dd''T''HH:mm:ss.SSS'),
  paid_time AS TO_TIMESTAMP(REPLACE(REPLACE(paid_at, 'T', ' '), 'Z', '')),
  id_time AS TO_TIMESTAMP(id),
  WATERMARK FOR order_time AS order_time - INTERVAL '5' SECOND
) WITH (
  'connector' = 'kafka',
  'topic' = 'orders',
  'properties.bootstrap.servers' = 'broker:9092',
  'properties.group.id' = 'orders',
  'scan.startup.mode' = 'earliest-offset',
  'format' = 'json'
);
INSERT INTO large SELECT id, amount, `at` FROM orders WHERE amount > 100;
