import faust

app = faust.App("billing", broker="kafka://kafka:9092")
