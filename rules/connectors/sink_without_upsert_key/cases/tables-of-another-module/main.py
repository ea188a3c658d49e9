from pyflink.datastream import StreamExecutionEnvironment
from pyflink.table import StreamTableEnvironment

from tables import create_sink, create_source


def main():
    env = StreamExecutionEnvironment.get_execution_environment()
    env.enable_checkpointing(60_000)
    t_env = StreamTableEnvironment.create(env)
    source = create_source(t_env)
    sink = create_sink(t_env)
    t_env.execute_sql(f"INSERT INTO {sink} SELECT id, amount FROM {source}").wait()


if __name__ == "__main__":
    main()
