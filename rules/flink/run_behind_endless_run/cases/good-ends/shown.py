from pyflink.table import EnvironmentSettings, TableEnvironment

t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t_env.get_config().set("execution.checkpointing.interval", "1 min")
t_env.execute_sql(
    "CREATE TABLE orders (id STRING) WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'kafka:9092', 'format' = 'raw')"
)
t_env.execute_sql("CREATE TABLE shown (id STRING) WITH ('connector' = 'print')")
t_env.execute_sql("INSERT INTO shown SELECT id FROM orders")
