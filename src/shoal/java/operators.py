"""What operators written in Java do that stalls a job: futures that nobody completes, waits without a bound, swallowed interrupts, deleted timers.

Everything here runs on the one thread of a task, which also handles barriers, timers and watermarks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tree_sitter import Node

from shoal.facts import Block, Usage
from shoal.flink_time import retry_pauses
from shoal.java.constants import ENVIRONMENT
from shoal.java.sheet import Sheet
from shoal.java.source import below, same
from shoal.python.values import UNKNOWN, Known, Millis, names, options

# Methods that a task runs for records and timers, by the classes that have them.
OPERATOR = re.compile(
    r"(?:Rich)?(?:(?:Flat)?Map|CoMap|CoFlatMap|Filter|Sink|Reduce|Aggregate|Join|CoGroup|FlatJoin|Window|AllWindow)Function|TwoPhaseCommitSinkFunction"
    r"|(?:Keyed|Co|KeyedCo|Broadcast|KeyedBroadcast|ProcessWindow|ProcessAllWindow|ProcessJoin)?(?:Process)?Function|(?:Rich)?AsyncFunction"
    r"|(?:Stateful|Committing|TwoPhaseCommitting)?SinkWriter"
)
SOURCE = re.compile(r"(?:Rich)?(?:Parallel)?SourceFunction")
METHODS = names(
    "map map1 map2 flatMap flatMap1 flatMap2 filter invoke reduce process processElement processElement1 processElement2 processBroadcastElement "
    "onTimer asyncInvoke apply join write flush"
)
# Waits without a timeout: by type the methods, and how many arguments they then have.
_WAITS: dict[str, tuple[dict[str, tuple[int, ...]], str]] = {
    "RingBuffer": ({"next": (0, 1)}, "the claim of a slot in a ring buffer"),
    "Disruptor": ({"publishEvent": (1, 2, 3)}, "the claim of a slot in a ring buffer"),
    "BlockingQueue": ({"put": (1,), "take": (0,)}, "a bounded queue"),
    "BlockingDeque": ({"put": (1,), "take": (0,), "putLast": (1,), "takeFirst": (0,)}, "a bounded queue"),
    "ArrayBlockingQueue": ({"put": (1,), "take": (0,)}, "a bounded queue"),
    "LinkedBlockingQueue": ({"put": (1,), "take": (0,)}, "a queue"),
    "LinkedBlockingDeque": ({"put": (1,), "take": (0,)}, "a queue"),
    "SynchronousQueue": ({"put": (1,), "take": (0,)}, "a queue"),
    "CountDownLatch": ({"await": (0,)}, "a latch"),
    "CyclicBarrier": ({"await": (0,)}, "a barrier"),
    "Semaphore": ({"acquire": (0, 1), "acquireUninterruptibly": (0, 1)}, "a semaphore"),
    "Future": ({"get": (0,)}, "a future"),
    "CompletableFuture": ({"get": (0,), "join": (0,)}, "a future"),
    "ListenableFuture": ({"get": (0,)}, "a future"),
    "Thread": ({"join": (0,)}, "a thread"),
    "Process": ({"waitFor": (0,)}, "another process"),
}
# `RingBuffer.next` does not even see an interrupt: it parks for a nanosecond and looks again, for ever (disruptor 3.4 and 4.0).
_DEAF = frozenset({"RingBuffer", "Disruptor", "acquireUninterruptibly"})
_CLOCK = re.compile(r"\bSystem\s*\.\s*(?:nanoTime|currentTimeMillis)\(|\.\s*(?:hasTimeLeft|isOverdue)\(")
_LONG = 500  # milliseconds of sleep that matter
_DELETES = frozenset({"deleteProcessingTimeTimer", "deleteEventTimeTimer"})
_REGISTERS = frozenset({"registerProcessingTimeTimer", "registerEventTimeTimer"})
_LOOPS = frozenset({"for_statement", "enhanced_for_statement", "while_statement", "do_statement"})
_NESTED = frozenset({"lambda_expression", "class_body", "class_declaration"})
_UNIT = re.compile(r"TimeUnit\.(?:DAYS|HOURS|MINUTES|SECONDS|MILLISECONDS)")
# Handlers that miss nothing, or all that a wait for another future throws.
_BROAD = re.compile(r"\b(?:Exception|RuntimeException|Throwable|InterruptedException|ExecutionException)\b")
_ANY = re.compile(r"\b(?:Exception|Throwable)\b")
_QUEUE = names("put take poll offer putLast takeFirst")
# What throws InterruptedException, by type.
_INTERRUPTIBLE = {
    **dict.fromkeys(("BlockingQueue", "BlockingDeque", "ArrayBlockingQueue", "LinkedBlockingQueue", "LinkedBlockingDeque"), _QUEUE),
    **dict.fromkeys(("CountDownLatch", "CyclicBarrier"), names("await")),
    **dict.fromkeys(("Future", "CompletableFuture", "ListenableFuture"), names("get")),
    "Semaphore": names("acquire"),
    "Thread": names("join"),
    "Process": names("waitFor"),
}
_ALL = re.compile(r"\b(?:Exception|RuntimeException|Throwable)\b")
_ONCE = names("open initializeState setup close cancel finish run start main setRuntimeContext")  # what Flink calls once
_STAGES = names("thenAccept thenAcceptAsync thenApply thenApplyAsync thenRun thenRunAsync thenCompose thenComposeAsync")
_BOTH = names("whenComplete whenCompleteAsync handle handleAsync")
_ANSWERS = ("exceptionally", "whenComplete", "handle", "completeExceptionally", "onFailure", "onError", "orTimeout", "completeOnTimeout")


# Calls of clients that wait for an answer: by type, the methods, and the package that the type is of.
_REQUESTS: dict[str, tuple[str, str]] = {
    "HttpClient": ("java.net.http.|org.apache.http|org.apache.hc.", r"send|execute"),
    "CloseableHttpClient": ("org.apache.", r"execute"),
    "RestTemplate": ("org.springframework.", r"(?:get|post|patch)For\w+|exchange|execute|put|delete"),
    "OkHttpClient": ("okhttp3.", r"newCall"),
    "URL": ("java.net.", r"openStream"),
    "HttpURLConnection": ("java.net.", r"getInputStream|getResponseCode"),
    "Statement": ("java.sql.", r"execute\w*"),
    "PreparedStatement": ("java.sql.", r"execute\w*"),
    "CallableStatement": ("java.sql.", r"execute\w*"),
    "MongoCollection": ("com.mongodb.", r"find\w*|insert\w+|update\w+|replace\w+|delete\w+|count\w+|aggregate|bulkWrite"),
    "RestHighLevelClient": ("org.elasticsearch.", r"search|get|index|bulk|update|delete"),
    "ElasticsearchClient": ("co.elastic.", r"search|get|index|bulk|update|delete"),
    **dict.fromkeys(("Jedis", "JedisPooled", "JedisCluster", "UnifiedJedis"), ("redis.clients.", r"(?!close)\w+")),
    **dict.fromkeys(
        ("AmazonS3", "AmazonDynamoDB", "AWSLambda", "AmazonSQS", "AmazonSNS", "AmazonKinesis"), ("com.amazonaws.", r"(?!shutdown)\w+")
    ),
}
# Of the JDK's clients, by type and method: their package, and what a program that gives them a timeout says.
_WITHOUT_TIMEOUT = {
    ("URL", "openConnection"): ("java.net", "setReadTimeout("),
    ("URL", "openStream"): ("java.net", "sun.net.client.defaultReadTimeout"),
    ("HttpClient", "send"): ("java.net.http", ".timeout("),
}
_SERVICE_CLIENT = re.compile(r"(?!\w*Async)\w+Client")  # of the AWS SDK 2
_STUB = re.compile(r"\w+BlockingStub")  # of gRPC

# A class, or a hint of one: what it may hold besides is in its own brackets.
_HINT = re.compile(r"([\w.]+)\.class|new\s+TypeHint\s*<\s*([\w.]+)\s*(?:<.*>)?\s*>\s*\(\)\s*\{\s*\}", re.DOTALL)
# Types that Flink has no serializer for unless it is told more, and their packages.
_GENERIC = {
    **dict.fromkeys(("RowData", "GenericRowData"), "org.apache.flink.table.data"),
    "Row": "org.apache.flink.types",
    **dict.fromkeys(names("Map List Set Collection HashMap LinkedHashMap TreeMap ArrayList LinkedList HashSet"), "java.util"),
    "JsonNode": "com.fasterxml.jackson.databind",
    **dict.fromkeys(names("ObjectNode ArrayNode"), "com.fasterxml.jackson.databind.node"),
    "JSONObject": "org.json com.alibaba.fastjson com.alibaba.fastjson2 org.json.simple net.sf.json",
    **dict.fromkeys(names("JsonObject JsonElement"), "com.google.gson"),
    **dict.fromkeys(names("GenericRecord IndexedRecord"), "org.apache.avro.generic"),
}

_PARSERS = {
    **dict.fromkeys(("ObjectMapper", "JsonMapper", "XmlMapper", "YAMLMapper", "CsvMapper", "ObjectReader"), names("readValue readTree")),
    "Gson": names("fromJson"),
    "class:JSON": names("parseObject parseArray parse"),
    "class:JSONObject": names("parseObject parse"),
    "class:JsonParser": names("parseString"),
}
_FORMATS = names("forRowFormat forBulkFormat")
# Input that ends, and is no connector's.
_ENDING = names("fromCollection fromElements fromData fromParallelCollection fromSequence generateSequence readTextFile")
_APPLIES = names("map flatMap filter process")
_STREAMS = ("", "DataStream", "DataStreamSource", "SingleOutputStreamOperator", "KeyedStream", "BroadcastStream")
_SCHEMAS = re.compile(r"\w*DeserializationSchema")
# Streams of Java's own, and what is no record: the job's own state, a file.
_COLLECTED = re.compile(r"\.(?:parallelS|s)tream\(\)|\bArrays\s*\.\s*stream\(|\b(?:Stream|Optional|IntStream)\s*\.")
_KEPT = re.compile(r"(?i:state)\w*\s*\.\s*(?:value|get)\(|\bnew\s+(?:File|FileReader|FileInputStream)\(|getResource")
_BATCHED = re.compile(r"(?:new\s+)?(?:JdbcExecutionOptions\b|(?:Elasticsearch\d?|Opensearch\d?)Sink(?:Builder|\s*\.\s*Builder)\b)")
_NOT_OF_RECORDS = re.compile(r"Interrupted|RestClient|Timeout|Connect|Socket|Execution")
_TRIES = ("try_statement", "try_with_resources_statement")
# Retry strategies of async operators, by how many numbers they are made with.
_RETRIES = {"FixedDelayRetryStrategyBuilder": 2, "ExponentialBackoffDelayRetryStrategyBuilder": 4}
_DEEP = 3  # calls of the class's own methods that are followed
_STOPS = re.compile(r"\b(?:shutdown|shutdownNow|interrupt|close|join|cancel|stop)\w*\(\)")
# Executors, which method ends one, and what is given one to run on and leaves it alone.
_POOLS = names("ThreadPoolExecutor ScheduledThreadPoolExecutor ForkJoinPool")
_SHUTS = re.compile(r"shutdown|close|stop|terminate")
_RUNS_ON = re.compile(r"supplyAsync|runAsync|delayedExecutor|(?:then|when|handle|exceptionally)\w*Async")
_TWO_INPUTS = re.compile(r"(?:Keyed)?CoProcessFunction|(?:Rich)?Co(?:Flat)?MapFunction")
_STATES = re.compile(r"(?:Value|List|Map|Reducing|Aggregating)StateDescriptor")


def collect(sheet: Sheet) -> None:
    source = sheet.source
    job = next((fact.id for fact in sheet.out.facts if isinstance(fact, Block) and fact.role == "job"), "")

    def add(kind: str, detail: str, node: Node) -> None:
        sheet.out.facts.append(Usage(kind, detail, sheet.out.place(source.span(node)), job))

    for call in source.calls:
        name, owner, given = source.name(call), source.type_of(call.child_by_field_name("object")), source.arguments(call)
        if owner == "class:AsyncDataStream" and len(given) >= 4:
            wait = _millis(sheet, given[2], given[3])
            if wait and wait > 0:
                add("async-timeout", str(wait), given[2])
                _retries(sheet, call, given, wait)
            elif wait is not None:
                sheet.out.oddity("async-timeout-off", name, source.span(given[2]))
        elif name == "socketTextStream" and owner in (ENVIRONMENT, "") and given:
            sheet.out.oddity("socket-source", name, sheet.name_span(call))
        elif name in _FORMATS and owner in ("class:FileSink", "class:StreamingFileSink"):
            add("file-sink", owner[6:], source.name_node(call))
        elif name in _ENDING and owner == ENVIRONMENT:
            add("bounded-input", name, source.name_node(call))
        elif name == "keyBy" and given and given[0].type == "lambda_expression" and owner in _STREAMS:
            body = given[0].child_by_field_name("body")
            if body is not None and isinstance(source.value(body), Known):
                sheet.out.oddity("constant-key", name, sheet.name_span(call))
        elif (
            (name in _PARSERS.get(owner, ()) or (name == "parseFrom" and owner.startswith("class:")))
            and not _of_state(sheet, call)
            and _fails_the_job(sheet, call)
        ):
            add("unguarded-parse", f"flink:{name}", _thrown_on(call) or source.name_node(call))
    for node, named in sorted(_generic(sheet), key=lambda one: one[0].start_byte):
        add("generic-type", named, node)
    for throw in _rethrown(sheet):
        add("unguarded-parse", "flink:deserialize", throw)
    for call in source.named("withBatchSize", "setBulkFlushMaxActions"):
        given = source.arguments(call)
        built = _BATCHED.match(source.written(source.origin(call)))
        if built and given and source.value(given[0]) == Known(1):
            sheet.out.oddity("batch-of-one", source.name(call), source.span(given[0]), "row" if "Jdbc" in built.group() else "document")
    for node, size in _batches(sheet):
        add("rows-waiting", str(size), node)
    lasting = not re.search(r"StateTtlConfig|enableTimeToLive", source.text)
    for node in source.news:
        kind, owned = source.type_of(node), source.class_of(node)
        if _STATES.fullmatch(kind):
            where = node.child_by_field_name("type") or node
            add("keyed-state", kind, where)
            kinds = kinds_of(sheet, node)
            keyed = any(map(OPERATOR.fullmatch, kinds)) and not any("Broadcast" in kind or kind == "CheckpointedFunction" for kind in kinds)
            if lasting and keyed and owned is not None and (grows := _grows(sheet, node, owned, kinds)):
                sheet.out.oddity("state-never-cleared", kind, source.span(where), grows)
    for owned in source.classes if "new Thread(" in source.text else ():
        _threads(sheet, owned)
    looked_at: set[int] = set()
    for method in source.methods:
        body = method.child_by_field_name("body")
        name = source.name(method)
        if body is None or not (name in METHODS or name in ("timeout", "open")):
            continue
        kinds = kinds_of(sheet, method)
        if any(kind.endswith("AsyncFunction") for kind in kinds) and name in ("asyncInvoke", "timeout"):
            _future(sheet, method, body)
        if name in METHODS and any(OPERATOR.fullmatch(kind) for kind in kinds):
            for run in with_helpers(sheet, body, looked_at):
                _waits(sheet, run, name)
                unbounded_request(sheet, run, name)
                if not any("Sink" in kind for kind in kinds):
                    _request(sheet, run, name)
            if name == "onTimer":
                _timers(sheet, method, body)
        elif name == "open" and any(kind.startswith("Rich") or kind.endswith("ProcessFunction") for kind in kinds):
            _workers(sheet, method, body)


def kinds_of(sheet: Sheet, inside: Node, home: str = "org.apache.flink.") -> list[str]:
    """What the class around a method or a node extends and implements, by simple names: Flink's alone, as far as imports say whose they are.

    `home`: the package, for those of another library.
    """
    source = sheet.source
    owner = source.class_of(inside)
    if owner is None:
        return []
    if owner.type == "object_creation_expression":
        named = [source.type_of(owner)]
    else:
        named = []
        for field in ("superclass", "interfaces"):
            part = owner.child_by_field_name(field)
            named += (
                re.findall(r"([A-Z]\w*)(?=\s*(?:<|,|\{|$))", re.sub(r"<.*>", "", source.written(part), flags=re.DOTALL)) if part else []
            )
    return [name for name in named if source.imports.get(name, home).startswith(home)]


def _generic(sheet: Sheet) -> Iterator[tuple[Node, str]]:
    """Types that are given to Flink by a class or hint from which it cannot tell what they hold, so that Kryo serializes them."""
    source = sheet.source
    for call in (*source.calls, *source.news):
        made, given = call.type == "object_creation_expression", source.arguments(call)
        kind = source.type_of(call) if made else source.type_of(call.child_by_field_name("object"))
        name = "" if made else source.name(call)
        if given and ((made and kind == "GenericTypeInfo") or (kind == "class:Types" and name == "GENERIC")):
            where = call.child_by_field_name("type") if made else source.name_node(call)
            yield where or call, source.written(given[0]).removesuffix(".class")
        elif (
            (kind == "class:TypeInformation" and name == "of")
            or (name == "returns" and len(given) == 1)
            or (made and _STATES.fullmatch(kind))
        ):
            for node in given:
                found = _HINT.fullmatch(source.written(node))
                if found and _kryo(sheet, found.group(1) or found.group(2)):
                    yield node, found.group(1) or found.group(2)


def _kryo(sheet: Sheet, name: str) -> bool:
    """Whether Flink surely has no serializer for a type."""
    source = sheet.source
    full = source.imports.get(name.rpartition(".")[2], name if "." in name else "")
    if name == "Object":
        return not full
    homes = _GENERIC.get(name.rpartition(".")[2], "")
    packages = [full.rpartition(".")[0]] if full else source.starred
    return bool(homes) and any(one in homes.split() for one in packages)


def _grows(sheet: Sheet, descriptor: Node, owned: Node, kinds: list[str]) -> str:
    """Why the state of a descriptor may stay for ever; empty where it may not, or where that cannot be told."""
    source = sheet.source
    text = source.written(owned)
    if not re.search(r"\.(?:clear|remove)\(", text):
        return "is kept for every key that ever came: it has no time-to-live, and the class never clears it"
    name = _state_name(sheet, descriptor)
    if not name or re.search(r"register\w*Timer\(", text) or name in source.handed:
        return ""
    used = [
        call
        for call in source.within(owned)
        if source.written(call.child_by_field_name("object")).removeprefix("this.") == name and source.class_of(call) == owned
    ]
    clears = [call for call in used if source.name(call) in ("clear", "remove")]
    fills = [call for call in used if source.name(call) in ("add", "addAll", "put", "putAll", "update")]
    clearing, filling = ({source.name(method) for call in calls if (method := source.method_of(call))} for calls in (clears, fills))
    if any(_TWO_INPUTS.fullmatch(kind) for kind in kinds):
        apart = len(clearing) == len(filling) == 1 and clearing != filling and clearing | filling <= METHODS
        waits = "waits for ever where no record of the other input comes: it has no time-to-live, and the class has no timer"
        return waits if apart else ""
    once = clearing == filling and len(filling) == 1 and filling <= METHODS
    added = any(source.name(call) == "add" and not source.conditional(call) for call in fills)
    if once and added and source.type_of(descriptor) == "ListStateDescriptor" and all(map(source.conditional, clears)):
        return "is kept for every key that never meets the condition under which the class clears it: it has no time-to-live, and the class has no timer"
    return ""


def _state_name(sheet: Sheet, descriptor: Node) -> str:
    """What the state of a descriptor is called in its class."""
    source = sheet.source
    for call in source.named("getState", "getListState", "getMapState", "getReducingState", "getAggregatingState"):
        if any(same(source.origin(given), descriptor) for given in source.arguments(call)[:1]) and call.parent is not None:
            kept = call.parent.child_by_field_name("left") or call.parent.child_by_field_name("name")
            return source.written(kept).removeprefix("this.")
    return ""


def _batches(sheet: Sheet) -> Iterator[tuple[Node, int]]:
    """How many rows or documents a sink collects that no interval writes, and where that is said.

    By default there is no interval: of JDBC's 5000 rows, and of the 1000 documents of Elasticsearch's and OpenSearch's sinks.
    """
    source = sheet.source
    for made in (*source.named("builder"), *source.news):
        built = _BATCHED.match(source.written(made))
        if built is None:
            continue
        jdbc = "Jdbc" in built.group()
        sizes, intervals = ("withBatchSize", "withBatchIntervalMs") if jdbc else ("setBulkFlushMaxActions", "setBulkFlushInterval")
        calls = [call for call in source.named(sizes, intervals) if same(source.origin(call), made)]
        given = {source.name(call): (call, source.arguments(call)) for call in calls}
        interval = source.value(given[intervals][1][0]) if intervals in given else Known(0)
        call, arguments = given.get(sizes, (made, []))
        size = source.value(arguments[0]) if arguments else Known(5000 if jdbc else 1000)
        if interval == Known(0) and isinstance(size, Known) and isinstance(size.value, int) and size.value > 1:
            yield source.name_node(call) if arguments else made, size.value
    for call in source.named("sink"):
        if source.type_of(call.child_by_field_name("object")) == "class:JdbcSink" and len(source.arguments(call)) == 3:
            yield source.name_node(call), 5000


# -- futures of async operators


def _future(sheet: Sheet, method: Node, body: Node) -> None:
    """Paths through `asyncInvoke` or `timeout` on which nothing is done with the result's future."""
    source = sheet.source
    name = source.name(method)
    parameters = method.child_by_field_name("parameters")
    found = parameters.named_children[-1] if parameters is not None and parameters.named_children else None
    future = source.written(found.child_by_field_name("name")) if found is not None else ""
    if not future or len(parameters.named_children if parameters else ()) != 2:
        return
    mention = re.compile(rf"\b{re.escape(future)}\b")
    statements = _statements(body)

    def mentions(node: Node) -> bool:
        return bool(mention.search(source.written(node)))

    if not mentions(body):
        if not any(_ends(node) for node in statements) and f"super.{name}" not in source.written(body):
            sheet.out.oddity("future-not-completed", name, sheet.name_span(method), "is never completed")
        return
    for node in own_nodes(body, "return_statement"):
        if not any(mentions(before) for before in _before(node, body)):
            sheet.out.oddity("future-not-completed", name, source.span(node), "is not completed before this return")
    for block, known in ((statements, set[str]()), *_callbacks(sheet, body, future)):
        if (left := _left_open(sheet, block, known, mentions)) is not None:
            sheet.out.oddity("future-not-completed", name, source.span(left), "is not completed when this is false")
    for node in own_nodes(body, "catch_clause"):
        attempt = node.parent
        inner = node.child_by_field_name("body")
        if attempt is None or inner is None or mentions(inner) or any(own_nodes(inner, "throw_statement")):
            continue
        if mentions(attempt) and not any(mentions(after) for after in following(attempt, body)):
            sheet.out.oddity("future-not-completed", name, source.span(node.children[0]), "is not completed when this catches an exception")
    _handed_over(sheet, body, future)
    for call in source.within(body):
        given = source.arguments(call) if source.name(call) in _STAGES else []
        if not given or not mentions(given[0]) or any(answer in source.written(given[0]) for answer in ("completeExceptionally", "catch")):
            continue
        before = call.child_by_field_name("object")
        if before is not None and any(_ALL.search(source.written(node.named_children[0])) for node in below(before, "catch_clause")):
            continue  # what comes before answers for its own failures
        # a handler of another future, inside of what the stage runs, hears nothing when an earlier stage fails or this one throws before it
        if not any(answer in _around(sheet, body, given[0]) for answer in _ANSWERS):
            sheet.out.oddity("future-failure-unseen", name, sheet.name_span(call))
            break


