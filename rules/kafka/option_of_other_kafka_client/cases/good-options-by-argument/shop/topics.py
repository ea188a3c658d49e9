from kafka import KafkaAdminClient, KafkaProducer

from shop.options import kafka_options

admin = KafkaAdminClient(**kafka_options())
producer = KafkaProducer(**kafka_options(retries=True))
