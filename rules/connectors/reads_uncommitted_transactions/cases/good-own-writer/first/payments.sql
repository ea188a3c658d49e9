SET 'execution.checkpointing.interval' = '1 min';
CREATE TABLE orders (id INT, amount DOUBLE) WITH (
  'connector' = 'kafka',
  'topic' = 'orders',
  'properties.bootstrap.servers' = 'broker:9092',
  'properties.group.id' = 'payments',
  'scan.startup.mode' = 'group-offsets',
  'format' = 'json'
);
CREATE TABLE payments (id INT, amount DOUBLE) WITH (
  'connector' = 'kafka',
  'topic' = 'payments',
  'properties.bootstrap.servers' = 'broker:9092',
  'properties.transaction.timeout.ms' = '900000',
  'sink.delivery-guarantee' = 'exactly-once',
  'sink.transactional-id-prefix' = 'payments',
  'format' = 'json'
);
INSERT INTO payments SELECT id, amount FROM orders;
