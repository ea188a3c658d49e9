SET 'execution.checkpointing.mode' = 'EXACTLY_ONCE';
CREATE TABLE orders (id STRING) WITH ('connector' = 'datagen');
CREATE TABLE totals (id STRING) WITH (
  'connector' = 'kafka',
  'topic' = 'totals',
  'properties.bootstrap.servers' = 'broker:9092',
  'properties.transaction.timeout.ms' = '900000',
  'sink.delivery-guarantee' = 'exactly-once',
  'sink.transactional-id-prefix' = 'totals',
  'format' = 'json'
);
INSERT INTO totals SELECT id FROM orders;
