import json

from pyflink.datastream import StreamExecutionEnvironment

APPLICATION_PROPERTIES = "/etc/flink/application_properties.json"

env = StreamExecutionEnvironment.get_execution_environment()
env.enable_checkpointing(60_000)
with open(APPLICATION_PROPERTIES) as file:
    properties = json.load(file)
