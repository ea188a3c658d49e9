SET 'execution.checkpointing.interval' = '1 min';
SET 'execution.checkpointing.dir' = 's3://lake/checkpoints';
CREATE TABLE orders (id INT) WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'broker:9092', 'format' = 'json');
CREATE TABLE totals (n BIGINT) WITH ('connector' = 'jdbc', 'url' = 'jdbc:postgresql://db/shop', 'table-name' = 'totals');
INSERT INTO totals SELECT COUNT(*) FROM orders;
