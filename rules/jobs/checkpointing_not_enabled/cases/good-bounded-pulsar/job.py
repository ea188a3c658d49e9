from pyflink.common import SimpleStringSchema, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.pulsar import PulsarSource, StopCursor

env = StreamExecutionEnvironment.get_execution_environment()
clicks = (
    PulsarSource.builder()
    .set_service_url("pulsar://broker:6650")
    .set_topics("clicks")
    .set_bounded_stop_cursor(StopCursor.latest())
    .set_subscription_name("clicks")
    .set_deserialization_schema(SimpleStringSchema())
    .build()
)
env.from_source(clicks, WatermarkStrategy.no_watermarks(), "clicks").map(str.upper)
env.execute()
