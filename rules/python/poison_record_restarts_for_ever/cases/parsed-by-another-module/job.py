from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import KafkaSource
from pyflink.datastream.functions import MapFunction

from orders import parsed


class Priced(MapFunction):
    def map(self, value):
        return parsed(value)["price"]


env = StreamExecutionEnvironment.get_execution_environment()
env.enable_checkpointing(60_000)
source = KafkaSource.builder().set_bootstrap_servers("broker:9092").set_topics("orders").build()
env.from_source(source, None, "orders").map(Priced())
env.execute("prices")
