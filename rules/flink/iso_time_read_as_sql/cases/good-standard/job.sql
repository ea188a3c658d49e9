CREATE TABLE orders (
  id STRING,
  amount DOUBLE,
  `at` TIMESTAMP(3),
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
  'format' = 'json',
  'json.timestamp-format.standard' = 'ISO-8601'
);
INSERT INTO totals SELECT id, amount FROM orders;
