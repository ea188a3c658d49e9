from pyflink.common import SimpleStringSchema, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import KafkaSource

env = StreamExecutionEnvironment.get_execution_environment()
env.enable_checkpointing(60000)
source = (
    KafkaSource.builder()
    .set_bootstrap_servers("localhost:9092")  # expect: cluster-in-containers-told-localhost
    .set_topics("orders")
    .set_group_id("orders")
    .set_value_only_deserializer(SimpleStringSchema())
    .build()
)
env.from_source(source, WatermarkStrategy.no_watermarks(), "orders").print()
env.execute()
