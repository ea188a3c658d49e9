CREATE TABLE clicks (id STRING) WITH (
  'connector' = 'kafka',
  'topic' = 'clicks',
  'properties.bootstrap.servers' = 'broker:9092',
  'properties.group.id' = 'clicks',
  'properties.auto.offset.reset' = 'earliest',
  'scan.startup.mode' = 'group-offsets',
  'format' = 'json'
);

CREATE TABLE copies (id STRING) WITH (
  'connector' = 'print'
);

INSERT INTO copies SELECT id FROM clicks;
