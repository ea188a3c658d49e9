"""Connections and clients of operators in Java: those that are made for each record, and those that `open` makes and nothing closes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from shoal.java.functions import METHODS, OF_SQL, OPERATOR, applied, kinds_of, lambda_of, of_elements, on_task_thread, with_helpers
from shoal.java.sheet import Sheet
from shoal.java.source import chained
from shoal.lazy import pattern
from shoal.python.values import names

# Makers of models whose clients have a pool of connections and threads, by the packages of these.
MODELS = {"OpenAI": "com.openai.client.", "Anthropic": "com.anthropic.client."}
# What connects, or has threads and connections of its own: as it is made by `new`, and by a method of a class, with the beginning of the package.
_NEW = {
    **dict.fromkeys(names("KafkaProducer KafkaConsumer"), "org.apache.kafka.clients."),
    "OkHttpClient": "okhttp3.",
    "RestTemplate": "org.springframework.web.client.",
    **dict.fromkeys(names("Jedis JedisPool JedisPooled JedisCluster"), "redis.clients.jedis."),
    "MongoClient": "com.mongodb.",
    "HikariDataSource": "com.zaxxer.hikari.",
    "RestHighLevelClient": "org.elasticsearch.client.",
    "DefaultAsyncHttpClient": "org.asynchttpclient.",
    **dict.fromkeys(names("MqttClient MqttAsyncClient"), "org.eclipse.paho."),
    "CachedSchemaRegistryClient": "io.confluent.kafka.schemaregistry.",
    **dict.fromkeys(names("KafkaAvroSerializer KafkaAvroDeserializer"), "io.confluent.kafka.serializers."),
}
_CALLED = {
    ("DriverManager", "getConnection"): "java.sql.",
    ("HttpClient", "newHttpClient"): "java.net.http.",
    ("HttpClient", "newBuilder"): "java.net.http.",
    ("HttpClients", "createDefault"): "org.apache.",
    ("HttpClients", "custom"): "org.apache.",
    ("HttpClientBuilder", "create"): "org.apache.",
    ("Dsl", "asyncHttpClient"): "org.asynchttpclient.",
    ("RedisClient", "create"): "io.lettuce.core.",
    ("MongoClients", "create"): "com.mongodb.",
    ("InfluxDBClientFactory", "create"): "com.influxdb.client.",
    ("InfluxDBFactory", "connect"): "org.influxdb.",
    ("CqlSession", "builder"): "com.datastax.",
    ("ConnectionFactory", "createConnection"): "org.apache.hadoop.hbase.client.",
    **{(f"{maker}OkHttpClient", made): home for maker, home in MODELS.items() for made in ("builder", "fromEnv")},
    ("S3Client", "create"): "software.amazon.awssdk.",
    ("S3Client", "builder"): "software.amazon.awssdk.",
    **{
        (f"ConfluentRegistryAvro{way}Schema", made): "org.apache.flink.formats.avro.registry."
        for way in ("Serialization", "Deserialization")
        for made in ("forGeneric", "forSpecific")
    },
}
# What reads and writes JSON by what it has learnt of the classes so far.
_MAPPERS = {
    **dict.fromkeys(names("ObjectMapper JsonMapper XmlMapper YAMLMapper CsvMapper CBORMapper"), "com.fasterxml.jackson."),
    "Gson": "com.google.gson.",
}
# Schemas of sources and sinks, whose methods these are.
_SCHEMA = pattern(r"(?:Abstract)?(?:Kafka(?:Record)?|Keyed)?(?:Des|S)erializationSchema")
_OF_SCHEMA = names("serialize deserialize")
# What hands a lambda over to another thread, which runs it once for the record.
_HANDS_OVER = names("supplyAsync runAsync submit execute")
# What holds a connection, or threads, until it is closed; a lookup of schemas, a template or a builder's model ends by itself.
_OPEN = names(
    "KafkaProducer KafkaConsumer Jedis JedisPool JedisPooled JedisCluster MongoClient HikariDataSource RestHighLevelClient DefaultAsyncHttpClient "
    "MqttClient MqttAsyncClient DriverManager.getConnection() HttpClients.createDefault() HttpClients.custom() Dsl.asyncHttpClient() "
    "RedisClient.create() MongoClients.create() InfluxDBClientFactory.create() InfluxDBFactory.connect() CqlSession.builder() "
    "ConnectionFactory.createConnection()"
)
# What makes a thread of InfluxDB's client collect points and send them later. Source: their sources, in which the first one's default handler of
# failures is empty, and the other's publishes an event.
_COLLECTS = {
    ("InfluxDB", "enableBatch"): "org.influxdb.",
    ("InfluxDBClient", "getWriteApi"): "com.influxdb.client.",
    ("InfluxDBClient", "makeWriteApi"): "com.influxdb.client.",
}
_FOLLOWED = pattern(r"\.\s*(?:flush|listenEvents|exceptionHandler|disableBatch)\(")
_CLOSES = r"(?:close\w*|shutdown\w*|disconnect\w*|destroy|quit|stop)"
_OPENS = pattern(r"Rich\w*Function|\w*ProcessFunction")


def collect(sheet: Sheet) -> None:
    source = sheet.source
    looked_at: set[int] = set()
    opened: set[int] = set()
    for method in source.methods:
        body, name = method.child_by_field_name("body"), source.name(method)
        kinds = kinds_of(sheet, method) if body is not None and name in _OF_SCHEMA | METHODS - {"flush"} | {"eval"} else []
        runs = _SCHEMA if name in _OF_SCHEMA else OF_SQL if name == "eval" else OPERATOR
        if body is None or not any(map(runs.fullmatch, kinds)) or any("Window" in kind for kind in kinds):
            continue
        for run in with_helpers(sheet, body, looked_at):
            _made(sheet, run, name)
            if name == "invoke":  # on first use
                _left_open(sheet, run, True)
    for method in source.methods:
        body = method.child_by_field_name("body") if source.name(method) == "open" else None
        if body is not None and any(map(_OPENS.fullmatch, kinds_of(sheet, method))):
            for run in with_helpers(sheet, body, opened):
                _left_open(sheet, run)
                _in_background(sheet, run)
    for work in source.lambdas:
        body = work.child_by_field_name("body")
        if body is not None and (name := applied(sheet, work)):
            _made(sheet, body, name)


def of_beam(sheet: Sheet) -> None:
    """The same for each element, in the methods that a `DoFn` of Beam's has for them."""
    looked_at: set[int] = set()
    for method, body in of_elements(sheet):
        for run in with_helpers(sheet, body, looked_at):
            _made(sheet, run, sheet.source.name(method), "client-for-each-element")


