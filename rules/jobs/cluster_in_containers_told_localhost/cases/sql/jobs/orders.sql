SET 'execution.checkpointing.interval' = '1 min';
CREATE TABLE orders (id BIGINT) WITH (
  'connector' = 'kafka',
  'topic' = 'orders',
  'properties.bootstrap.servers' = 'localhost:9092',  -- expect: cluster-in-containers-told-localhost
  'scan.startup.mode' = 'earliest-offset',
  'format' = 'json'
);
INSERT INTO copies SELECT id FROM orders;
