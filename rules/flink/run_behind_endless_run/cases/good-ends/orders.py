from pyflink.common import WatermarkStrategy
from pyflink.common.serialization import SimpleStringSchema
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaSource

env = StreamExecutionEnvironment.get_execution_environment()
env.enable_checkpointing(60000)
source = (
    KafkaSource.builder()
    .set_bootstrap_servers("kafka:9092")
    .set_topics("orders")
    .set_group_id("orders")
    .set_starting_offsets(KafkaOffsetsInitializer.earliest())
    .set_value_only_deserializer(SimpleStringSchema())
    .build()
)
env.from_source(source, WatermarkStrategy.no_watermarks(), "orders").uid("orders").print()
env.execute("orders")
