from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_state_backend(None)  # expect: pyflink-api-not-in-version
