from pyflink.common import Time
from pyflink.datastream import AsyncDataStream, AsyncFunction, StreamExecutionEnvironment


class Lookup(AsyncFunction):
    async def async_invoke(self, value):
        return [value]


env = StreamExecutionEnvironment.get_execution_environment()
orders = env.from_collection([1, 2, 3])
AsyncDataStream.unordered_wait(orders, Lookup(), Time.seconds(5), 100).print()
env.execute()
