from pyflink.common import Configuration
from pyflink.datastream import StreamExecutionEnvironment

config = Configuration()
config.set_string("execution.checkpointing.dir", "s3://state/rank/checkpoints")
env = StreamExecutionEnvironment.get_execution_environment(config)
env.enable_checkpointing(60000)
env.from_collection([1, 2]).print()
env.execute("rank")
