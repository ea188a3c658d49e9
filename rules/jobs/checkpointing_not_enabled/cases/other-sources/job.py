from pyflink.common import SimpleStringSchema, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.pulsar import PulsarSource, StartCursor
from pyflink.datastream.connectors.rabbitmq import RMQSource

env = StreamExecutionEnvironment.get_execution_environment()  # expect: checkpointing-not-enabled
clicks = (
    PulsarSource.builder()
    .set_service_url("pulsar://broker:6650")
    .set_topics("clicks")
    .set_start_cursor(StartCursor.earliest())
    .set_subscription_name("clicks")
    .set_deserialization_schema(SimpleStringSchema())
    .build()
)
orders = env.add_source(RMQSource(None, "orders", True, SimpleStringSchema()))
orders.union(env.from_source(clicks, WatermarkStrategy.no_watermarks(), "clicks")).map(str.upper).name("upper")
env.execute()
