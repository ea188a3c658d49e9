"""`beam.Map(lambda x: json.loads(x))` in a module that never imports `json`; and `query = query()`, which makes `query` a name of the function alone."""

from __future__ import annotations

import builtins
import re
import symtable
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import libcst as cst

from shoal.catalogue import pyflink
from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.python.tree import ASSIGNMENTS, Binding, Function, Scope, Statement, descend, dotted, meaning, sure_imports
from shoal.python.values import names

# What puts names into a module that nobody sees there, and a module that looks whether it has one. Cells of Jupyter may be
# for another kernel, or for a file of their own, and are left out below.
_STARS = pattern(r"import[ \t]*\*")
_BY_NAME = pattern(
    r"\b(?:globals|locals|vars|exec|execfile)\(|\bbuiltins\b|__builtins__|\b(?:NameError|UnboundLocalError)\b|^[ \t#]*(?:MAGIC[ \t]+)?%run\b|\bREL_SUCCESS\b",
    re.MULTILINE,
)
# Looked for first: the pattern alone is slow.
_NAMED = ("globals(", "locals(", "vars(", "exec(", "execfile(", "builtins", "NameError", "UnboundLocalError", "%run", "REL_SUCCESS")
# Of a newer Python than this one, and of Python 2.
_BUILTINS = frozenset(dir(builtins)) | names(
    "aiter anext EncodingWarning ExceptionGroup BaseExceptionGroup PythonFinalizationError WindowsError "
    "unicode basestring xrange raw_input long reduce unichr file cmp reload execfile buffer apply intern"
)
# What shells and notebooks have; a module that takes one of them for granted may get others, too.
_OF_SHELLS = names("spark sc sqlContext sqlc dbutils display displayHTML getArgument table sql udf get_ipython glueContext z In Out _ c")
_OF_ITSELF = pattern(r"^[ \t]+(\w+)[ \t]*=(?!=)[^\n]*\b\1\b", re.MULTILINE)
_SUITES = (cst.IndentedBlock, cst.SimpleStatementSuite)
_NO_READS = (*_SUITES, cst.Annotation, cst.AsName, cst.Import, cst.ImportFrom, cst.Global, cst.Nonlocal)


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if (
        module.path.endswith(".ipynb")
        or _STARS.search(module.raw)
        or (any(map(module.raw.__contains__, _NAMED)) and _BY_NAME.search(module.raw))
    ):
        return
    yield from _before_its_value(context)
    missing = _missing(module.text.text)
    if module.notebook or missing & _OF_SHELLS:
        missing &= sys.stdlib_module_names
    said: set[str] = set()
    for statement in module.tree.statements if missing else ():
        own = _own(statement.node)
        for node in _reads(statement.node):
            name = node.value
            if name not in missing or name in said or name in own or _bound(name, statement.spot.scope) or f"{{{{ {name}" in module.raw:
                continue
            said.add(name)
            where = _where(node, statement)
            message = f"`{name}` is neither defined nor imported in this module: {where}{_of_pyflink(module, name)}"
            confidence = "low" if isinstance(statement.node, cst.Raise) else ""  # what it was to raise ends the same way
            yield context.finding(message, module.place(node, statement.spot), confidence=confidence)
    if missing - said and not any(dotted(node.module) == "__future__" for node, _ in sure_imports(module.tree)):
        yield from _in_annotations(context, missing - said)


def _in_annotations(context: Context, missing: set[str]) -> Iterator[Finding]:
    """Of functions of the module and methods of its classes, whose annotations are looked at when the module is read."""
    module = context.module
    for statement in module.tree.statements:
        node, spot = statement.node, statement.spot
        if not isinstance(node, cst.FunctionDef) or spot.function is not None or spot.conditional or spot.guarded:
            continue
        given = [one.annotation for one in descend(node.params) if isinstance(one, cst.Param)] + [node.returns]
        for name in [name for one in given if one is not None for name in _reads(one.annotation)]:
            if name.value in missing and not _bound(name.value, spot.scope) and f"{{{{ {name.value}" not in module.raw:
                missing = missing - {name.value}
                message = (
                    f"`{name.value}` is neither defined nor imported in this module: whatever imports or runs it ends with a NameError "
                    f"(up to Python 3.13; later ones do not look at annotations){_of_pyflink(module, name.value)}"
                )
                yield context.finding(message, module.place(name, spot), confidence="medium")


def _where(node: Any, statement: Statement) -> str:
    """What ends with the error, and when."""
    if _in_lambda(node, statement):
        return "the lambda ends with a NameError each time it is called"
    function = statement.spot.function
    return f"{function.name}() ends with a NameError when it comes to this" if function else "the program ends with a NameError here"


