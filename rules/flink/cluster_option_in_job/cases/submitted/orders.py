from pyflink.common import Configuration
from pyflink.datastream import StreamExecutionEnvironment

config = Configuration()
config.set_string("taskmanager.memory.process.size", "4g")  # expect: cluster-option-in-job
config.set_string("execution.checkpointing.interval", "1 min")
env = StreamExecutionEnvironment.get_execution_environment(config)
env.execute("orders")
