from faststream import FastStream
from faststream.kafka import KafkaBroker

broker = KafkaBroker("broker:9092")
app = FastStream(broker)
