from pyflink.common.serialization import SimpleStringSchema
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.base import DeliveryGuarantee
from pyflink.datastream.connectors.kafka import KafkaRecordSerializationSchema, KafkaSink

env = StreamExecutionEnvironment.get_execution_environment()
record = KafkaRecordSerializationSchema.builder().set_topic("payments").set_value_serialization_schema(SimpleStringSchema()).build()
sink = (
    KafkaSink.builder()
    .set_bootstrap_servers("broker:9092")
    .set_record_serializer(record)
    .set_delivery_guarantee(DeliveryGuarantee.AT_LEAST_ONCE)
    .build()
)
env.from_collection(["1"]).sink_to(sink)
env.execute("payments")
