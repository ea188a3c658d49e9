"""`self.client = bigquery.Client()` in the `__init__` of a DoFn. Tried with dill 0.4 and cloudpickle 3.1, of which Beam takes one or the other, and PyFlink the second."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.tree import Call
from shoal.python.values import Object, options

# What neither of them can write down.
_TYPES = frozenset({"kafka.Producer", "kafka.Consumer", "confluent.Producer", "confluent.Consumer", "py.GrpcChannel"})
_NAMES = frozenset({"psycopg2.connect", "boto3.client", "boto3.resource"})
_GOOGLE = pattern(
    r"google\.cloud\.(?:bigquery|storage|firestore|spanner|datastore|bigtable|pubsub_v1|vision|language|language_v1|vision_v1|secretmanager|translate_v2|logging)\.\w*Client"
)
# What cloudpickle alone cannot.
_OF_FLINK = (frozenset({"py.Redis"}), frozenset({"pymongo.MongoClient"}))
_WRITES_ITSELF = ("__getstate__", "__reduce__", "__reduce_ex__", "__setstate__")
_PLACES = {"beam": ("DoFn", "setup()"), "flink": ("function", "open()")}


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    for call in module.calls:
        function = call.function
        if function is None or function.name != "__init__" or function.cls is None or call.spot.conditional or call.spot.guarded:
            continue
        engine = module.contexts.classes.get(id(function.cls), "")
        if engine not in _PLACES or not _kept(module, call, function.self_name) or not _is_client(module, call, engine):
            continue
        if any(module.method(function.cls, name) is not None for name in _WRITES_ITSELF):
            continue
        kind, better = _PLACES[engine]
        message = (
            f"the job ends here while it is built: a {kind} goes to the workers with all that __init__ keeps, and what {call.name} gives cannot be "
            f"pickled; make it in {better}"
        )
        yield context.finding(message, module.call_place(call), covers=[module.covers(call)])


def _kept(module: Any, call: Call, own: str) -> bool:
    """Whether a statement puts what a call gives into a field of the object."""
    node = module.tree.statements[call.spot.statement].node
    if not isinstance(node, (cst.Assign, cst.AnnAssign)) or node.value is not call.node:
        return False
    target = node.targets[0].target if isinstance(node, cst.Assign) else node.target
    return isinstance(target, cst.Attribute) and isinstance(target.value, cst.Name) and target.value.value == own


def _is_client(module: Any, call: Call, engine: str) -> bool:
    types, called = _OF_FLINK if engine == "flink" else (frozenset[str](), frozenset[str]())
    name = module.qualified(call)
    if name in _NAMES or name in called or _GOOGLE.fullmatch(name):
        return True
    found = options(module.result(call))
    return bool(found) and all(isinstance(one, Object) and one.node is call.node and one.type in _TYPES | types for one in found)