def _of_pyflink(module: Any, name: str) -> str:
    """Where PyFlink has a name, in a module that imports others from it."""
    if not any(dotted(node.module).startswith("pyflink.") for node, _ in sure_imports(module.tree)):
        return ""
    homes = [home for home, has in pyflink().items() if name in has and home[0] != ":"]
    return f"; PyFlink has it in {min(homes, key=lambda home: (len(home), home))}" if homes else ""


def _in_lambda(node: Any, statement: Statement) -> bool:
    return any(one is node for part in descend(statement.node, _SUITES) if isinstance(part, cst.Lambda) for one in descend(part.body))


def _missing(code: str) -> set[str]:
    """The names that code asks its module for, and that the module does not have, by Python's own rules of scopes."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            top = symtable.symtable(code, "", "exec")
    except (SyntaxError, ValueError, RecursionError):
        return set()
    asked: set[str] = set()
    given = set(_BUILTINS)
    waiting = [top]
    while waiting:
        at = waiting.pop()
        waiting += at.get_children()
        for symbol in at.get_symbols():
            if symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace():
                if at is top or symbol.is_declared_global():
                    given.add(symbol.get_name())
            elif symbol.is_referenced() and symbol.is_global():
                asked.add(symbol.get_name())
    return {name for name in asked - given if not name.startswith("__")}


def _before_its_value(context: Context) -> Iterator[Finding]:
    """`query = query()` in a function that has no other `query`, or `if not waiting:` above `waiting = []` without `global`: the name is the function's own, and has no value yet."""
    module = context.module
    of_module = module.tree.statements[0].spot.scope.bindings if module.tree.statements else {}
    asked = {found[1] for found in _OF_ITSELF.finditer(module.raw)}
    for function in module.functions:
        scope = function.scope
        for name, bindings in scope.bindings.items():
            if (name not in asked and name not in of_module) or name in scope.uses_globals or function.is_lambda:
                continue
            if all(binding.kind in ("assign", "augmented") for binding in bindings):
                yield from _read_too_early(context, function, name, bindings)


def _read_too_early(context: Context, function: Function, name: str, bindings: list[Binding]) -> Iterator[Finding]:
    module = context.module
    first = min(binding.spot.statement for binding in bindings)
    for number in range(function.spot.statement + 1, first + 1):
        statement = module.tree.statements[number]
        if statement.spot.scope is not function.scope:
            continue
        augmented = isinstance(statement.node, cst.AugAssign) and number == first
        reads = [read for read in ([statement.node.target] if augmented else _read_in(statement.node)) if read.value == name]
        for read in reads if reads and name not in _own(statement.node) else ():
            if _in_lambda(read, statement):
                continue
            loops = {id(loop) for loop in statement.spot.loops}
            later = any(binding.spot.statement != number and loops & {id(loop) for loop in binding.spot.loops} for binding in bindings)
            if not later and not any(isinstance(one, (cst.Nonlocal, cst.NamedExpr)) for one in descend(function.node)):
                message = f"`{name}` is given a value in {function.name}(), which makes it a name of this function alone: it has none yet when it is read here, and this ends with an UnboundLocalError"
                yield context.finding(message, module.place(read, statement.spot))
            return


def _read_in(node: Any) -> Iterator[Any]:
    """What a statement reads before it gives a name its value."""
    yield from _reads(node.value) if isinstance(node, ASSIGNMENTS) and node.value is not None else _reads(node)


def _reads(node: Any) -> Iterator[Any]:
    """The names that are read in a statement: not in what is below it, and not in annotations, which are looked at later or never."""
    if isinstance(node, cst.Name):
        yield node
    elif isinstance(node, (cst.Attribute, cst.Arg, cst.NamedExpr)):
        yield from _reads(node.value)
    elif isinstance(node, cst.Param):
        yield from _reads(node.default) if node.default is not None else ()
    elif not isinstance(node, _NO_READS):
        without = ("name", "key") if isinstance(node, (cst.FunctionDef, cst.ClassDef, cst.MatchKeywordElement)) else ()
        for field in meaning().get(node.__class__, ()):
            child = getattr(node, field) if field not in without else None
            for one in child if isinstance(child, (tuple, list)) else (child,):
                if isinstance(one, cst.CSTNode):
                    yield from _reads(one)


def _own(node: Any) -> set[str]:
    """The names that lambdas and comprehensions of a statement have for themselves."""
    found: set[str] = set()
    for one in descend(node, _SUITES):
        if isinstance(one, (cst.Param, cst.CompFor)):
            found |= {part.value for part in descend(one.name if isinstance(one, cst.Param) else one.target) if isinstance(part, cst.Name)}
    return found


def _bound(name: str, scope: Scope | None) -> bool:
    """Whether a function around has the name, or the class whose body this is."""
    innermost = scope
    while scope is not None:
        if name in scope.bindings and (scope.kind != "class" or scope is innermost):
            return True
        scope = scope.outer
    return False
