import os

from pyflink.table import EnvironmentSettings, TableEnvironment

t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t_env.get_config().set("pipeline.jars", "file://" + os.path.join(os.path.dirname(os.path.abspath(__file__)), "connector.jar"))
t_env.execute_sql("CREATE TABLE orders (id STRING) WITH ('connector' = 'datagen')")
t_env.execute_sql("CREATE TABLE copies (id STRING) WITH ('connector' = 'print')")
t_env.execute_sql("INSERT INTO copies SELECT * FROM orders")  # expect: insert-not-awaited
