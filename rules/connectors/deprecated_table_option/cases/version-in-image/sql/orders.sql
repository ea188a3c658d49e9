CREATE TABLE customers (id STRING, name STRING, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'jdbc',
  'url' = 'jdbc:postgresql://db/shop',
  'table-name' = 'customers',
  'lookup.cache.max-rows' = '1000', -- expect: deprecated-table-option
  'lookup.cache.ttl' = '10 min' -- expect: deprecated-table-option
);
CREATE TABLE orders (customer STRING, amount INT, at AS PROCTIME()) WITH (
  'connector' = 'kafka',
  'topic' = 'orders',
  'properties.bootstrap.servers' = 'broker:9092',
  'properties.group.id' = 'orders',
  'scan.startup.mode' = 'earliest-offset',
  'format' = 'json'
);
CREATE TABLE named (name STRING, amount INT) WITH ('connector' = 'print');
INSERT INTO named
SELECT c.name, o.amount FROM orders AS o JOIN customers FOR SYSTEM_TIME AS OF o.at AS c ON o.customer = c.id;
