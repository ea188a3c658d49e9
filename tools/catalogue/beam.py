"""Beam's pipeline options: the Python SDK's from its source, read and never run, and the Flink runner's from the Java jar."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tools.catalogue import fetch, pins
from tools.catalogue.state import State, render

_TYPES = {"int": "int", "float": "double", "str": "string", "json.loads": "map", "bool": "boolean"}
_RUNNER = "org.apache.beam.runners.flink.FlinkPipelineOptions"
_RUNNER_NEEDS = ("com.fasterxml.jackson.core:jackson-annotations:2.15.4",)
# Options of the Java SDK itself that Python has under names of its own or that name Java objects.
_NOT_SENT = frozenset({"optionsId", "jobName", "runner", "userAgent", "revision", "gcsUploadBufferSizeBytes", "pipelineOptions"})


def build(cache: Path) -> dict[str, str]:
    """Table name to stored text."""
    snapshots = []
    for version in pins.BEAM:
        minor = pins.minor(version)
        wheel = fetch.pip(cache, f"apache-beam=={version}", platform=pins.MANYLINUX, python="3.11")
        (source,) = fetch.unpack(wheel, ("apache_beam/options/pipeline_options.py",))
        options = python_options(source.read_text(encoding="utf-8"))
        for key, state in runner_options(cache, minor).items():
            known = options.get(key, state)
            options[key] = known._replace(aliases=tuple(dict.fromkeys((*known.aliases, *state.aliases))))
        snapshots.append((minor, options))
    return {"beam": render("beam", snapshots)}


def python_options(source: str) -> dict[str, State]:
    """Options by name without dashes, from the text of `pipeline_options.py`."""
    found: dict[str, State] = {}
    for owner in ast.walk(ast.parse(source)):
        if isinstance(owner, ast.ClassDef):
            for call in _arguments(owner):
                state = _state(call, owner.name.removesuffix("Options").lower())
                if state and not owner.name.startswith("Test"):
                    found[state.key] = state
    return found


def _arguments(owner: ast.ClassDef) -> Iterator[ast.Call]:
    for method in owner.body:
        if isinstance(method, ast.FunctionDef) and method.name == "_add_argparse_args":
            for node in ast.walk(method):
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Attribute)
                    and node.func.attr in ("add_argument", "add_value_provider_argument")
                ):
                    yield node


def _state(call: ast.Call, scope: str) -> State | None:
    names = [
        one.value.lstrip("-")
        for one in call.args
        if isinstance(one, ast.Constant) and isinstance(one.value, str) and one.value.startswith("--")
    ]
    if not names:
        return None
    words = {keyword.arg: keyword.value for keyword in call.keywords}
    dest = _literal(words.get("dest"))
    action = _literal(words.get("action"))
    choices = _literal(words.get("choices"))
    default = _literal(words.get("default"))
    # `--no_x` with dest x is a switch of its own.
    if isinstance(dest, str) and dest not in names and action not in ("store_false",):
        names.append(dest)
    type_ = _TYPES.get(ast.unparse(words["type"]), "string") if "type" in words else "string"
    if (
        action in ("store_true", "store_false")
        or isinstance(default, bool)
        or ("action" in words and "Bool" in ast.unparse(words["action"]))
    ):
        type_ = "boolean"
    elif action == "append":
        type_ = "list<string>"
    elif isinstance(choices, (list, tuple)):
        type_ = "string"
    values = tuple(str(choice) for choice in choices) if isinstance(choices, (list, tuple)) else ()
    shown = None if default is None else str(default).lower() if isinstance(default, bool) else str(default)
    return State(names[0], type_, shown, values, tuple((name, False) for name in names[1:]), "", scope)


def _literal(node: ast.expr | None) -> object:
    try:
        return None if node is None else ast.literal_eval(node)
    except ValueError:
        return None


def runner_options(cache: Path, minor: str) -> dict[str, State]:
    """The Flink runner's options as Python passes them on, in snake case, with the Java spelling as an alias."""
    flink, version = (pins.up_to(pins.BEAM_FLINK_RUNNER, minor) or "").split(":")
    wanted = [f"org.apache.beam:beam-runners-flink-{flink}:{version}", f"org.apache.beam:beam-sdks-java-core:{version}"]
    found: dict[str, State] = {}
    for line in fetch.java("BeamOptions.java", [_RUNNER, *map(str, fetch.maven(cache, [*wanted, *_RUNNER_NEEDS]))]).split("\n"):
        if line:
            name, _, type_, default, values, flags = line.split("\t")
            key = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()  # as the job server writes it
            if name not in _NOT_SENT:
                aliases = ((name, False),) if name != key else ()
                found[key] = State(
                    key, type_, default[1:] if default else None, tuple(values.split("|")) if values else (), aliases, flags, "flink"
                )
    return found