def _callbacks(sheet: Sheet, body: Node, future: str) -> Iterator[tuple[list[Node], set[str]]]:
    """The statements of lambdas that are given to other futures and alone complete this one, with the name of the failure that they are told of."""
    source = sheet.source
    for call in source.within(body):
        work = next(iter(source.arguments(call)), None) if source.name(call) in (*_STAGES, *_BOTH) else None
        inner = work.child_by_field_name("body") if work is not None and work.type == "lambda_expression" else None
        if work is None or inner is None or inner.type != "block" or not on_task_thread(call, body):
            continue
        if not re.search(rf"\b{re.escape(future)}\b(?!\s*\.\s*completeExceptionally\b)", _around(sheet, body, work)):
            told = re.findall(r"\w+", source.written(work.child_by_field_name("parameters")))[-1:]
            yield _statements(inner), set(told if source.name(call) in _BOTH else ())


def _statements(body: Node) -> list[Node]:
    return [node for node in body.named_children if not node.type.endswith("comment")]


def _left_open(sheet: Sheet, statements: list[Node], known: set[str], mentions: Callable[[Node], bool]) -> Node | None:
    """The condition of the last `if` of a block that does anything with the future, where nothing is done with it when that is false.

    An `if` before it that deals with the future and leaves the block is another path; what it asks of is settled by then, as `known` is.
    """
    asked, last = set(known), None
    for node in statements:
        if node.type == "throw_statement":
            return None
        if not mentions(node):
            continue
        ways = _ways(node)
        if not ways or (last is not None and not all(map(_leaves, _ways(last).values()))):
            return None
        if any(mentions(condition) or not mentions(work) for condition, work in ways.items()):
            return None
        *before, condition = ([*_ways(last)] if last is not None else []) + [*ways]
        asked.update(name for one in before for name in _asks(sheet, one))
        last = node
    return condition if last is not None and not _asks(sheet, condition) <= asked else None


