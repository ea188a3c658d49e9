"""Parses orders and keeps running totals."""

import json

from pyflink.common import RestartStrategies, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaSource
from pyflink.datastream.functions import MapFunction
from pyflink.datastream.state_backend import MemoryStateBackend


class Parse(MapFunction):
    def map(self, line):
        order = json.loads(line)
        return order["customer"], order["amount"]


def main():
    env = StreamExecutionEnvironment.get_execution_environment()
    env.enable_checkpointing(60_000)
    env.set_state_backend(MemoryStateBackend())
    env.set_restart_strategy(RestartStrategies.fixed_delay_restart(2147483647, 1_000))
    source = (
        KafkaSource.builder()
        .set_bootstrap_servers("kafka-01:9092,kafka-02:9092")
        .set_topics("orders")
        .set_group_id("orders")
        .set_starting_offsets(KafkaOffsetsInitializer.earliest())
        .build()
    )
    orders = env.from_source(source, WatermarkStrategy.no_watermarks(), "orders").map(Parse())
    orders.key_by(lambda order: order[0]).reduce(lambda one, other: (one[0], one[1] + other[1])).uid("totals").print()
    env.execute("orders")


if __name__ == "__main__":
    main()
