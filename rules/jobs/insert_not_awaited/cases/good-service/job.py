from pyflink.table import EnvironmentSettings, TableEnvironment

t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t_env.execute_sql("CREATE TABLE orders (id STRING) WITH ('connector' = 'datagen')")
t_env.execute_sql("CREATE TABLE copies (id STRING) WITH ('connector' = 'print')")
t_env.execute_sql("INSERT INTO copies SELECT * FROM orders")