def _ways(node: Node) -> dict[Node, Node]:
    """The conditions of an `if` that has no last `else`, with what is done when they hold; none for any other statement."""
    found: dict[Node, Node] = {}
    at: Node | None = node
    while at is not None:
        condition, work = at.child_by_field_name("condition"), at.child_by_field_name("consequence")
        if at.type != "if_statement" or condition is None or work is None:
            return {}
        found[condition] = work
        at = at.child_by_field_name("alternative")
    return found


def _leaves(work: Node) -> bool:
    """Whether a branch ends by leaving the method."""
    statements = _statements(work) if work.type == "block" else [work]
    return bool(statements) and statements[-1].type in ("return_statement", "throw_statement")


def _asks(sheet: Sheet, condition: Node) -> set[str]:
    return {sheet.source.written(node) for node in below(condition, "identifier")}


def _around(sheet: Sheet, body: Node, work: Node) -> str:
    """The text of a body without that of a part of it."""
    text = sheet.source.text
    return text[body.start_byte : work.start_byte] + text[work.end_byte : body.end_byte]


def _handed_over(sheet: Sheet, body: Node, future: str) -> None:
    """Lambdas given to other threads that complete the future, where an exception that is not expected reaches nobody."""
    source = sheet.source
    for call in source.within(body):
        given = source.arguments(call) if source.name(call) in ("submit", "execute", "runAsync") else []
        if not given or given[0].type != "lambda_expression":
            continue
        work = given[0]
        inner = work.child_by_field_name("body")
        completes = [
            done
            for done in source.within(work)
            if source.name(done) == "complete" and source.written(done.child_by_field_name("object")) == future and _lambda_of(done) == work
        ]
        if inner is None or not completes or any(answer in _around(sheet, body, work) for answer in _ANSWERS):
            continue
        mention = re.compile(rf"\b{re.escape(future)}\b")
        catches = [node for node in below(inner, "catch_clause") if mention.search(source.written(node))]
        broad = any(_BROAD.search(source.written(node.named_children[0])) for node in catches)
        if not broad and not any(mention.search(source.written(node)) for node in below(inner, "finally_clause")):
            span = source.span(catches[-1].children[0]) if catches else sheet.name_span(call)
            sheet.out.oddity("future-failure-unseen", "asyncInvoke", span)


