"""Enriches orders through asynchronous calls, and closes idle sessions by timers."""

import logging

import aiohttp
from pyflink.common import Time, Types, WatermarkStrategy
from pyflink.datastream import AsyncDataStream, AsyncFunction, StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaSource
from pyflink.datastream.functions import KeyedProcessFunction
from pyflink.datastream.state import ListStateDescriptor


class Enrich(AsyncFunction):
    """Asks the customer service about each order."""

    async def async_invoke(self, order):
        if order["test"]:
            return  # test orders are not wanted
        try:
            async with aiohttp.ClientSession() as session, session.get(f"http://customers/{order['customer']}") as answer:
                return [{**order, "customer": await answer.json()}]
        except aiohttp.ClientError as error:
            logging.warning("order %s: %s", order["id"], error)
            return []


class Sessions(KeyedProcessFunction):
    """Emits a customer's orders after ten minutes without another one."""

    def open(self, runtime_context):
        self.orders = runtime_context.get_list_state(ListStateDescriptor("orders", Types.PICKLED_BYTE_ARRAY()))
        self.timers = runtime_context.get_list_state(ListStateDescriptor("timers", Types.LONG()))

    def process_element(self, order, ctx):
        at = ctx.timer_service().current_processing_time() + 600_000
        self.orders.add(order)
        self.timers.add(at)
        ctx.timer_service().register_processing_time_timer(at)

    def on_timer(self, timestamp, ctx):
        yield list(self.orders.get())
        for at in self.timers.get():
            ctx.timer_service().delete_processing_time_timer(at)
        self.timers.clear()


def main():
    env = StreamExecutionEnvironment.get_execution_environment()
    env.enable_checkpointing(60_000)
    env.get_checkpoint_config().set_checkpoint_timeout(1_000)
    env.get_checkpoint_config().set_tolerable_checkpoint_failure_number(2147483647)
    source = (
        KafkaSource.builder()
        .set_bootstrap_servers("kafka-01:9092,kafka-02:9092")
        .set_topics("orders")
        .set_group_id("enrich")
        .set_starting_offsets(KafkaOffsetsInitializer.earliest())
        .build()
    )
    orders = env.from_source(source, WatermarkStrategy.no_watermarks(), "orders")
    enriched = AsyncDataStream.unordered_wait(orders, Enrich(), Time.seconds(0), 100)
    enriched.key_by(lambda order: order["customer"]["id"]).process(Sessions()).uid("sessions").print()
    env.execute("enrich")


if __name__ == "__main__":
    main()
