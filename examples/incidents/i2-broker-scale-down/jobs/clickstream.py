from pyflink.common import SimpleStringSchema, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaSource

BROKERS = "kafka-01:9092,kafka-02:9092,kafka-03:9092,kafka-04:9092,kafka-05:9092,kafka-06:9092"


def main() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.enable_checkpointing(180_000)
    source = (
        KafkaSource.builder()
        .set_bootstrap_servers(BROKERS)
        .set_topics("clickstream")
        .set_group_id("clickstream")
        .set_property("partition.discovery.interval.ms", "300000")
        .set_property("request.timeout.ms", "30000")
        .set_property("default.api.timeout.ms", "60000")
        .set_starting_offsets(KafkaOffsetsInitializer.earliest())
        .set_value_only_deserializer(SimpleStringSchema())
        .build()
    )
    env.from_source(source, WatermarkStrategy.no_watermarks(), "clickstream").uid("clickstream").print()
    env.execute("clickstream")


if __name__ == "__main__":
    main()
