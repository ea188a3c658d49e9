CREATE TABLE orders (id BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'postgres-cdc',
  'hostname' = 'postgres',
  'database-name' = 'shop',
  'schema-name' = 'public',
  'table-name' = 'orders',
  'slot.name' = 'orders',
  'decoding.plugin.name' = 'wal2json' -- expect: postgres-without-logical-decoding
);
