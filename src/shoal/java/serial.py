"""Fields of Flink functions in Java that cannot be serialized: a function is made where the job is submitted, and sent to the tasks by Java's own serialization."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from shoal.java.functions import kinds_of, on_task_thread
from shoal.java.sheet import Sheet
from shoal.java.source import Declaration, below
from shoal.lazy import pattern
from shoal.python.values import UNKNOWN, names

# What is sent to the tasks as an object. Readers, writers and enumerators are made there, by what is sent.
_SENT = pattern(
    r"\w*Function|\w*(?:Des|S)erializationSchema|Source|Sink|(?:Stateful|TwoPhaseCommitting)Sink|\w*Selector|SerializableTimestampAssigner|WatermarkStrategy"
    r"|(?:Rich)?(?:In|Out)putFormat|Trigger|WindowAssigner|BucketAssigner|Partitioner|RichParallelSourceFunction|JdbcStatementBuilder|ElasticsearchEmitter"
)
# Types of the JDK (8 to 21) that are not Serializable, nor is anything that its methods give for them.
_JDK = {
    "java.lang": names("Object Thread ThreadLocal ProcessBuilder Runtime ClassLoader"),
    "java.util": names(
        "Timer Scanner Optional OptionalInt OptionalLong OptionalDouble StringJoiner WeakHashMap LongSummaryStatistics IntSummaryStatistics DoubleSummaryStatistics"
    ),
    "java.util.concurrent": names(
        "ExecutorService ScheduledExecutorService ThreadPoolExecutor ScheduledThreadPoolExecutor ForkJoinPool Executor CompletableFuture Future ScheduledFuture "
        "FutureTask CountDownLatch CyclicBarrier Phaser Exchanger DelayQueue ExecutorCompletionService CompletionService"
    ),
    "java.util.regex": names("Matcher"),
    "java.util.stream": names("Stream IntStream LongStream"),
    "java.util.zip": names("CRC32 Deflater Inflater"),
    "java.time.format": names("DateTimeFormatter"),
    "java.net": names("Socket ServerSocket DatagramSocket HttpURLConnection URLConnection"),
    "java.net.http": names("HttpClient HttpRequest"),
    "java.nio": names("ByteBuffer"),
    "java.nio.charset": names("Charset CharsetEncoder CharsetDecoder"),
    "java.nio.file": names("Path"),
    "java.io": names(
        "InputStream OutputStream Reader Writer BufferedReader BufferedWriter PrintWriter FileWriter FileReader FileInputStream FileOutputStream "
        "ByteArrayOutputStream ByteArrayInputStream DataOutputStream DataInputStream StringWriter PrintStream"
    ),
    "java.security": names("MessageDigest Signature"),
    "javax.crypto": names("Cipher Mac"),
    "javax.net.ssl": names("SSLContext"),
    "javax.xml.parsers": names("DocumentBuilder DocumentBuilderFactory SAXParser"),
}
# Clients and parsers of libraries that are not Serializable, by the beginning of their package.
_LIBRARIES: dict[str, frozenset[str] | re.Pattern[str]] = {
    "com.google.gson": names("Gson JsonParser"),
    "org.json.simple": names("JSONParser"),
    "org.yaml.snakeyaml": names("Yaml"),
    "org.apache.kafka.clients": names("KafkaProducer KafkaConsumer Producer Consumer AdminClient Admin"),
    "redis.clients.jedis": names("Jedis JedisPool JedisCluster JedisPooled UnifiedJedis JedisSentinelPool"),
    "io.lettuce.core": names("RedisClient StatefulRedisConnection RedisCommands RedisAsyncCommands"),
    "org.redisson": names("RedissonClient"),
    "software.amazon.awssdk": re.compile(r"\w+Client"),
    "com.amazonaws.services": re.compile(r"Amazon\w+|AWS\w+"),
    "com.mongodb": names("MongoClient MongoDatabase MongoCollection"),
    "okhttp3": names("OkHttpClient"),
    "org.apache.http": names("CloseableHttpClient HttpClient CloseableHttpAsyncClient"),
    "org.apache.hc": names("CloseableHttpClient HttpClient CloseableHttpAsyncClient"),
    "org.springframework.web": names("RestTemplate WebClient RestClient"),
    "org.elasticsearch.client": names("RestHighLevelClient RestClient"),
    "co.elastic.clients": names("ElasticsearchClient ElasticsearchAsyncClient"),
    "org.eclipse.paho": names("MqttClient MqttAsyncClient"),
    "com.zaxxer.hikari": names("HikariDataSource"),
    "java.sql": names("Connection Statement PreparedStatement"),
    "io.grpc": names("ManagedChannel"),
    "com.google.common.util.concurrent": names("RateLimiter"),
    "org.influxdb": names("InfluxDB"),
}
# What a field holds that nothing fills.
_EMPTY = {
    **dict.fromkeys(("int", "long", "short", "byte"), "0"),
    **dict.fromkeys(("double", "float"), "0.0"),
    "boolean": "false",
    "char": "'\\0'",
}
_BY_HAND = pattern(r"\b(?:writeObject|writeReplace|writeExternal)\s*\(")


def collect(sheet: Sheet) -> None:
    source = sheet.source
    _too_early(sheet)
    _tags(sheet)
    for declared in source.fields():
        owner = source.class_of(declared.node)
        field = declared.node.parent
        said = set(source.written(_modifiers(field)).split()) if field is not None else set()
        if owner is None or field is None or "static" in said:
            continue
        kinds = kinds_of(sheet, declared.node)
        if not any(_SENT.fullmatch(kind) and _of_flink(sheet, kind) for kind in kinds) or _BY_HAND.search(source.written(owner)):
            continue
        if "transient" in said:
            _left_behind(sheet, declared, owner, "final" in said)
            continue
        for value in _kept(sheet, declared, owner):
            made = _created(sheet, value)
            kind, sure = next(
                ((type_, found) for type_ in dict.fromkeys((made, declared.type)) if type_ and (found := _refused(sheet, type_, value))),
                ("", ""),
            )
            if kind:
                sheet.out.oddity(
                    f"{sure}-not-serializable", source.written(declared.node.child_by_field_name("name")), source.span(declared.node), kind
                )
                break


def _left_behind(sheet: Sheet, declared: Declaration, owner: Node, final: bool) -> None:
    """A transient field that is filled as the function is made, and never again: what reaches the tasks has nothing in it.

    Neither constructors nor initializers run when an object is read back. A compiler puts a constant in the place of a final field that is given one.
    """
    source, name = sheet.source, declared.name
    empty = _EMPTY.get(declared.type, "null")
    given = []
    for node in source.assigned(declared):
        maker, value = source.method_of(node), node.child_by_field_name("right")
        if maker is not None and maker.type == "constructor_declaration":
            given.append(node)
        elif source.written(value) not in (empty, "null"):
            return
    values = [declared.value] if declared.value is not None else [node.child_by_field_name("right") for node in given]
    lost = [value for value in values if value is not None and source.written(value) not in (empty, "null")]
    if not lost or (final and declared.value is not None and source.value(declared.value) != UNKNOWN):
        return
    text = source.written(owner)
    if (
        "readObject" in text
        or "readResolve" in text
        or re.search(rf"\b{re.escape(name)}\s*[!=]=\s*null|\bnull\s*[!=]=\s*(?:this\.)?{re.escape(name)}\b", text)
    ):
        return
    if any(_reads(sheet, method, declared) for method in source.methods if source.class_of(method) == owner):
        sheet.out.oddity("transient-lost", name, source.span(declared.node), empty)


def _reads(sheet: Sheet, method: Node, declared: Declaration) -> bool:
    """Whether a method of an object uses a field."""
    source, body = sheet.source, method.child_by_field_name("body")
    if body is None or "static" in source.written(_modifiers(method)).split():
        return False
    for node in below(body, "identifier"):
        if source.written(node) != declared.name:
            continue
        parent = node.parent
        if parent is not None and parent.type in ("method_invocation", "field_access") and parent.child_by_field_name("object") != node:
            if parent.type == "field_access" and source.written(parent.child_by_field_name("object")) == "this":
                return True
        elif source.declaration(declared.name, node) == declared:
            return True
    return False


def _tags(sheet: Sheet) -> None:
    """Tags of side outputs that are no classes of their own, and are told no type: the compiler leaves nothing of the type that is written."""
    source = sheet.source
    if "org.apache.flink.util.OutputTag" not in source.homes("OutputTag"):
        return
    for node in source.news:
        if (
            source.type_of(node) == "OutputTag"
            and len(source.arguments(node)) == 1
            and not any(child.type == "class_body" for child in node.children)
        ):
            sheet.out.oddity("tag-without-type", source.written(node), source.span(node))


def _too_early(sheet: Sheet) -> None:
    """The runtime context, asked for while a function is made: in a constructor, an initializer or the value of a field."""
    source = sheet.source
    if any(source.name(method) == "getRuntimeContext" for method in source.methods):
        return
    for call in source.named("getRuntimeContext"):
        body = _maker(call)
        rich = [kind for kind in kinds_of(sheet, call) if kind.startswith("Rich") or kind.endswith("ProcessFunction")]
        own = source.written(call.child_by_field_name("object")) in ("", "this", "super")
        if rich and own and body is not None and on_task_thread(call, body):
            sheet.out.oddity("context-too-early", rich[0], sheet.name_span(call))


def _maker(node: Node) -> Node | None:
    """The member of a class that a node stands in, where it runs as an object is made."""
    at = node
    while at.parent is not None and at.parent.type != "class_body":
        at = at.parent
    return at if at.type in ("constructor_declaration", "field_declaration", "block") else None


def _modifiers(field: Node) -> Node | None:
    return next((child for child in field.children if child.type == "modifiers"), None)


def _of_flink(sheet: Sheet, kind: str) -> bool:
    source = sheet.source
    return source.imports.get(kind, "").startswith("org.apache.flink.") or any(one.startswith("org.apache.flink") for one in source.starred)


def _kept(sheet: Sheet, declared: Declaration, owner: Node) -> Iterator[Node]:
    """What a field holds once the object is made: its value where it is declared, or what every constructor gives it."""
    source = sheet.source
    if declared.value is not None:
        if declared.value.type != "null_literal":
            yield declared.value
        return
    body = owner.child_by_field_name("body")
    makers = [node for node in body.named_children if node.type == "constructor_declaration"] if body is not None else []
    given = [(source.method_of(node), node) for node in source.assigned(declared)]
    values = [value for maker in makers for method, node in given if method == maker and (value := node.child_by_field_name("right"))]
    if values and len(makers) == 1 and values[0].type != "null_literal" and not source.conditional(values[0]):
        yield values[0]


def _created(sheet: Sheet, value: Node) -> str:
    return sheet.source.type_of(value) if value.type == "object_creation_expression" else ""


def _refused(sheet: Sheet, kind: str, value: Node) -> str:
    """Whether a type is one that cannot be serialized: `surely`, `library` for one that a library may change; empty for all others."""
    source = sheet.source
    if kind == "Object" and not source.written(value).startswith("new Object()"):
        return ""
    own = [node for node in source.classes if source.written(node.child_by_field_name("name")) == kind]
    if own:
        plain = len(own) == 1 and not any(own[0].child_by_field_name(field) for field in ("superclass", "interfaces"))
        return (
            "surely"
            if plain and value.type == "object_creation_expression" and value.child_by_field_name("type") is not None and not _bodied(value)
            else ""
        )
    package = source.imports.get(kind, "").rpartition(".")[0]
    packages = [package] if package else ["java.lang", *source.starred]
    if any(kind in _JDK.get(one, ()) for one in packages):
        return "surely"
    for home, types in _LIBRARIES.items():
        if any(one == home or one.startswith(f"{home}.") for one in packages):
            found = kind in types if isinstance(types, frozenset) else types.fullmatch(kind)
            if found:
                return "library"
    return ""


def _bodied(value: Node) -> bool:
    return any(child.type == "class_body" for child in value.children)
