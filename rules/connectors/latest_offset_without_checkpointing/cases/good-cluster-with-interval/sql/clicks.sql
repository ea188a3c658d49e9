CREATE TABLE clicks (id STRING) WITH (
  'connector' = 'kafka',
  'topic' = 'clicks',
  'properties.bootstrap.servers' = 'broker:9092',
  'scan.startup.mode' = 'latest-offset',
  'format' = 'json'
);

CREATE TABLE copies (id STRING) WITH (
  'connector' = 'print'
);

INSERT INTO copies SELECT id FROM clicks;
