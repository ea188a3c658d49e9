from pyflink.datastream import StreamExecutionEnvironment

from settings import storage

env = StreamExecutionEnvironment.get_execution_environment()
env.enable_checkpointing(60000)
env.get_checkpoint_config().set_checkpoint_storage(storage())
env.execute("elsewhere")
