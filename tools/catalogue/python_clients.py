"""Options of the pure Python Kafka clients, from their source, read and never run."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

from tools.catalogue import fetch, pins
from tools.catalogue.state import State, render

_KAFKA_PYTHON = {"KafkaConsumer": "consumer", "KafkaProducer": "producer", "KafkaAdminClient": "admin"}
_AIOKAFKA = {"AIOKafkaConsumer": "consumer", "AIOKafkaProducer": "producer", "AIOKafkaAdminClient": "admin"}
_NO_OPTIONS = frozenset({"self", "loop"})
# What the pinned release of a minor version does not list and programs may give all the same (tried): 2.1.0 to 2.1.2 have `buffer_memory`, and those up to 2.3 take it
# out with a warning; 2.2.0 to 2.2.15 and 2.3.0 have the others.
_CHUNKS = tuple(f"{part}/{name}" for part in ("admin", "consumer", "producer") for name in ("sock_chunk_buffer_count", "sock_chunk_bytes"))
_TAKEN = {"2.1": ("producer/buffer_memory",), "2.2": ("producer/buffer_memory", *_CHUNKS), "2.3": ("producer/buffer_memory", *_CHUNKS)}


def build(cache: Path) -> dict[str, str]:
    """Table name to stored text."""
    kafka_python, aiokafka = [], []
    for version in pins.KAFKA_PYTHON:
        sources = fetch.unpack(fetch.pip(cache, f"kafka-python=={version}"), (".py",))
        found = dict(_options(sources, _KAFKA_PYTHON, _defaults))
        before = kafka_python[-1][1] if kafka_python else {}
        kafka_python.append((pins.minor(version), found | {name: before[name] for name in _TAKEN.get(pins.minor(version), ())}))
    for version in pins.AIOKAFKA:
        sources = fetch.unpack(fetch.pip(cache, f"aiokafka=={version}", platform=pins.MANYLINUX, python="3.11"), (".py",))
        aiokafka.append((pins.minor(version), dict(_options(sources, _AIOKAFKA, _parameters))))
    return {"kafka-python": render("kafka-python", kafka_python), "aiokafka": render("aiokafka", aiokafka)}


def _options(sources: Iterable[Path], classes: dict[str, str], read: object) -> Iterator[tuple[str, State]]:
    for source in sources:
        if "test" in source.parts or source.name.startswith("test"):
            continue
        text = source.read_text(encoding="utf-8")
        if not any(f"class {name}" in text for name in classes):
            continue
        for owner in ast.parse(text).body:
            if isinstance(owner, ast.ClassDef) and owner.name in classes:
                part = classes[owner.name]
                for key, default in read(owner):  # type: ignore[operator]
                    name = f"{part}/{key}"
                    yield name, State(name, _type(default), _shown(default), (), (), "", part)


def _defaults(owner: ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
    """The entries of the class's DEFAULT_CONFIG."""
    for statement in owner.body:
        if isinstance(statement, ast.Assign) and any(isinstance(one, ast.Name) and one.id == "DEFAULT_CONFIG" for one in statement.targets):
            for pair in ast.walk(statement.value):
                if isinstance(pair, ast.Dict):
                    for key, value in zip(pair.keys, pair.values, strict=True):
                        if isinstance(key, ast.Constant) and isinstance(key.value, str):
                            yield key.value, value
                    return


def _parameters(owner: ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
    """The keyword parameters of the constructor."""
    for method in owner.body:
        if isinstance(method, ast.FunctionDef) and method.name == "__init__":
            given = method.args.args[len(method.args.args) - len(method.args.defaults) :]
            yield from ((one.arg, value) for one, value in zip(given, method.args.defaults, strict=True) if one.arg not in _NO_OPTIONS)
            for one, value in zip(method.args.kwonlyargs, method.args.kw_defaults, strict=True):
                if one.arg not in _NO_OPTIONS:
                    yield one.arg, value or ast.Constant(None)


def _literal(node: ast.expr) -> object:
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None


def _type(node: ast.expr) -> str:
    value = _literal(node)
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "int"
    if isinstance(value, float):
        return "double"
    return "string" if isinstance(value, str) else ""


def _shown(node: ast.expr) -> str | None:
    value = _literal(node)
    return None if value is None else str(value).lower() if isinstance(value, bool) else str(value)
