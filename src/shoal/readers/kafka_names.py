"""What Spring calls the options of Kafka's clients."""

# Spring's names that take what Kafka takes; its durations and sizes have another grammar.
SPRING = {
    "bootstrap-servers": "bootstrap.servers",
    "client-id": "client.id",
    "group-id": "group.id",
    "auto-offset-reset": "auto.offset.reset",
    "enable-auto-commit": "enable.auto.commit",
    "max-poll-records": "max.poll.records",
    "key-deserializer": "key.deserializer",
    "value-deserializer": "value.deserializer",
    "acks": "acks",
    "retries": "retries",
}
