SET 'execution.checkpointing.interval' = '1 min';
SET 'parallelism.default' = '6'; -- expect: parallelism-above-slots
CREATE TABLE orders (id BIGINT) WITH ('connector' = 'datagen');
CREATE TABLE seen (id BIGINT) WITH ('connector' = 'print');
INSERT INTO seen SELECT id FROM orders;
