from pathlib import Path

from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.add_jars(*[jar.as_uri() for jar in Path("/opt/flink/usrlib").glob("*.jar")])
env.execute("orders")
