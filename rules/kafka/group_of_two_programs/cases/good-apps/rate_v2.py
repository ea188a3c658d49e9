import faust

app = faust.App("orders-rate", broker="kafka://broker:9092")
