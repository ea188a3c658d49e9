from confluent_kafka import Producer

producer = Producer({"bootstrap.servers": "localhost:9092"})  # expect: client-on-host-told-container-name
producer.produce("orders", b"1")
producer.flush()
