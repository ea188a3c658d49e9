from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.enable_checkpointing(60_000)
env.get_checkpoint_config().set_checkpoint_storage_dir("s3://lake/checkpoints")
env.execute("orders")
