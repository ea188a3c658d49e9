from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.enable_checkpointing(60_000)
env.enable_changelog_state_backend(True)
env.execute("orders")
