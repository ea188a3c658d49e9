CREATE TABLE orders (id INT, amount DOUBLE) WITH (
  'connector' = 'kafka',
  'topic' = 'orders',
  'properties.bootstrap.servers' = 'broker:9092',
  'properties.group.id' = 'totals',
  'scan.startup.mode' = 'group-offsets',
  'format' = 'json' -- expect: parse-errors-in-endless-restart
);
CREATE TABLE totals (amount DOUBLE) WITH ('connector' = 'print');
INSERT INTO totals SELECT SUM(amount) FROM orders;
