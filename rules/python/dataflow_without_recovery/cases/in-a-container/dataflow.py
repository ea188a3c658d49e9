from bytewax.connectors.kafka import operators as kop
from bytewax.dataflow import Dataflow

flow = Dataflow("orders")
orders = kop.input("orders", flow, brokers=["broker:9092"], topics=["orders"])
kop.output("copies", orders.oks, brokers=["broker:9092"], topic="copies")