def _lambda_of(node: Node) -> Node | None:
    at = node.parent
    while at is not None and at.type not in _NESTED:
        at = at.parent
    return at


def own_nodes(body: Node, kind: str) -> Iterator[Node]:
    """The nodes of a type that belong to a method itself: not those of lambdas and classes in it."""
    for node in below(body, kind):
        at = node.parent
        while at is not None and at != body and at.type not in _NESTED:
            at = at.parent
        if at == body:
            yield node


def _before(node: Node, body: Node) -> Iterator[Node]:
    """What surely or possibly ran before a statement: those before it in each block around it, and the heads of what it stands in."""
    at = node
    while at != body and at.parent is not None:
        parent = at.parent
        if parent.type in ("block", "switch_block_statement_group", "try_statement", "try_with_resources_statement", "catch_clause"):
            yield from (child for child in parent.named_children if child.end_byte <= at.start_byte)
        elif (head := parent.child_by_field_name("condition")) is not None and head != at:
            yield head
        at = parent


def following(node: Node, body: Node) -> Iterator[Node]:
    """What runs after a statement, and its `finally`."""
    yield from (child for child in node.children if child.type == "finally_clause")
    at = node
    while at != body and at.parent is not None:
        if at.parent.type == "block":
            yield from (child for child in at.parent.named_children if child.start_byte >= at.end_byte)
        at = at.parent


