CREATE TABLE orders (customer STRING, amount DOUBLE) WITH (
  'connector' = 'kafka',
  'topic' = 'orders',
  'properties.bootstrap.servers' = 'broker:9092',
  'properties.group.id' = 'totals',
  'scan.startup.mode' = 'group-offsets',
  'format' = 'json'
);
CREATE TABLE totals (customer STRING, amount DOUBLE) WITH ('connector' = 'print');
INSERT INTO totals SELECT customer, SUM(amount) FROM orders GROUP BY customer; -- expect: sql-state-without-ttl
