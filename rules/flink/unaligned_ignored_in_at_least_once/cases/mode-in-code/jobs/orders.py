from pyflink.datastream import CheckpointingMode, StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.enable_checkpointing(60_000, CheckpointingMode.AT_LEAST_ONCE)
env.execute("orders")