def _ends(node: Node) -> bool:
    return node.type == "throw_statement"


# -- waits


def _waits(sheet: Sheet, body: Node, method: str) -> None:
    source = sheet.source
    for call in source.within(body):
        if not on_task_thread(call, body):
            continue
        name, given = source.name(call), source.arguments(call)
        owner = call.child_by_field_name("object")
        kind = source.type_of(owner)
        if kind == "class:Thread" and name == "sleep" and given:
            _sleep(sheet, call, given[0], method)
            continue
        if name == "sleep" and given and owner is not None and _UNIT.fullmatch(source.written(owner)):
            _sleep(sheet, call, given[0], method, source.unit(owner))
            continue
        methods, what = _WAITS.get(kind, ({}, ""))
        if name in methods and len(given) in methods[name]:
            deaf = " and takes no notice of an interrupt" if kind in _DEAF or name in _DEAF else ""
            sheet.out.oddity("endless-wait", f"{kind}.{name}", sheet.name_span(call), f"{what} without a timeout{deaf}")
    for clause in own_nodes(body, "catch_clause"):
        how, loop = swallows_interrupt(sheet, clause), loop_around(clause, body)
        if loop is not None and how and (how == "named" or _tries_for_ever(sheet, loop, clause)):
            sheet.out.oddity("interrupt-swallowed", method, source.span(clause.children[0]))


