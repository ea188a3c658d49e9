import bytewax.operators as op
from bytewax.connectors.kafka import KafkaSource
from bytewax.connectors.stdio import StdOutSink
from bytewax.dataflow import Dataflow

flow = Dataflow("orders")
orders = op.input("orders", flow, KafkaSource(["broker:9092"], ["orders"]))
op.output("out", orders, StdOutSink())
