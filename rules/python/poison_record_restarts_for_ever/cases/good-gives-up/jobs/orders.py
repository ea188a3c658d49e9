import json

from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.functions import MapFunction


class Parse(MapFunction):
    def map(self, value):
        return json.loads(value)


env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection(["{}"]).map(Parse()).print()
env.execute("orders")