def swallows_interrupt(sheet: Sheet, clause: Node) -> str:
    """Whether a handler catches an interrupt and does as if there had been none: `named` or, with all other exceptions, `broad`; else empty."""
    source, attempt, inner = sheet.source, clause.parent, clause.child_by_field_name("body")
    guarded = attempt.child_by_field_name("body") if attempt is not None else None
    if attempt is None or inner is None or guarded is None or not clause.named_children:
        return ""
    text = source.written(inner)
    if "interrupt()" in text or re.search(r"\b(?:throw|return|break)\b", text):
        return ""
    if "InterruptedException" in source.written(clause.named_children[0]):
        return "named"
    before = [child for child in attempt.children if child.type == "catch_clause" and child.start_byte < clause.start_byte]
    caught = any("Interrupted" in source.written(child.named_children[0]) for child in before)
    return "broad" if not caught and _ANY.search(source.written(clause.named_children[0])) and _interruptible(sheet, guarded) else ""


def _interruptible(sheet: Sheet, guarded: Node) -> bool:
    """Whether a block itself waits by something that throws InterruptedException."""
    source = sheet.source
    for call in source.within(guarded):
        kind, name = source.type_of(call.child_by_field_name("object")), source.name(call)
        known = name in _INTERRUPTIBLE.get(kind, ()) or (kind == "class:Thread" and name == "sleep")
        if (
            known
            and source.arguments(call)[2:] == []
            and not any(True for _ in _tries_around(call, guarded))
            and on_task_thread(call, guarded)
        ):
            return True
    return False


def _tries_around(node: Node, body: Node) -> Iterator[Node]:
    at = node.parent
    while at is not None and at != body:
        if at.type in _TRIES:
            yield at
        at = at.parent


def _tries_for_ever(sheet: Sheet, loop: Node, clause: Node) -> bool:
    """Whether a loop goes on after a handler for as long as it takes: it is none that counts."""
    head = sheet.source.text[loop.start_byte : loop.child_by_field_name("body").start_byte]  # type: ignore[union-attr]
    counts = loop.type in ("for_statement", "enhanced_for_statement") or re.search(r"(?i)attempt|retr|tries|[<>]", head)
    return not counts and "++" not in sheet.source.written(clause)


def _request(sheet: Sheet, body: Node, method: str) -> None:
    """The first call of a body that waits for an answer over the network."""
    source = sheet.source
    for call in source.within(body):
        owner, name = call.child_by_field_name("object"), source.name(call)
        kind = source.type_of(owner)
        home = source.imports.get(kind, "")
        homes, names_ = _REQUESTS.get(kind, ("", ""))
        asks = bool(names_) and re.fullmatch(names_, name) and home.startswith(tuple(homes.split("|")))
        asks = asks or (
            _SERVICE_CLIENT.fullmatch(kind) and home.startswith("software.amazon.awssdk.services.") and name not in ("close", "serviceName")
        )
        asks = asks or (_STUB.fullmatch(kind) and not name.startswith("with"))
        if asks and on_task_thread(call, body):
            blocks = "async-blocked" if method == "asyncInvoke" else "request"
            sheet.out.oddity(blocks, method, sheet.name_span(call), f"{source.written(owner)}.{name}")
            return


def unbounded_request(sheet: Sheet, body: Node, method: str, said: str = "request-unbounded") -> None:
    """The first request of a body that waits for as long as the other side is silent: the JDK's clients have no timeout unless they are given one."""
    source = sheet.source
    for call in source.within(body):
        kind, name = source.type_of(call.child_by_field_name("object")), source.name(call)
        package, timeout = _WITHOUT_TIMEOUT.get((kind, name), ("", ""))
        home = source.imports.get(kind, "").rpartition(".")[0]
        known = package and (home == package or (not home and package in source.starred))
        if known and timeout not in source.text and on_task_thread(call, body):
            sheet.out.oddity(said, method, sheet.name_span(call), f"{kind}.{name}")
            return


def with_helpers(sheet: Sheet, body: Node, looked_at: set[int]) -> Iterator[Node]:
    """A body and those of the class's own methods that it calls itself, directly or through another; without the ones in `looked_at` (where a
    body begins), to which they are added."""
    waiting = [body]
    while waiting:
        run = waiting.pop(0)
        if run.start_byte not in looked_at:
            looked_at.add(run.start_byte)
            yield run
            waiting += _helpers(sheet, run)


def _helpers(sheet: Sheet, body: Node) -> Iterator[Node]:
    """The bodies of the class's own methods that a method of an operator calls itself."""
    source = sheet.source
    for call in source.within(body):
        if source.written(call.child_by_field_name("object")) not in ("", "this") or not on_task_thread(call, body):
            continue
        method = source.method_called(call)
        inner = method.child_by_field_name("body") if method is not None else None
        if inner is not None and source.name(call) not in METHODS and source.class_of(inner) == source.class_of(body):
            yield inner


def _sleep(sheet: Sheet, call: Node, node: Node, method: str, unit: int = 1) -> None:
    ways = options(sheet.source.value(node))
    # a `flush` that looks again and again whether everything is written does what a checkpoint waits for
    again = method != "flush" and (loop := loop_around(call, None)) is not None and not _until(sheet, loop)
    for way in ways:
        if isinstance(way, Known) and isinstance(way.value, int):
            way = way._replace(value=way.value * unit)
        if isinstance(way, (Known, Millis)) and isinstance(way.value, (int, float)) and (way.value >= _LONG or again):
            sheet.out.oddity("sleep", method, sheet.name_span(call), f"{int(way.value):,} ms")
            return
    if method != "flush" and UNKNOWN in ways:
        sheet.out.oddity("sleep-unknown", method, sheet.name_span(call), sheet.source.written(node))


def _until(sheet: Sheet, loop: Node) -> bool:
    """Whether a loop looks at the clock to see when to give up: in its condition, or in that of an `if` that leaves it."""
    asked = [loop.child_by_field_name("condition")]
    for node in below(loop, "if_statement"):
        work = node.child_by_field_name("consequence")
        if work is not None and (_leaves(work) or any(below(work, "break_statement"))):
            asked.append(node.child_by_field_name("condition"))
    return any(_CLOCK.search(sheet.source.written(condition)) for condition in asked)


