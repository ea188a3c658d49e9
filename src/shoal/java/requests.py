"""Requests that an operator waits for: calls of clients that answer over the network, and those that may take for ever."""

from __future__ import annotations

import re

from tree_sitter import Node

from shoal.java.functions import on_task_thread
from shoal.java.sheet import Sheet
from shoal.lazy import pattern

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
# Of the JDK's clients, by type and method: their package, and what a program that gives them a timeout says.
_WITHOUT_TIMEOUT = {
    ("URL", "openConnection"): ("java.net", "setReadTimeout("),
    ("URL", "openStream"): ("java.net", "sun.net.client.defaultReadTimeout"),
    ("HttpClient", "send"): ("java.net.http", ".timeout("),
}
_SERVICE_CLIENT = pattern(r"(?!\w*Async)\w+Client")  # of the AWS SDK 2
_STUB = pattern(r"\w+BlockingStub")  # of gRPC


def first_request(sheet: Sheet, body: Node, method: str) -> None:
    """The first call of a body that waits for an answer over the network."""
    source = sheet.source
    for call in source.within(body):
        owner, name = call.child_by_field_name("object"), source.name(call)
        kind = source.type_of(owner)
        homes, names_ = _REQUESTS.get(kind, ("", ""))
        asks = bool(names_) and re.fullmatch(names_, name) and source.is_of(kind, *homes.split("|"))
        asks = asks or (
            _SERVICE_CLIENT.fullmatch(kind)
            and source.is_of(kind, "software.amazon.awssdk.services.")
            and name not in ("close", "serviceName")
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
        if package and f"{package}.{kind}" in source.homes(kind) and timeout not in source.text and on_task_thread(call, body):
            sheet.out.oddity(said, method, sheet.name_span(call), f"{kind}.{name}")
            return
