SET 'execution.checkpointing.interval' = '1 min';
CREATE TABLE orders (id STRING) WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'broker:9092', 'format' = 'json');
CREATE TABLE totals (id STRING) WITH (
  'connector' = 'kafka',
  'topic' = 'totals',
  'properties.bootstrap.servers' = 'broker:9092',
  'properties.transaction.timeout.ms' = '800000', -- expect: transaction-timeout-above-broker-limit
  'sink.delivery-guarantee' = 'exactly-once',
  'sink.transactional-id-prefix' = 'totals',
  'format' = 'json'
);
INSERT INTO totals SELECT id FROM orders;
