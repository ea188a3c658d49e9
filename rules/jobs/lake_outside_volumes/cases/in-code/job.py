from pyflink.table import EnvironmentSettings, TableEnvironment

t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t_env.get_config().set("execution.checkpointing.interval", "1 min")
t_env.execute_sql("CREATE CATALOG lake WITH ('type' = 'hudi', 'catalog.path' = 'file:///tmp/lake')")  # expect: lake-outside-volumes
t_env.execute_sql("CREATE TABLE orders (id INT) WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'broker:9092', 'format' = 'json')")
t_env.execute_sql("INSERT INTO lake.shop.totals SELECT COUNT(*) FROM orders").wait()
