-- The SQL twin of the enrichment job, with the timeout of the first repair.
SET 'execution.checkpointing.interval' = '30 s';
SET 'execution.checkpointing.timeout' = '5 s';
SET 'table.exec.state.ttl' = '1 d';

CREATE TABLE clicks (
  user_id STRING,
  url STRING,
  clicked_at TIMESTAMP(3),
  proc AS PROCTIME()
) WITH (
  'connector' = 'kafka',
  'topic' = 'clicks',
  'properties.bootstrap.servers' = 'broker-1:9092,broker-2:9092',
  'properties.group.id' = 'enrichment',
  'scan.startup.mode' = 'group-offsets',
  'properties.auto.offset.reset' = 'earliest',
  'format' = 'json'
);

CREATE TABLE profiles (
  user_id STRING,
  segment STRING,
  PRIMARY KEY (user_id) NOT ENFORCED
) WITH (
  'connector' = 'jdbc',
  'url' = 'jdbc:postgresql://profiles:5432/profiles',
  'table-name' = 'profiles'
);

CREATE TABLE enriched (
  user_id STRING,
  url STRING,
  segment STRING
) WITH (
  'connector' = 'kafka',
  'topic' = 'clicks-enriched',
  'properties.bootstrap.servers' = 'broker-1:9092,broker-2:9092',
  'format' = 'json'
);

INSERT INTO enriched
SELECT c.user_id, c.url, p.segment
FROM clicks AS c
LEFT JOIN profiles FOR SYSTEM_TIME AS OF c.proc AS p ON c.user_id = p.user_id;
