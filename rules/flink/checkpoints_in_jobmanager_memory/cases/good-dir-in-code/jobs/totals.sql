SET 'execution.checkpointing.dir' = 's3://lake/checkpoints';
CREATE TABLE orders (id INT) WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'broker:9092', 'format' = 'json');
CREATE TABLE totals (n BIGINT) WITH ('connector' = 'print');
INSERT INTO totals SELECT COUNT(*) FROM orders;
