from pyflink.table import EnvironmentSettings, TableEnvironment

tables = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
tables.execute_sql(
    """
    CREATE TABLE orders (id STRING) WITH (
      'connector' = 'kafka',
      'topic' = 'orders',
      'properties.bootstrap.servers' = 'broker:9092',
      'properties.group.id' = 'orders',
      'scan.startup.mode' = 'group-offsets',
      'format' = 'json'
    )
    """
)
tables.execute_sql("SELECT id FROM orders").print()
