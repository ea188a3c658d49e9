from quixstreams import Application

app = Application(broker_address="broker:9092", consumer_group="my-group", auto_offset_reset="earliest")
orders = app.topic("orders")
frame = app.dataframe(orders)
frame = frame.update(print)
app.run()
