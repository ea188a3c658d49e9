from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(5)  # expect: parallelism-above-slots
env.execute("orders")
