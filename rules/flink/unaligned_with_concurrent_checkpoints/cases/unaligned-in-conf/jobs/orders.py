from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.enable_checkpointing(60_000)
env.get_checkpoint_config().set_max_concurrent_checkpoints(2)  # expect: unaligned-with-concurrent-checkpoints
env.execute("orders")
