from pyflink.common import SimpleStringSchema, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaSource

env = StreamExecutionEnvironment.get_execution_environment()  # expect: checkpointing-not-enabled
source = (
    KafkaSource.builder()
    .set_bootstrap_servers("broker:9092")
    .set_topics("orders")
    .set_group_id("totals")
    .set_starting_offsets(KafkaOffsetsInitializer.earliest())
    .set_value_only_deserializer(SimpleStringSchema())
    .build()
)
stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "orders")
stream.map(lambda line: len(line)).key_by(lambda size: size % 10).reduce(lambda one, other: one + other).print()
env.execute()
