from confluent_kafka import Producer

from orders.settings import SERVERS

producer = Producer({"bootstrap.servers": SERVERS, "socket.timeout.ms": 10000})
