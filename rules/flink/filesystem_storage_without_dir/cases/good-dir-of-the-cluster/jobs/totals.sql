SET 'execution.checkpointing.interval' = '1 min';
SET 'state.checkpoint-storage' = 'filesystem';
CREATE TABLE orders (id INT) WITH ('connector' = 'datagen');
CREATE TABLE totals (n BIGINT) WITH ('connector' = 'print');
INSERT INTO totals SELECT COUNT(*) FROM orders;
