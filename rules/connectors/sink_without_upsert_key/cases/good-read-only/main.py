from pyflink.datastream import StreamExecutionEnvironment
from pyflink.table import StreamTableEnvironment

from tables import create_names, create_source


def main():
    env = StreamExecutionEnvironment.get_execution_environment()
    env.enable_checkpointing(60_000)
    t_env = StreamTableEnvironment.create(env)
    source = create_source(t_env)
    names = create_names(t_env)
    t_env.execute_sql(f"INSERT INTO shown SELECT o.id, n.name FROM {source} AS o JOIN {names} AS n ON o.id = n.id").wait()


if __name__ == "__main__":
    main()
