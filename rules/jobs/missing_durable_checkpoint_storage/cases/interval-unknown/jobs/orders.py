import sys

from pyflink.datastream import StreamExecutionEnvironment
from pyflink.table import StreamTableEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.enable_checkpointing(int(sys.argv[1]))  # expect: missing-durable-checkpoint-storage
tables = StreamTableEnvironment.create(env)
tables.execute_sql(
    "CREATE TABLE orders (id INT) WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'broker:9092', 'format' = 'json')"
)
tables.execute_sql("CREATE TABLE totals (n BIGINT) WITH ('connector' = 'print')")
tables.execute_sql("INSERT INTO totals SELECT COUNT(*) FROM orders")
