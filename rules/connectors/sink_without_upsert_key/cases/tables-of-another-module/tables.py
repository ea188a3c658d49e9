from pyflink.table import StreamTableEnvironment


def create_source(t_env: StreamTableEnvironment):
    t_env.execute_sql("""
        CREATE TABLE orders (id STRING, amount DOUBLE)
        WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'broker:9092', 'format' = 'json')
    """)
    return "orders"


def create_sink(t_env: StreamTableEnvironment):
    t_env.execute_sql("""
        CREATE TABLE amounts (id STRING, amount DOUBLE) -- expect: sink-without-upsert-key
        WITH ('connector' = 'jdbc', 'url' = 'jdbc:postgresql://db:5432/shop', 'table-name' = 'amounts')
    """)
    return "amounts"
