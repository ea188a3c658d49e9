from pyflink.datastream import CheckpointStorage, StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.enable_checkpointing(60000)
env.get_checkpoint_config().set_checkpoint_storage(CheckpointStorage("hdfs://namenode:8020/checkpoints"))
env.execute("paths")
