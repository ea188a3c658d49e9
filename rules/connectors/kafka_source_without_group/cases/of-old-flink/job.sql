CREATE TABLE orders ( -- expect: kafka-source-without-group
  id STRING
) WITH (
  'connector' = 'kafka',
  'topic' = 'orders',
  'properties.bootstrap.servers' = 'broker:9092',
  'format' = 'json'
);

INSERT INTO sink SELECT id FROM orders;
