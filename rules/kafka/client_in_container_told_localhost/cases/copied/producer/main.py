from confluent_kafka import Producer

BROKER = "localhost:9092"

producer = Producer({"bootstrap.servers": BROKER})  # expect: client-in-container-told-localhost
producer.produce("orders", b"1")
producer.flush(10)
