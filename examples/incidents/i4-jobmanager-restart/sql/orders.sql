SET 'execution.checkpointing.interval' = '1 min';
SET 'restart-strategy.type' = 'fixed-delay';
SET 'restart-strategy.fixed-delay.attempts' = '2147483647';
SET 'restart-strategy.fixed-delay.delay' = '1 s';

CREATE TABLE orders (
  order_id STRING,
  amount DECIMAL(10, 2),
  ordered_at TIMESTAMP(3)
) WITH (
  'connector' = 'kafka',
  'topic' = 'orders',
  'properties.bootstrap.servers' = 'broker-1:9092,broker-2:9092',
  'properties.group.id' = 'orders',
  'scan.startup.mode' = 'earliest-offset',
  'format' = 'json'
);

CREATE TABLE large_orders (
  order_id STRING,
  amount DECIMAL(10, 2)
) WITH (
  'connector' = 'kafka',
  'topic' = 'large-orders',
  'properties.bootstrap.servers' = 'broker-1:9092,broker-2:9092',
  'format' = 'json'
);

INSERT INTO large_orders SELECT order_id, amount FROM orders WHERE amount > 1000;
