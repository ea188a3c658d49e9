SET 'execution.checkpointing.interval' = '10s';
CREATE TABLE orders (id INT) WITH (
  'connector' = 'kafka',
  'topic' = 'orders',
  'properties.bootstrap.servers' = 'kafka:9092',
  'format' = 'json',
  'sink.delivery-guarantee' = 'at-least-once',
);
INSERT INTO orders VALUES (1);
