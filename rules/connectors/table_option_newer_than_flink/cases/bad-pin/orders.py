from pyflink.table import EnvironmentSettings, TableEnvironment

t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t_env.execute_sql(
    "CREATE TABLE orders (id STRING, at TIMESTAMP(3), WATERMARK FOR at AS at) WITH ("
    "'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'broker:9092', "
    "'properties.group.id' = 'orders', 'format' = 'json', "
    "'scan.watermark.idle-timeout' = '1 min')"  # expect: table-option-newer-than-flink
)
t_env.execute_sql("CREATE TABLE out (id STRING) WITH ('connector' = 'print')")
t_env.execute_sql("INSERT INTO out SELECT id FROM orders").wait()
