SET 'execution.checkpointing.interval' = '1 min';
CREATE CATALOG lake WITH (
  'type' = 'iceberg',
  'catalog-type' = 'rest',
  'uri' = 'http://catalog:8181',
  'warehouse' = '/lake/iceberg'
);
CREATE TABLE orders (id INT) WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'broker:9092', 'format' = 'json');
INSERT INTO lake.shop.totals SELECT COUNT(*) FROM orders;
