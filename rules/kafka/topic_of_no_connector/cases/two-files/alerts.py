from kafka import KafkaConsumer

consumer = KafkaConsumer(bootstrap_servers="broker:9092", group_id="alerts")
consumer.subscribe(["dbserver1.public.orders", "shop.public.orders"])  # expect: topic-of-no-connector
for record in consumer:
    print(record.value)
