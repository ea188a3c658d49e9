from pyflink.common import SimpleStringSchema
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.base import DeliveryGuarantee
from pyflink.datastream.connectors.kafka import KafkaRecordSerializationSchema, KafkaSink
from shop.sources import source

env = StreamExecutionEnvironment.get_execution_environment()
records = KafkaRecordSerializationSchema.builder().set_topic("payments").set_value_serialization_schema(SimpleStringSchema()).build()
sink = (
    KafkaSink.builder()
    .set_bootstrap_servers("broker:9092")
    .set_record_serializer(records)
    .set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE)  # expect: sink-without-checkpointing
    .set_transactional_id_prefix("payments")
    .build()
)
env.add_source(source()).sink_to(sink)
env.execute("payments")
