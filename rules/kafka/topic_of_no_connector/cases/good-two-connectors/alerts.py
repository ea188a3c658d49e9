from kafka import KafkaConsumer

for record in KafkaConsumer("dbserver1.public.orders", "shop.public.orders", bootstrap_servers="broker:9092", group_id="alerts"):
    print(record.value)
