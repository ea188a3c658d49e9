"""The columns of rows between steps and in tables: written once here, said to Spark as DDL and to Arrow as a schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

# A type is a name of Spark's, {name: type} for a struct, [type] for an array, or ("map", type) for a map from texts.
Type = Any
Columns = dict[str, Type]
Row = dict[str, Any]
Batches = Iterator["pa.RecordBatch"]

_MOST_ROWS = 2_000
_MOST_BYTES = 4_000_000

# A tree, or a part of one: `place` says where executors read it, `settings` is its own settings file (JSON, empty for those of the plan).
PART: Columns = {"repo": "string", "rev": "string", "place": "string", "settings": "string"}
# Files of one place that one task reads, as JSON; or `folders` (JSON) that are still to be walked; or the
# word that a tree is the `same` as in an earlier run.
PORTION: Columns = {**PART, "files": "string", "folders": "string", "notes": "string", "same": "boolean", "mark": "bigint"}
# A path that has something to say, or may have. `digest` is the content's; `key` is what its result is known by, null when the gate dropped it;
# `content` is deflated. Or else, with `paths`, what is to be known of all those that the gate dropped (JSON: [{folder: [names]}, [named paths]]);
# `about` (JSON: [path, kind, size, digest] each) is the same for the table of files. `files` are counted, `mark` is the sum of their hashes.
SCANNED: Columns = {
    **PART,
    "path": "string",
    "kind": "string",
    "named": "boolean",
    "size": "bigint",
    "digest": "string",
    "key": "string",
    "notes": "string",
    "content": "binary",
    "paths": "string",
    "about": "string",
    "files": "bigint",
    "mark": "bigint",
    "same": "boolean",
}
# What one content yields. `sure`: it would do so again, so it may be remembered.
CHECKED: Columns = {"key": "string", "packed": "string", "sure": "boolean", "seconds": "double"}

# Everything that matters to a tree: its paths with what their contents yield, and the names of the others.
JOINED: Columns = {
    **PART,
    **{name: SCANNED[name] for name in ("path", "kind", "named", "size", "key", "notes", "paths", "content")},
    "packed": "string",
}

# A line, or what reports show of a longer one.
_LINE: Columns = {"number": "int", "length": "int", "start": "int", "text": "string"}
_POSITION: Columns = {"line": "int", "column": "int", "end_line": "int", "end_column": "int"}
_EDIT: Columns = {"path": "string", "start": "int", "end": "int", **_POSITION, "new_text": "string"}
_PLACE: Columns = {
    "path": "string",
    "role": "string",
    "label": "string",
    "start": "int",
    "end": "int",
    **_POSITION,
    "excerpt": "string",
    "lines": [_LINE],
    "cell": {"number": "int", "column": "int", "line": _LINE},
}
FINDING: Columns = {
    "path": "string",
    "rule": "string",
    "severity": "string",
    "confidence": "string",
    "state": "string",
    "state_reason": "string",
    "state_where": "string",
    "message": "string",
    "fingerprint": "string",
    "owners": ["string"],
    **_POSITION,
    "excerpt": "string",
    "places": [_PLACE],
    "fixes": [{"title": "string", "safety": "string", "edits": [_EDIT]}],
}
PROBLEM: Columns = {"path": "string", "kind": "string", "message": "string", "line": "int", "help": "string"}
LEFT_OUT: Columns = {"path": "string", "reason": "string", "detail": "string"}
JOB: Columns = {
    "job": "string",
    "kind": "string",
    "environment": "string",
    "managed_by": "string",
    "engine": "string",
    "version": "string",
    "files": [{"path": "string", "why": "string"}],
    "settings": ("map", "string"),
    "origins": [
        {"option": "string", "key": "string", "value": "string", "known": "boolean", "path": "string", "line": "int", "origin": "string"}
    ],
}
FACT: Columns = {
    "path": "string",
    "fact": "string",
    "block": "string",
    "engine": "string",
    "role": "string",
    "form": "string",
    "name": "string",
    "key": "string",
    "value": "string",
    "known": "boolean",
    "sure": "string",
    "kind": "string",
    "version": "string",
    "detail": "string",
    "traits": ("map", "string"),
    "line": "int",
    "start": "int",
    "end": "int",
}
# How many files differ from the revision of --changed-since, and the settings file whose change may have caused everything.
CHANGED: Columns = {"files": "int", "cause": "string"}
# How many files were looked at, how many of them passed the gate, and what these hold.
TOTALS: Columns = {"files": "bigint", "read": "bigint", "bytes": "bigint"}
TREE: Columns = {"repo": "string", "rev": "string"}
# A repository of a list as it was asked for, and the commit at which an earlier run has seen it (null: never).
ASKED: Columns = {"repo": "string", "known": "string"}
# What concluding a tree yields: each row is one of these.
CONCLUDED: Columns = {
    **TREE,
    "what": "string",
    "finding": FINDING,
    "problem": PROBLEM,
    "left_out": LEFT_OUT,
    "job": JOB,
    "changed": CHANGED,
    "totals": TOTALS,
}


def ddl(columns: Columns) -> str:
    """The columns as Spark says them."""
    return ", ".join(f"`{name}` {ddl_of(kind)}" for name, kind in columns.items())


def ddl_of(kind: Type) -> str:
    """A type as Spark says it."""
    if isinstance(kind, str):
        return kind
    if isinstance(kind, list):
        return f"array<{ddl_of(kind[0])}>"
    if isinstance(kind, tuple):
        return f"map<string,{ddl_of(kind[1])}>"
    return "struct<" + ",".join(f"`{name}`:{ddl_of(inner)}" for name, inner in kind.items()) + ">"


def arrow(columns: Columns) -> pa.Schema:
    """The columns as Arrow says them."""
    import pyarrow as pa

    return pa.schema([(name, _arrow(kind)) for name, kind in columns.items()])


def _arrow(kind: Type) -> Any:
    import pyarrow as pa

    if isinstance(kind, str):
        simple = {
            "string": pa.string,
            "boolean": pa.bool_,
            "bigint": pa.int64,
            "int": pa.int32,
            "double": pa.float64,
            "binary": pa.binary,
        }
        return simple[kind]()
    if isinstance(kind, list):
        return pa.list_(_arrow(kind[0]))
    if isinstance(kind, tuple):
        return pa.map_(pa.string(), _arrow(kind[1]))
    return pa.struct([(name, _arrow(inner)) for name, inner in kind.items()])


def batches(rows: Iterable[dict[str, Any]], columns: Columns) -> Iterator[pa.RecordBatch]:
    """Rows as batches of bounded size. What a row lacks is null."""
    import pyarrow as pa

    schema = arrow(columns)
    kept: list[dict[str, Any]] = []
    weight = 0
    for row in rows:
        kept.append(row)
        weight += len(row.get("content") or b"") + len(row.get("packed") or "") + 200
        if len(kept) >= _MOST_ROWS or weight >= _MOST_BYTES:
            yield pa.RecordBatch.from_pylist(kept, schema=schema)
            kept, weight = [], 0
    if kept:
        yield pa.RecordBatch.from_pylist(kept, schema=schema)


def rows(found: Iterable[pa.RecordBatch]) -> Iterator[dict[str, Any]]:
    """The rows of batches, one after the other."""
    for batch in found:
        names = batch.schema.names
        for values in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            yield dict(zip(names, values, strict=True))
