SET 'execution.checkpointing.interval' = '3 min';
SET 'restart-strategy.type' = 'fixed-delay';
SET 'restart-strategy.fixed-delay.attempts' = '50000000';
SET 'restart-strategy.fixed-delay.delay' = '5 s';

CREATE TABLE clickstream (
  user_id STRING,
  url STRING
) WITH (
  'connector' = 'kafka',
  'topic' = 'clickstream',
  'properties.bootstrap.servers' = 'kafka-01:9092,kafka-02:9092,kafka-03:9092,kafka-04:9092,kafka-05:9092,kafka-06:9092,kafka-07:9092,kafka-08:9092,kafka-09:9092,kafka-10:9092,kafka-11:9092,kafka-12:9092',
  'properties.group.id' = 'clickstream',
  'properties.auto.offset.reset' = 'earliest',
  'properties.request.timeout.ms' = '30000',
  'properties.default.api.timeout.ms' = '60000',
  'scan.topic-partition-discovery.interval' = '300000',
  'scan.startup.mode' = 'group-offsets',
  'format' = 'raw'
);

CREATE TABLE visits (
  user_id STRING,
  url STRING
) WITH (
  'connector' = 'kafka',
  'topic' = 'visits',
  'properties.bootstrap.servers' = 'kafka-01:9092,kafka-02:9092,kafka-03:9092',
  'properties.max.block.ms' = '600000',
  'format' = 'json'
);

INSERT INTO visits SELECT user_id, url FROM clickstream;
