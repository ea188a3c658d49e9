from pyflink.common import SimpleStringSchema
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.base import DeliveryGuarantee
from pyflink.datastream.connectors.kafka import KafkaRecordSerializationSchema, KafkaSink

env = StreamExecutionEnvironment.get_execution_environment()
env.enable_checkpointing(60_000)
records = KafkaRecordSerializationSchema.builder().set_topic("payments").set_value_serialization_schema(SimpleStringSchema()).build()
sink = (
    KafkaSink.builder()
    .set_bootstrap_servers("broker:9092")
    .set_record_serializer(records)
    .set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE)
    .set_transactional_id_prefix("shop")  # expect: shared-transactional-id-prefix
    .build()
)
env.from_collection(["a"]).sink_to(sink)
env.execute("payments")
