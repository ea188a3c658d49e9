from confluent_kafka import Producer

producer = Producer({"bootstrap.servers": "localhost:9095"})  # expect: client-on-host-told-container-name
right = Producer({"bootstrap.servers": "localhost:29095"})
