SET 'execution.checkpointing.interval' = '10s';
CREATE TABLE orders (id INT) WITH (
  'connector' = 'kafka',
  'topic' = 'orders',
  'properties.bootstrap.servers' = 'kafka:9092',
  'format' = 'json',
  'sink.delivery-guarantee' = 'exactly-once',
  'sink.transactional-id-prefix' = 'orders',
  'properties.transaction.timeout.ms' = '900000'
);
INSERT INTO orders VALUES (1);
