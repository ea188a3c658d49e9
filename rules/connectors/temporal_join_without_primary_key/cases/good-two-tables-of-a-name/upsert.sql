CREATE TABLE customers (
  id STRING,
  name STRING,
  valid_from TIMESTAMP(3),
  WATERMARK FOR valid_from AS valid_from,
  PRIMARY KEY (id) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka',
  'topic' = 'customers',
  'properties.bootstrap.servers' = 'broker:9092',
  'key.format' = 'json', 'value.format' = 'json'
);