def on_task_thread(call: Node, body: Node) -> bool:
    """Whether a call runs where the method does: not in a lambda or class that something else may run."""
    at = call.parent
    while at is not None and at != body:
        if at.type in _NESTED:
            return False
        at = at.parent
    return True


def loop_around(node: Node, body: Node | None) -> Node | None:
    at = node.parent
    while at is not None and at != body and at.type not in ("method_declaration", *_NESTED):
        if at.type in _LOOPS:
            return at
        at = at.parent
    return None


# -- timers


def _timers(sheet: Sheet, method: Node, body: Node) -> None:
    """Timers that `onTimer` deletes in a loop, or that came after the one that fires."""
    for call in sheet.source.within(body):
        if sheet.source.name(call) not in _DELETES:
            continue
        if loop_around(call, body):
            sheet.out.oddity("timers-deleted", sheet.source.name(call), sheet.name_span(call), "in a loop")
        elif _later(sheet, method, call):
            sheet.out.oddity("timers-deleted", sheet.source.name(call), sheet.name_span(call), "with the time that the last record kept")


def _later(sheet: Sheet, method: Node, call: Node) -> bool:
    """Whether a deleted timer is the one of the last record: its time is kept in a state that each record overwrites and for which each record
    registers a timer, while none of the earlier ones is deleted. To delete the one that fires does nothing."""
    source, owner = sheet.source, sheet.source.class_of(call)
    given, parameters = next(iter(source.arguments(call)), None), method.child_by_field_name("parameters")
    if given is not None and given.type == "identifier" and (declared := source.declaration(source.written(given), given)) is not None:
        given = source.given(declared)
    if given is None or given.type != "method_invocation" or source.name(given) != "value" or owner is None or parameters is None:
        return False
    state = source.written(given.child_by_field_name("object")).removeprefix("this.")
    fired = source.written(parameters.named_children[0].child_by_field_name("name")) if parameters.named_children else ""
    asked = [condition for node in below(method, "if_statement") if (condition := node.child_by_field_name("condition")) is not None]
    mine = [other for other in source.within(owner) if source.class_of(other) == owner and source.method_of(other) != method]
    if any(source.name(other) in _DELETES for other in mine) or any(fired in _asks(sheet, condition) for condition in asked):
        return False
    registered = {source.written(source.arguments(other)[0]) for other in mine if _each(sheet, other, _REGISTERS)}
    kept = {
        source.written(source.arguments(other)[0])
        for other in mine
        if _each(sheet, other, frozenset({"update"})) and source.written(other.child_by_field_name("object")).removeprefix("this.") == state
    }
    return bool(registered & kept)


def _each(sheet: Sheet, call: Node, called: frozenset[str]) -> bool:
    """Whether a call of such a name is made for every record."""
    source, method = sheet.source, sheet.source.method_of(call)
    ours = method is not None and source.name(method).startswith("processElement")
    early = method is not None and any(node.start_byte < call.start_byte for node in below(method, "return_statement"))
    return ours and not early and source.name(call) in called and len(source.arguments(call)) == 1 and not source.conditional(call)


# -- workers


def _workers(sheet: Sheet, method: Node, body: Node) -> None:
    """Threads and executors that `open` starts and that nothing stops."""
    source = sheet.source
    owner = source.class_of(method)
    if owner is None:
        return
    stops = _STOPS.search(source.written(owner)) is not None
    for call in source.within(body):
        kind = source.type_of(call.child_by_field_name("object"))
        pool = kind == "class:Executors" and source.name(call).startswith("new")
        if (pool or (kind == "Thread" and source.name(call) == "start")) and (not stops or (pool and _left_running(sheet, owner, call))):
            sheet.out.oddity("worker-not-stopped", f"{kind.removeprefix('class:')}.{source.name(call)}", sheet.name_span(call))
    for made in source.news:
        kind = source.type_of(made)
        inside = body.start_byte <= made.start_byte < body.end_byte and on_task_thread(made, body)
        known = kind in _POOLS and source.imports.get(kind, "java.util.concurrent.").startswith("java.util.concurrent.")
        if inside and known and (not stops or _left_running(sheet, owner, made)):
            sheet.out.oddity("worker-not-stopped", kind, source.span(made.child_by_field_name("type") or made))


def _left_running(sheet: Sheet, owner: Node, made: Node) -> bool:
    """Whether an executor has a name by which nothing in the file stops it, and that is given to nobody who may."""
    source = sheet.source
    name = source.kept_as(made)
    if not name or "abstract" in source.written(owner.children[0]).split():
        return False
    calls = [call for call in source.calls if source.written(call.child_by_field_name("object")).removeprefix("this.") == name]
    handed = [call for spelt in (name, f"this.{name}") for call, _ in source.handed.get(spelt, ())]
    named = re.escape(name)
    return (
        not any(_SHUTS.match(source.name(call)) for call in calls)
        and all(call.type == "method_invocation" and _RUNS_ON.fullmatch(source.name(call)) for call in handed)
        and not re.search(rf"(?:[=?:]|\breturn)\s*(?:this\s*\.\s*)?{named}\s*[;,:)]|\b{named}\s*::", source.text)
    )


def _threads(sheet: Sheet, owner: Node) -> None:
    """Threads that a class starts while records come, of which it interrupts and joins none."""
    source = sheet.source
    body = owner.child_by_field_name("body")
    kinds = kinds_of(sheet, body.named_children[0]) if body is not None and body.named_children else []
    if body is None or not any(map(OPERATOR.fullmatch, kinds)) or re.search(r"\.(?:interrupt|join)\(\)", source.written(body)):
        return
    for node in source.news:
        method = source.method_of(node)
        if source.type_of(node) != "Thread" or source.class_of(node) != owner or method is None or method.type != "method_declaration":
            continue
        if source.name(method) in _ONCE or not _started(sheet, node, method):
            continue
        sheet.out.oddity("thread-per-record", source.name(method), source.span(node.child_by_field_name("type") or node))


