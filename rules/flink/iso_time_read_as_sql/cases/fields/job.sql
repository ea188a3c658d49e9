CREATE TABLE orders (
  id STRING,
  amount DOUBLE,
  `at` TIMESTAMP(3), -- expect: iso-time-read-as-sql
  paid_at TIMESTAMP_LTZ(3),
  part INT METADATA FROM 'partition',
  day AS CAST(`at` AS DATE),
  WATERMARK FOR `at` AS `at` - INTERVAL '5' SECOND
) WITH (
  'connector' = 'kafka',
  'topic' = 'orders',
  'properties.bootstrap.servers' = 'broker:9092',
  'properties.group.id' = 'orders',
  'scan.startup.mode' = 'earliest-offset',
  'format' = 'json'
);
CREATE TABLE large (
  id STRING,
  amount DOUBLE,
  `at` TIMESTAMP(3)
) WITH (
  'connector' = 'kafka',
  'topic' = 'large',
  'properties.bootstrap.servers' = 'broker:9092',
  'format' = 'json'
);
INSERT INTO large SELECT id, amount, `at` FROM orders WHERE amount > 100;
