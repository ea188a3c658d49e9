"""Calls that may hold up the thread they run on: sleeping, network calls and waits that know no end, child processes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.lazy import pattern
from shoal.python.texts import text_of
from shoal.python.tree import Call
from shoal.python.values import Known, Mapping, Millis, Object, names, options
from shoal.records import NamedTuple

if TYPE_CHECKING:
    from shoal.python.module import Module

_HTTP = names("get post put delete patch head options request send")
_LIBRARIES = ("requests.", "httpx.", "urllib.request.", "urllib3.")
_ASKS = names("get post put patch request send urlopen")
_CLIENTS = ("py.HttpSession", "py.HttpxClient", "py.GrpcStub")
# Functions that wait for the network as long as it takes, with the position and keyword of their timeout.
_NETWORK = {
    "urllib.request.urlopen": (2, ("timeout",)),
    "urllib2.urlopen": (2, ("timeout",)),
    "socket.create_connection": (1, ("timeout",)),
    "http.client.HTTPConnection": (9, ("timeout",)),
    "http.client.HTTPSConnection": (9, ("timeout",)),
    "smtplib.SMTP": (9, ("timeout",)),
    "smtplib.SMTP_SSL": (9, ("timeout",)),
    "ftplib.FTP": (9, ("timeout",)),
    "psycopg2.connect": (99, ("connect_timeout",)),
    "psycopg.connect": (99, ("connect_timeout",)),
    "telnetlib.Telnet": (2, ("timeout",)),
    "happybase.Connection": (2, ("timeout",)),
    "websocket.create_connection": (1, ("timeout",)),
}
# What confluent-kafka asks the brokers, as long as it takes: position of the timeout, -1 or None by default.
_ASKED = {"list_topics": 1, "list_groups": 1, "committed": 1, "get_watermark_offsets": 1, "offsets_for_times": 1, "cluster_id": 0}
_VERTEX = pattern(r"\baiplatform\.(?:models\.)?Endpoint\b|from google\.cloud\.aiplatform\b.* import\b.*\bEndpoint\b")
_BRIEF = pattern(r"\s*(?:beep|clear|cls|echo|printf|tput|true|say|spd-say|date|whoami|hostname|pwd)\b(?![^\n]*[|;&])")
_PROCESSES = frozenset({"subprocess.run", "subprocess.call", "subprocess.check_call", "subprocess.check_output"})
# Methods that wait without an end unless given a timeout, by type: position and keyword of the timeout.
_WAITS = {
    ("py.Queue", "get"): (1, "timeout"),
    ("py.Queue", "put"): (2, "timeout"),
    ("py.Lock", "acquire"): (1, "timeout"),
    ("py.Event", "wait"): (0, "timeout"),
    ("py.Condition", "wait"): (0, "timeout"),
    ("py.Condition", "acquire"): (1, "timeout"),
    ("py.Barrier", "wait"): (0, "timeout"),
    ("py.Thread", "join"): (0, "timeout"),
    ("py.Process", "join"): (0, "timeout"),
    ("py.Future", "result"): (0, "timeout"),
    ("py.Future", "exception"): (0, "timeout"),
    ("py.Popen", "wait"): (0, "timeout"),
    ("py.Popen", "communicate"): (1, "timeout"),
    ("kafka.Future", "get"): (0, "timeout"),
    ("confluent.Producer", "flush"): (0, "timeout"),
    ("confluent.Consumer", "poll"): (0, "timeout"),
}
_WHAT = {
    "py.Queue": "a queue",
    "py.Lock": "a lock",
    "py.Event": "an event",
    "py.Condition": "a condition",
    "py.Barrier": "a barrier",
    "py.Thread": "a thread",
    "py.Process": "a process",
    "py.Future": "a future",
    "py.Popen": "a child process",
    "kafka.Future": "the broker's answer",
    "confluent.Producer": "every queued message",
    "confluent.Consumer": "a message",
}


class Blocking(NamedTuple):
    """`kind` is `sleep`, `network`, `wait` or `process`; `what` names the call; `seconds` of a sleep when known."""

    kind: str
    what: str
    seconds: float | None = None


def sleeping(module: Module, call: Call) -> Blocking | None:
    """`time.sleep(…)`; the seconds when they are known."""
    if call.name != "sleep" or module.qualified(call) not in ("time.sleep", "gevent.sleep"):
        return None
    value = module.value(call.argument(0, "secs"), call.spot)
    amounts = [option.value for option in options(value) if isinstance(option, Known) and isinstance(option.value, (int, float))]
    return Blocking("sleep", "time.sleep", max(amounts) if amounts else None)


def asks(module: Module, call: Call) -> bool:
    """A request over HTTP or gRPC, with or without a timeout."""
    if call.name in _ASKS and module.qualified(call).startswith(_LIBRARIES):
        return True
    kind = module.receiver_type(call)
    return kind in _CLIENTS and (call.name in _ASKS or kind == "py.GrpcStub")


def network(module: Module, call: Call) -> Blocking | None:
    """A network call or client that is given no timeout and has none of its own."""
    name = module.qualified(call)
    if name.startswith("requests.") and (call.name in _HTTP) and name.count(".") <= 2:
        return Blocking("network", f"requests.{call.name}") if _endless(module, call, 99, ("timeout",)) else None
    if name in _NETWORK:
        position, keywords = _NETWORK[name]
        if name.startswith("psycopg") and any("connect_timeout" in module.string(arg.value, call.spot) for arg in call.node.args):
            return None
        return Blocking("network", name) if _endless(module, call, position, keywords) else None
    if name.startswith("httpx.") and call.name in (*_HTTP, "Client"):
        node = call.argument(99, "timeout")
        value = module.value(node, call.spot)
        return Blocking("network", f"httpx.{call.name}(timeout=None)") if isinstance(value, Known) and value.value is None else None
    if call.name in ("predict", "raw_predict", "explain") and _asks_vertex(module, call):
        return Blocking("network", f"Vertex AI's {call.name}") if _endless(module, call, 99, ("timeout",)) else None
    kind = module.receiver_type(call)
    if call.name in _ASKED and kind in ("confluent.Consumer", "confluent.Producer", "confluent.Admin"):
        cached = module.value(call.argument(2, "cached"), call.spot) if call.name == "get_watermark_offsets" else None
        if (isinstance(cached, Known) and cached.value) or not _endless(module, call, _ASKED[call.name], ("timeout",)):
            return None
        return Blocking("network", f"confluent-kafka's {call.name}()")
    if kind == "py.HttpSession" and call.name in _HTTP:
        return Blocking("network", f"the session's {call.name}") if _endless(module, call, 99, ("timeout",)) else None
    if kind == "py.GrpcStub":
        return (
            Blocking("network", f"the gRPC call {call.name}") if call.use != "awaited" and _endless(module, call, 1, ("timeout",)) else None
        )
    made = module.result(call)
    if (
        isinstance(made, Object)
        and made.node is call.node
        and made.type == "py.Redis"
        and made.call in ("Redis", "StrictRedis", "from_url", "Redis.from_url", "StrictRedis.from_url")
    ):
        return Blocking("network", f"a Redis client ({made.call})") if _endless(module, call, 99, ("socket_timeout",)) else None
    return None


def _asks_vertex(module: Module, call: Call) -> bool:
    """Whether a call asks an `aiplatform.Endpoint`, wherever that came from; a private one has a timeout of its own, a client another signature."""
    told = call.has_keyword("instances", "body") and not call.has_keyword("endpoint")
    return told and call.use != "awaited" and bool(_VERTEX.search(module.raw)) and "PrivateEndpoint" not in module.raw


def process(module: Module, call: Call) -> Blocking | None:
    """A child process that is waited for without a timeout."""
    name = module.qualified(call)
    if name in _PROCESSES:
        return Blocking("process", name) if _endless(module, call, 99, ("timeout",)) else None
    return Blocking("process", name) if name == "os.system" else None


def brief(module: Module, call: Call) -> bool:
    """Whether `os.system` is given a command that is back at once: it beeps, clears a screen, prints a line."""
    if module.qualified(call) != "os.system" or not call.node.args:
        return False
    text = text_of(module, call.node.args[0].value, call.spot)
    return text is not None and _BRIEF.match(text.text) is not None


def waiting(module: Module, call: Call) -> Blocking | None:
    """A wait for something in this process, or for a broker, that is given no timeout."""
    name = call.name
    if name in ("wait", "as_completed"):
        full = module.qualified(call)
        if full.startswith("concurrent.futures."):
            return Blocking("wait", f"concurrent.futures.{name}") if _endless(module, call, 1, ("timeout",)) else None
    if name == "map" and call.use != "dropped" and any(obj.type == "py.Executor" for obj in module.receivers(call)):
        return Blocking("wait", "map() of an executor") if _endless(module, call, 99, ("timeout",)) else None
    if not any(method == name for _, method in _WAITS):
        return None
    for obj in module.receivers(call):
        entry = _WAITS.get((obj.type, name))
        if entry is None:
            continue
        position, keyword = entry
        if not _endless(module, call, position, (keyword,)):
            return None
        if obj.type in ("py.Queue", "py.Lock"):
            block_at = 1 if name == "put" else 0
            node = call.argument(block_at, "blocking" if name == "acquire" else "block")
            block = module.value(node, call.spot)
            if node is not None and not (isinstance(block, Known) and block.value):
                return None
            if name == "put" and not _bounded(module, obj):
                return None
        if name == "acquire" and _given_back(module, call, obj):
            return None
        return Blocking("wait", f"{name}() on {_WHAT[obj.type]}")
    return None


def _given_back(module: Module, call: Call, lock: Object) -> bool:
    """Whether the function that takes a lock gives it back: a critical section, as `with lock` spells it."""
    return any(
        other.function is call.function and any(obj.node is lock.node for obj in module.receivers(other))
        for other in module.named("release")
    )


def _bounded(module: Module, queue: Object) -> bool:
    """Whether a queue surely has a size: only then can `put` block. Of one that is only annotated nobody knows."""
    if not isinstance(queue.node, cst.Call):
        return False
    size = Call(queue.node, "", queue.spot, None, "").argument(0, "maxsize")
    if size is None:
        return False
    value = module.value(size, queue.spot)
    return not (isinstance(value, Known) and isinstance(value.value, int) and value.value <= 0)


def _endless(module: Module, call: Call, position: int, keywords: tuple[str, ...]) -> bool:
    """Whether a call surely has no timeout: none is given, or None. Of what `**` unpacks all must be known."""
    if call.has_stars:
        for arg in call.node.args:
            given = module.value(arg.value, call.spot) if arg.star == "**" else None
            if arg.star and not (
                isinstance(given, Mapping) and not given.open and not {pair.key for pair in given.pairs} & {None, *keywords}
            ):
                return False
    node: Any = call.argument(position, keywords[0])
    for keyword in keywords[1:]:
        node = node if node is not None else call.argument(99, keyword)
    if node is None:
        return True
    value = module.value(node, call.spot)
    if isinstance(value, Known) and value.value is None:
        return True
    return isinstance(value, (Known, Millis)) and isinstance(value.value, (int, float)) and value.value < 0


def seconds(value: float) -> str:
    """`0.5 s`, `2 min`."""
    if value >= 120 and value % 60 == 0:
        return f"{value / 60:g} min"
    return f"{value:g} s"
