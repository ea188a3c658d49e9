SET 'execution.checkpointing.interval' = '1 min';
CREATE TABLE paid (id INT, amount DOUBLE) WITH (
  'connector' = 'kafka',
  'topic' = 'payments', -- expect: reads-uncommitted-transactions
  'properties.bootstrap.servers' = 'broker:9092',
  'properties.group.id' = 'totals',
  'scan.startup.mode' = 'group-offsets',
  'format' = 'json'
);
CREATE TABLE totals (amount DOUBLE) WITH ('connector' = 'print');
INSERT INTO totals SELECT SUM(amount) FROM paid;
