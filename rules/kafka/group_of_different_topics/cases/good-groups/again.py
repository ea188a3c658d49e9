from kafka import KafkaConsumer

# the same program twice shares the work
for record in KafkaConsumer("orders", bootstrap_servers="broker:9092", group_id="my-group", auto_offset_reset="earliest"):
    print(record.value)
