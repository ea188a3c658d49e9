from pyflink.common import Configuration
from pyflink.datastream import StreamExecutionEnvironment

config = Configuration()
config.set_string("execution.target", "remote")
config.set_string("rest.address", "jobmanager")
env = StreamExecutionEnvironment.get_execution_environment(config)
env.from_collection([1, 2, 3]).print()
env.execute("sent")
