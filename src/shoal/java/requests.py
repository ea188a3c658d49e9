"""Requests that an operator waits for: calls of clients that answer over the network, and those that may take for ever."""

from __future__ import annotations

import re

from tree_sitter import Node

from shoal.java.clients import MODELS
from shoal.java.functions import of_elements, on_task_thread, with_helpers
from shoal.java.sheet import Sheet
from shoal.java.source import begins, chained
from shoal.lazy import pattern

# Calls of clients that wait for an answer: by type, the methods, and the package that the type is of.
_REQUESTS: dict[str, tuple[str, str]] = {
    "HttpClient": ("java.net.http.|org.apache.http|org.apache.hc.", r"send|execute"),
    "CloseableHttpClient": ("org.apache.", r"execute"),
    "RestTemplate": ("org.springframework.", r"(?:get|post|patch)For\w+|exchange|execute|put|delete"),
    "OkHttpClient": ("okhttp3.", r"newCall"),  # where `execute()` follows: `enqueue()` is given what to do with the answer
    "Call": ("okhttp3.", r"execute"),
    **dict.fromkeys(("ChatModel", "ChatLanguageModel"), ("dev.langchain4j.model.chat.", r"chat|generate")),
    "URL": ("java.net.", r"openStream"),
    "HttpURLConnection": ("java.net.", r"getInputStream|getResponseCode"),
    "Statement": ("java.sql.", r"execute\w*"),
    "PreparedStatement": ("java.sql.", r"execute\w*"),
    "CallableStatement": ("java.sql.", r"execute\w*"),
    "MongoCollection": ("com.mongodb.", r"find\w*|insert\w+|update\w+|replace\w+|delete\w+|count\w+|aggregate|bulkWrite"),
    "RestHighLevelClient": ("org.elasticsearch.", r"search|get|index|bulk|update|delete"),
    "ElasticsearchClient": ("co.elastic.", r"search|get|index|bulk|update|delete"),
    "CqlSession": ("com.datastax.", r"execute|prepare"),
    "Session": ("com.datastax.driver.core.|org.neo4j.driver.", r"execute|prepare|run|executeRead|executeWrite"),
    "JdbcTemplate": ("org.springframework.jdbc.", r"query\w*|update|batchUpdate|execute"),
    "Table": ("org.apache.hadoop.hbase.client.", r"get|put|exists|delete|getScanner|batch|increment|append"),
    "RedisCommands": ("io.lettuce.core.api.sync.", r"\w+"),
    **dict.fromkeys(("Jedis", "JedisPooled", "JedisCluster", "UnifiedJedis"), ("redis.clients.", r"(?!close)\w+")),
    **dict.fromkeys(
        ("AmazonS3", "AmazonDynamoDB", "AWSLambda", "AmazonSQS", "AmazonSNS", "AmazonKinesis"), ("com.amazonaws.", r"(?!shutdown)\w+")
    ),
}
# Of clients that wait for ever unless they are told otherwise, by type and method: their packages, what a program that gives them a timeout says, and
# how it makes one with nothing but its defaults, where that does not go without saying.
_DEFAULTS = pattern(r"\bHttpClients\s*\.\s*createDefault\(|\bHttpClientBuilder\s*\.\s*create\(\s*\)\s*\.\s*build\(")
_WITHOUT_TIMEOUT: dict[tuple[str, str], tuple[tuple[str, ...], str, re.Pattern[str] | None]] = {
    ("URL", "openConnection"): (("java.net",), "setReadTimeout(", None),
    ("URL", "openStream"): (("java.net",), "sun.net.client.defaultReadTimeout", None),
    ("HttpClient", "send"): (("java.net.http",), ".timeout(", None),
    ("HttpClient", "execute"): (("org.apache.http.client", "org.apache.hc.client5.http.classic"), "imeout(", _DEFAULTS),
    ("CloseableHttpClient", "execute"): (
        ("org.apache.http.impl.client", "org.apache.hc.client5.http.impl.classic"),
        "imeout(",
        _DEFAULTS,
    ),
}
_SERVICE_CLIENT = pattern(r"(?!\w*Async)\w+Client")  # of the AWS SDK 2
_STUB = pattern(r"\w+BlockingStub")  # of gRPC
# Clients of models, whose services are asked for by methods of theirs: `client.chat().completions().create()`.
_MODELS = {f"{maker}Client": home for maker, home in MODELS.items()}


def first_request(sheet: Sheet, body: Node, method: str) -> None:
    """The first call of a body that waits for an answer over the network."""
    source = sheet.source
    for call in source.within(body):
        if waits(sheet, call) and on_task_thread(call, body):
            blocks = "async-blocked" if method == "asyncInvoke" else "request"
            owner, name = call.child_by_field_name("object"), source.name(call)
            sheet.out.oddity(blocks, method, sheet.name_span(call), f"{source.written(owner)}.{name}")
            return


def in_common_pool(sheet: Sheet, body: Node, method: str) -> None:
    """The first request of a body that is handed to another thread without a word of which: `supplyAsync(() -> client.send(request))`."""
    source = sheet.source
    for handed in source.within(body):
        given = source.arguments(handed) if source.name(handed) in ("supplyAsync", "runAsync") else []
        if len(given) != 1 or source.type_of(handed.child_by_field_name("object")) != "class:CompletableFuture":
            continue
        if asked := next((call for call in source.within(given[0]) if waits(sheet, call)), None):
            sheet.out.oddity("common-pool", method, sheet.name_span(handed), f"{source.written(begins(asked))}.{source.name(asked)}")
            return


def waits(sheet: Sheet, call: Node) -> bool:
    """Whether a call is one of a client's that waits for an answer over the network."""
    source = sheet.source
    kind, name = source.type_of(call.child_by_field_name("object")), source.name(call)
    if kind == "OkHttpClient" and not any(source.name(after) == "execute" for after in chained(call)):
        return False
    homes, names_ = _REQUESTS.get(kind, ("", ""))
    if names_ and re.fullmatch(names_, name) and source.is_of(kind, *homes.split("|")):
        return True
    if _SERVICE_CLIENT.fullmatch(kind) and source.is_of(kind, "software.amazon.awssdk.services."):
        return name not in ("close", "serviceName")
    if _STUB.fullmatch(kind) and not name.startswith("with"):
        return True
    model = source.type_of(begins(call)) if name == "create" else ""
    return model in _MODELS and source.is_of(model, _MODELS[model])


def unbounded_request(sheet: Sheet, body: Node, method: str, said: str = "request-unbounded") -> None:
    """The first request of a body that waits for as long as the other side is silent."""
    source = sheet.source
    for call in source.within(body):
        kind, name = source.type_of(call.child_by_field_name("object")), source.name(call)
        packages, timeout, made = _WITHOUT_TIMEOUT.get((kind, name), ((), "", None))
        homes = source.homes(kind) if packages else []
        if (
            any(f"{package}.{kind}" in homes for package in packages)
            and timeout not in source.text
            and (made is None or (made.search(source.text) is not None and ".custom(" not in source.text))
            and on_task_thread(call, body)
        ):
            sheet.out.oddity(said, method, sheet.name_span(call), f"{kind}.{name}")
            return


def of_beam(sheet: Sheet) -> None:
    """The same in the methods to which Beam hands each element."""
    looked_at: set[int] = set()
    for method, body in of_elements(sheet):
        for run in with_helpers(sheet, body, looked_at):
            unbounded_request(sheet, run, sheet.source.name(method), "element-request-unbounded")
