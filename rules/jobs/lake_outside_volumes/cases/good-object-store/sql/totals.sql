SET 'execution.checkpointing.interval' = '1 min';
CREATE CATALOG lake WITH (
  'type' = 'paimon',
  'warehouse' = 's3://lake/paimon'
);
CREATE TABLE orders (id INT) WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'broker:9092', 'format' = 'json');
INSERT INTO lake.shop.totals SELECT COUNT(*) FROM orders;
