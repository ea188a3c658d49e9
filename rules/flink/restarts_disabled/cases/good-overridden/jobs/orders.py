from pyflink.common import RestartStrategies
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.enable_checkpointing(60_000)
env.set_restart_strategy(RestartStrategies.fixed_delay_restart(3, 1000))
env.execute("orders")
