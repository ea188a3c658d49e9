from orders.store import Store
from pyflink.datastream import StreamExecutionEnvironment


class OrderStore(Store):
    def key(self, value):
        return f"order:{value[0]}"


env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection([("a", "1")]).map(OrderStore("redis")).print()
env.execute("orders")
