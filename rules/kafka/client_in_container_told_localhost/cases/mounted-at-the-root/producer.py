from confluent_kafka import Producer

producer = Producer({"bootstrap.servers": "localhost:9092"})  # expect: client-in-container-told-localhost
producer.produce("orders", b"1")
producer.flush(10)
