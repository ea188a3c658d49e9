"""The three Kafka clients: kafka-python (1.4 to 3.0), confluent-kafka (0.11 to 2.16) and aiokafka; the clients and data frames of Quix Streams (3); Faust's apps and tables; FastStream's brokers for aiokafka; Bytewax's dataflows."""

from shoal.python.libraries import Library

_PYTHON_CONSUMER: dict[str, str] = {"__enter__": "=", "__aenter__": "="}
_PYTHON_PRODUCER = {"send": "kafka.Future", "__enter__": "=", "__aenter__": "="}

LIBRARIES = {
    "kafka": Library(
        calls={
            "KafkaConsumer": "kafka.Consumer",
            "KafkaProducer": "kafka.Producer",
            "KafkaAdminClient": "kafka.Admin",
        },
        methods={
            "kafka.Consumer": _PYTHON_CONSUMER,
            "kafka.Producer": _PYTHON_PRODUCER,
            "kafka.Future": {"add_callback": "=", "add_errback": "=", "add_both": "="},
            "kafka.Admin": {},
        },
        attributes={},
    ),
    "confluent_kafka": Library(
        calls={
            "Consumer": "confluent.Consumer",
            "DeserializingConsumer": "confluent.Consumer",
            "Producer": "confluent.Producer",
            "SerializingProducer": "confluent.Producer",
            "AvroProducer": "confluent.Producer",
            "AvroConsumer": "confluent.Consumer",
            "AdminClient": "confluent.Admin",
            "AIOProducer": "confluent.AsyncProducer",
            "AIOConsumer": "confluent.AsyncConsumer",
            "AvroDeserializer": "confluent.Deserializer",
            "JSONDeserializer": "confluent.Deserializer",
            "ProtobufDeserializer": "confluent.Deserializer",
        },
        methods={
            "confluent.Consumer": {"poll": "confluent.Message", "consume": "confluent.Messages", "__enter__": "="},
            "confluent.Producer": {"__enter__": "="},
            "confluent.Message": {"error": "confluent.Error"},
            "confluent.Error": {},
            "confluent.Messages": {},
            "confluent.Deserializer": {},
        },
        attributes={},
    ),
    "aiokafka": Library(
        calls={"AIOKafkaConsumer": "aiokafka.Consumer", "AIOKafkaProducer": "aiokafka.Producer", "AIOKafkaAdminClient": "aiokafka.Admin"},
        methods={
            "aiokafka.Consumer": {"__aenter__": "="},
            "aiokafka.Producer": {"send": "aiokafka.Future", "__aenter__": "="},
            "aiokafka.Future": {},
        },
        attributes={},
    ),
    "faust": Library(
        calls={"App": "faust.App"},
        methods={
            "faust.App": {"topic": "faust.Topic", "channel": "faust.Topic", "Table": "faust.Table", "GlobalTable": "faust.Table"},
            "faust.Topic": {},
            "faust.Table": {"tumbling": "faust.WindowTable", "hopping": "faust.WindowTable"},
            "faust.WindowTable": {"*": "="},
        },
        attributes={"faust.App": {"loop": "py.Loop"}},
    ),
    "faststream": Library(
        calls={"KafkaBroker": "faststream.KafkaBroker", "KafkaRouter": "faststream.KafkaBroker"},
        methods={"faststream.KafkaBroker": {}},
        attributes={},
    ),
    "bytewax": Library(calls={"Dataflow": "bytewax.Dataflow"}, methods={"bytewax.Dataflow": {}}, attributes={}),
    "quixstreams": Library(
        calls={
            "Application": "quix.Application",
            "Application.Quix": "quix.Application",
            "Producer": "quix.Producer",
            "Consumer": "quix.Consumer",
        },
        methods={
            "quix.Application": {"get_producer": "quix.Producer", "get_consumer": "quix.Consumer", "dataframe": "quix.Frame"},
            "quix.Producer": {"__enter__": "="},
            "quix.Consumer": {"poll": "confluent.Message", "consume": "confluent.Messages", "__enter__": "="},
            "quix.Frame": {"*": "="},
        },
        attributes={"quix.Frame": {"*": "="}},
    ),
}
