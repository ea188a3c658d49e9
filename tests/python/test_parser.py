"""LibCST is loaded with nodes that are made faster, and nobody else notices."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

_PROGRAM = """
import dataclasses

given = dataclasses.dataclass
from shoal.python import parser

parser.load()
assert dataclasses.dataclass is given

import libcst as cst
import libcst.matchers as m

assert not cst.Call.__dataclass_params__.frozen, "frozen nodes take longer to import and to make"
assert m.Call.__dataclass_params__.frozen, "what is no node stays as it was"
call = cst.parse_expression("f( x )")
assert call == call and call != cst.parse_expression("f( x )") and len({call, call.func}) == 2, "compared by identity"
assert repr(call).startswith("Call(")
assert cst.Module([]).code_for_node(call.with_changes(func=cst.Name("g"))) == "g( x )"
assert call.deep_equals(call.deep_clone()) and m.matches(call, m.Call(func=m.Name("f")))
try:
    cst.Name("")
except cst.CSTValidationError:
    print("still checked")
"""


def test_nodes_are_plain_and_behave_as_before() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("still checked\n", "")


_NODES = """
import inspect, json, sys
{load}
import libcst as cst

def kinds(kind):
    for inner in kind.__subclasses__():
        yield inner
        yield from kinds(inner)

made = {{}}
for kind in kinds(cst.CSTNode):
    if inspect.isabstract(kind) or "__slots__" not in vars(kind) or not kind.__module__.startswith("libcst._nodes."):
        continue
    try:
        kind()  # a few need nothing
    except Exception as error:
        found = type(error).__name__
    else:
        found = "made"
    try:
        kind(nonsense=1)
    except TypeError as error:
        pass
    own = [(p.name, p.default is not p.empty) for p in inspect.signature(kind).parameters.values()]
    made[f"{{kind.__module__}}.{{kind.__qualname__}}"] = [found, own]
print(json.dumps(made))
"""


def test_every_kind_of_node_is_made_as_before() -> None:
    """Of the same parameters, in the same order, with a default where there was one, and refusing what it refused."""
    kinds = []
    for load in ("", "from shoal.python import parser; parser.load()"):
        done = subprocess.run([sys.executable, "-c", _NODES.format(load=load)], capture_output=True, text=True, check=True)
        kinds.append(json.loads(done.stdout))
    assert kinds[0] == kinds[1] and len(kinds[0]) > 150 and sum(found == "made" for found, _ in kinds[0].values()) > 50


_LATER = """
import sys
from shoal.python import parser

parser.load()
assert parser.parse("x = 1").code == "x = 1"
for slow in ("libcst.metadata.scope_provider", "libcst._parser.detect_config"):
    assert slow not in sys.modules, "nothing here asks for it, and it takes long to load"
{asked}
wrapper = MetadataWrapper(cst.parse_module("x = 1"))
assert len(wrapper.resolve(ScopeProvider)) > 2 and cst.metadata.ScopeProvider is ScopeProvider
assert cst.parse_module("# -*- coding: latin-1 -*-\\nx = 'é'".encode("latin-1")).encoding == "iso-8859-1"
from libcst import parse_statement
from libcst._parser.entrypoints import parse_expression, parse_module
assert parse_statement("x = 1") and parse_expression("x") and parse_module("x = 1").code == "x = 1"
print("as ever")
"""


@pytest.mark.parametrize(
    "asked",
    [
        "import libcst as cst; MetadataWrapper, ScopeProvider = cst.metadata.MetadataWrapper, cst.metadata.ScopeProvider",
        "import libcst as cst; from libcst.metadata import MetadataWrapper, ScopeProvider",
        "import libcst as cst; import libcst.metadata as m; MetadataWrapper, ScopeProvider = m.MetadataWrapper, m.ScopeProvider",
    ],
)
def test_what_is_not_needed_is_loaded_by_whoever_asks(asked: str) -> None:
    """Whoever writes rules of their own may want scopes or qualified names."""
    done = subprocess.run([sys.executable, "-c", _LATER.format(asked=asked)], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("as ever\n", "")
