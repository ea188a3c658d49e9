from pyflink.common import RestartStrategies  # expect: pyflink-api-not-in-version
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_restart_strategy(RestartStrategies.fixed_delay_restart(10, 10000))  # expect: pyflink-api-not-in-version
