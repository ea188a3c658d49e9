from confluent_kafka.admin import AdminClient, NewTopic

REPLICAS = 1
admin = AdminClient({"bootstrap.servers": "kafka1:9092"})
futures = admin.create_topics([NewTopic("orders", 6, REPLICAS), NewTopic("returns", num_partitions=3, replication_factor=REPLICAS)])
for future in futures.values():
    future.result()
