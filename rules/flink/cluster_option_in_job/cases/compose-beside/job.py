from pyflink.datastream import StreamExecutionEnvironment
from pyflink.table import StreamTableEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
t_env = StreamTableEnvironment.create(env)
config = t_env.get_config().get_configuration()
config.set_string("taskmanager.memory.task.off-heap.size", "512m")  # expect: cluster-option-in-job
t_env.execute_sql("INSERT INTO topics SELECT * FROM messages")
