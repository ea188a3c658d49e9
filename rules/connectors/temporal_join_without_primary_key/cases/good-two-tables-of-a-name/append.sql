CREATE TABLE customers (
  id STRING,
  name STRING,
  valid_from TIMESTAMP(3),
  WATERMARK FOR valid_from AS valid_from
) WITH (
  'connector' = 'kafka',
  'topic' = 'customers',
  'properties.bootstrap.servers' = 'broker:9092',
  'scan.startup.mode' = 'earliest-offset', 'value.format' = 'json'
);
