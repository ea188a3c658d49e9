SET 'execution.checkpointing.externalized-checkpoint-retention' = 'DELETE_ON_CANCELLATION';
CREATE TABLE orders (id STRING) WITH ('connector' = 'datagen');
CREATE TABLE totals (id STRING) WITH ('connector' = 'print');
INSERT INTO totals SELECT id FROM orders;