def _started(sheet: Sheet, made: Node, method: Node) -> bool:
    """Whether a thread is started where it is made, or by its name in the same method."""
    source, holder = sheet.source, made.parent
    if holder is not None and holder.type == "method_invocation":
        return source.name(holder) == "start"
    name = source.written(holder.child_by_field_name("name")) if holder is not None and holder.type == "variable_declarator" else ""
    return bool(name) and any(
        source.name(call) == "start" and source.written(call.child_by_field_name("object")) == name for call in source.within(method)
    )


# -- records


def _fails_the_job(sheet: Sheet, call: Node, level: int = 0) -> bool:
    """Whether an exception of a call reaches Flink: it stands in an operator, in a lambda that is one, or in a method that one of these calls,
    and nothing around it catches. A handler that always throws on catches nothing."""
    source = sheet.source
    at, inside = call.parent, call
    while at is not None:
        if at.type in _TRIES and at.child_by_field_name("body") == inside and not all(map(_throws_on, at.children)):
            return False
        if at.type == "lambda_expression":
            return bool(applied(sheet, at))
        if at.type == "method_declaration":
            name, kinds = source.name(at), kinds_of(sheet, at)
            if name == "deserialize" and any(_SCHEMAS.fullmatch(kind) for kind in kinds):
                return True
            if name in METHODS and any(OPERATOR.fullmatch(kind) for kind in kinds):
                return True
            callers = [other for other in source.named(name) if source.method_called(other) == at] if level < _DEEP else []
            return any(_fails_the_job(sheet, other, level + 1) for other in callers)
        inside = at
        at = at.parent
    return False


def _rethrown(sheet: Sheet) -> Iterator[Node]:
    """What handlers in a `deserialize` throw that catch what a record brings about, whatever reads it."""
    for clause in handlers_of_schemas(sheet):
        throws, caught = _thrown(clause), sheet.source.written(clause.named_children[0])
        if throws is not None and _throws_on(clause) and not _NOT_OF_RECORDS.search(caught):
            yield throws


def handlers_of_schemas(sheet: Sheet) -> Iterator[Node]:
    """The handlers in a `deserialize` around something that is done with the record."""
    source = sheet.source
    for method in source.methods if "DeserializationSchema" in source.text else ():
        body, parameters = method.child_by_field_name("body"), method.child_by_field_name("parameters")
        if (
            body is None
            or parameters is None
            or source.name(method) != "deserialize"
            or not any(map(_SCHEMAS.fullmatch, kinds_of(sheet, method)))
        ):
            continue
        record = next((source.written(node.child_by_field_name("name")) for node in parameters.named_children), "")
        for clause in own_nodes(body, "catch_clause"):
            guarded = clause.parent.child_by_field_name("body") if clause.parent is not None else None
            if record and re.search(rf"\b{re.escape(record)}\b", source.written(guarded)):
                yield clause


def _thrown_on(call: Node) -> Node | None:
    """Where the handler around a call throws on, which is what to change; None where there is none."""
    at = call.parent
    while at is not None and at.type not in ("method_declaration", *_TRIES):
        at = at.parent
    clause = next((child for child in at.children if child.type == "catch_clause"), None) if at is not None else None
    return _thrown(clause) if clause is not None else None


def _thrown(clause: Node) -> Node | None:
    """The word with which a handler's last statement begins."""
    body = clause.child_by_field_name("body")
    last = body.named_children[-1] if body is not None and body.named_children else None
    return next(iter(last.children), None) if last is not None else None


def _throws_on(child: Node) -> bool:
    """Whether a part of a `try` is no handler, or one that ends by throwing."""
    body = child.child_by_field_name("body") if child.type == "catch_clause" else None
    return child.type != "catch_clause" or (
        body is not None
        and bool(body.named_children)
        and body.named_children[-1].type == "throw_statement"
        and not any(own_nodes(body, "return_statement"))
    )


def applied(sheet: Sheet, work: Node) -> str:
    """The method by which a stream applies a lambda to its records; empty where it is something else."""
    source, at = sheet.source, work.parent
    while at is not None and at.type in ("cast_expression", "parenthesized_expression"):
        at = at.parent
    given = at.parent if at is not None and at.type == "argument_list" else None
    if given is None or source.name(given) not in _APPLIES:
        return ""
    stream = given.child_by_field_name("object")
    ours = source.type_of(stream) in _STREAMS and not _COLLECTED.search(source.written(stream))
    return source.name(given) if ours else ""


def _of_state(sheet: Sheet, call: Node) -> bool:
    """Whether a call is given what the job itself kept in its state, or a file."""
    source, given = sheet.source, sheet.source.arguments(call)[:1]
    for node in given:
        if node.type == "identifier" and (declared := source.declaration(source.written(node), node)) is not None:
            node = source.given(declared) or given[0]
        if _KEPT.search(source.written(node)):
            return True
    return False


def _millis(sheet: Sheet, node: Node, unit: Node) -> int | None:
    """A length of time that a number and a `TimeUnit` say, in milliseconds; None when it is not known."""
    value, length = sheet.source.value(node), sheet.source.unit(unit)
    return int(value.value * length) if length and isinstance(value, Known) and isinstance(value.value, (int, float)) else None


def _retries(sheet: Sheet, call: Node, given: list[Node], wait: int) -> None:
    """A retry strategy whose pauses alone last as long as the timeout of the operator, which covers all attempts together."""
    source = sheet.source
    made = source.origin(given[-1]) if source.name(call).endswith("WithRetry") else None
    if made is None or source.type_of(made) not in _RETRIES:
        return
    values = [source.value(node) for node in source.arguments(made)]
    numbers = [float(value.value) for value in values if isinstance(value, Known) and isinstance(value.value, (int, float))]
    if len(numbers) != len(values) or len(numbers) != _RETRIES[source.type_of(made)] or min(numbers) <= 0:
        return
    pauses = retry_pauses(*numbers)
    if pauses >= wait:
        place = sheet.out.place(source.span(given[2]))._replace(role="related", label="the timeout")
        where = source.span(made.child_by_field_name("type") or made)
        sheet.out.oddity("retries-outlast", f"{pauses / 1000:g} s", where, f"{wait / 1000:g} s", related=(place,))
