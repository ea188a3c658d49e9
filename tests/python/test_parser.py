"""LibCST is loaded with nodes that are made faster, and nobody else notices."""

from __future__ import annotations

import subprocess
import sys

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
