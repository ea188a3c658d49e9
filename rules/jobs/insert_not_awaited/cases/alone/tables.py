from pyflink.table import EnvironmentSettings, TableEnvironment


def main():
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.execute_sql("CREATE TABLE orders (id STRING) WITH ('connector' = 'datagen')")
    t_env.execute_sql("CREATE TABLE copies (id STRING) WITH ('connector' = 'print')")
    statements = t_env.create_statement_set()
    statements.add_insert_sql("INSERT INTO copies SELECT * FROM orders")
    statements.execute()  # expect: insert-not-awaited


if __name__ == "__main__":
    main()
