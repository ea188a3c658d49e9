CREATE TABLE orders (
  id STRING,
  amount DOUBLE,
  `at` STRING,
  order_time AS CAST(`at` AS TIMESTAMP(3)), -- expect: iso-time-read-as-sql
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
