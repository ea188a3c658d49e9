"""Clients that cannot be pickled, and so cannot go to the workers with a function. Tried with dill 0.4 and cloudpickle 3.1.

Beam takes one or the other, PyFlink and PySpark take cloudpickle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.lazy import pattern
from shoal.python.values import Object, options

if TYPE_CHECKING:
    from shoal.python.module import Module
    from shoal.python.tree import Call

_TYPES = frozenset({"kafka.Producer", "kafka.Consumer", "confluent.Producer", "confluent.Consumer", "py.GrpcChannel"})
_NAMES = frozenset({"psycopg2.connect", "boto3.client", "boto3.resource"})
_GOOGLE = pattern(
    r"google\.cloud\.(?:bigquery|storage|firestore|spanner|datastore|bigtable|pubsub_v1|vision|vision_v1|language|language_v1|secretmanager|translate_v2|logging)\.\w*Client"
)
# What cloudpickle alone refuses.
_CLOUDPICKLE_TYPES = frozenset({"py.Redis"})
_CLOUDPICKLE_NAMES = frozenset({"pymongo.MongoClient", "elasticsearch.Elasticsearch"})


def refused(module: Module, call: Call, engine: str) -> bool:
    """Whether a call surely makes a client that the serializer of an engine refuses."""
    name, other = module.qualified(call), engine != "beam"
    if name in _NAMES or _GOOGLE.fullmatch(name) or (other and name in _CLOUDPICKLE_NAMES):
        return True
    types = _TYPES | _CLOUDPICKLE_TYPES if other else _TYPES
    found = options(module.result(call))
    return bool(found) and all(isinstance(one, Object) and one.node is call.node and one.type in types for one in found)