def _made(sheet: Sheet, body: Node, method: str, said: str = "client-for-each-record") -> None:
    """What is made on first use, or again after a failure, stands behind a condition or is kept in a field."""
    source = sheet.source
    for node, what in _clients(sheet, body):
        whole = [node, *chained(node)][-1]
        kept = source.declaration(source.kept_as(whole), whole)
        if (
            (on_task_thread(node, body) or _handed_over(sheet, node, body))
            and not source.conditional(node)
            and (kept is None or kept.kind != "field")
        ):
            where = source.name_node(node) if node.type == "method_invocation" else node.child_by_field_name("type")
            sheet.out.oddity("mapper-for-each-record" if what in _MAPPERS else said, method, source.span(where or node), what)


def _left_open(sheet: Sheet, body: Node, lazily: bool = False) -> None:
    """Clients that are kept under a name by which nothing closes them, and that is given to nobody who may.

    `lazily`: only those that are made where a field has none yet.
    """
    source, owner = sheet.source, sheet.source.class_of(body)
    if owner is None or "abstract" in source.written(owner.children[0]).split():
        return
    for node, what in _clients(sheet, body):
        chain = list(chained(node))
        built = not chain or source.name(chain[-1]) == "build"
        name = source.kept_as([node, *chain][-1]) if what in _OPEN and built and on_task_thread(node, body) else ""
        kept = source.declaration(name, node) if name and lazily else None
        if not name or (lazily and (kept is None or kept.kind != "field" or not source.conditional(node))):
            continue
        spelt = rf"(?:this\s*\.\s*)?{re.escape(name)}"
        # closed by its name, taken for another name, answered, or handed to a call (`closeQuietly(client)`) or to an object that has it from then on
        if not re.search(
            rf"\b{spelt}\s*\.\s*{_CLOSES}\(|(?:[=?:]|\breturn)\s*{spelt}\s*[;,:)]|[(,]\s*{spelt}\s*[,)]|\b{spelt}\s*::|\btry\s*\((?:[^{{]*;)?\s*{spelt}\s*[;)]",
            source.text,
        ):
            where = source.name_node(node) if node.type == "method_invocation" else node.child_by_field_name("type")
            more = ", and records that it still holds are never sent" if what == "KafkaProducer" else ""
            sheet.out.oddity("client-left-open", name, source.span(where or node), more)


def _handed_over(sheet: Sheet, node: Node, body: Node) -> bool:
    """Whether what stands here is the work of another thread, for the one record."""
    work = lambda_of(node)
    call = work.parent.parent if work is not None and work.type == "lambda_expression" and work.parent is not None else None
    return call is not None and call.type == "method_invocation" and sheet.source.name(call) in _HANDS_OVER and on_task_thread(call, body)


def _clients(sheet: Sheet, body: Node) -> Iterator[tuple[Node, str]]:
    source = sheet.source
    for node in source.news:
        if body.start_byte <= node.start_byte < body.end_byte and _is_of(
            sheet, kind := source.type_of(node), _NEW.get(kind, _MAPPERS.get(kind, ""))
        ):
            yield node, kind
    for call in source.within(body):
        kind, name = source.type_of(call.child_by_field_name("object")), source.name(call)
        if kind.startswith("class:") and _is_of(sheet, kind[6:], _CALLED.get((kind[6:], name), "")):
            yield call, f"{kind[6:]}.{name}()"
        elif kind == "InfluxDBClient" and _is_of(sheet, kind, _COLLECTS.get((kind, name), "")):
            yield call, f"{kind}.{name}()"  # has a buffer and threads of its own; the blocking one has neither


def _in_background(sheet: Sheet, body: Node) -> None:
    """Clients of InfluxDB that are told to collect points, in a class that neither waits for them nor asks what became of them."""
    source, owner = sheet.source, sheet.source.class_of(body)
    if owner is None or _FOLLOWED.search(source.text):
        return
    for call in source.within(body):
        kind, name = source.type_of(call.child_by_field_name("object")), source.name(call)
        if _is_of(sheet, kind, _COLLECTS.get((kind, name), "")):
            sheet.out.oddity("points-in-background", name, sheet.name_span(call))


def _is_of(sheet: Sheet, kind: str, home: str) -> bool:
    """Whether a class is the one of a library, by its import."""
    return bool(home) and sheet.source.is_of(kind, home)
