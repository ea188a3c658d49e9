"""The examples of every rule in Python, arranged as people also write them: what is bad is still found, and what is good is still left alone."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from tests.test_rule_examples import ALL, Example, check, named

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_IMPORTS = (ast.Import, ast.ImportFrom)
_CALLS_MAIN = ast.parse('if __name__ == "__main__":\n    main()').body


def _is_constant(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.Constant)
        and all(isinstance(target, ast.Name) for target in statement.targets)
    )


def _names(nodes: list[ast.stmt], context: type[ast.expr_context]) -> set[str]:
    return {node.id for part in nodes for node in ast.walk(part) if isinstance(node, ast.Name) and isinstance(node.ctx, context)}


def _main(body: list[ast.stmt]) -> list[ast.stmt]:
    function = ast.parse("def main():\n    pass").body[0]
    assert isinstance(function, ast.FunctionDef)
    function.body = body
    return [function, *_CALLS_MAIN]


def in_main(tree: ast.Module) -> ast.Module | None:
    """The program in a function `main`, under its imports, constants, functions and classes."""
    above = [node for node in tree.body if isinstance(node, (*_IMPORTS, *_DEFINITIONS)) or _is_constant(node)]
    body = [node for node in tree.body if node not in above]
    definitions = [node for node in above if isinstance(node, _DEFINITIONS)]
    if not body or any(isinstance(node, ast.If) for node in body) or _names(body, ast.Store) & _names(definitions, ast.Load):
        return None
    return ast.Module([*above, *_main(body)], [])


def with_imports_inside(tree: ast.Module) -> ast.Module | None:
    """All of it in a function, its imports too."""
    parts = [*_IMPORTS, *_DEFINITIONS]
    if any(isinstance(node, (*_DEFINITIONS, ast.If)) for node in tree.body) or all(isinstance(node, tuple(parts)) for node in tree.body):
        return None
    stars = any(alias.name == "*" for node in tree.body if isinstance(node, _IMPORTS) for alias in node.names)
    return None if stars else ast.Module(_main(tree.body), [])


class _Named(ast.NodeTransformer):
    """The values of options, as constants of the module: of keywords, and what stands last of several arguments."""

    def __init__(self) -> None:
        self.values: dict[object, str] = {}

    def _name(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Constant) and type(node.value) in (str, int) and node.value not in ("", 0, 1):
            return ast.Name(self.values.setdefault(node.value, f"VALUE_{len(self.values)}"), ast.Load())
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.JoinedStr:
        return node

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if len(node.args) > 1:
            node.args[-1] = self._name(node.args[-1])
        for keyword in node.keywords:
            keyword.value = self._name(keyword.value)
        return node


def with_named_constants(tree: ast.Module) -> ast.Module | None:
    names = _Named()
    if any(node.decorator_list for node in ast.walk(tree) if isinstance(node, _DEFINITIONS)):
        return None
    body = [names.visit(node) for node in tree.body]
    constants = [ast.Assign([ast.Name(name, ast.Store())], ast.Constant(value)) for value, name in names.values.items()]
    imports = [node for node in body if isinstance(node, _IMPORTS)]
    return ast.Module([*imports, *constants, *(node for node in body if node not in imports)], []) if constants else None


# What it says of a value is how that is written: in quotes, or as a number.
_OF_LITERALS = frozenset({"invalid-python-client-value"})


def _python() -> list[Example]:
    return [example for example in ALL if example.path.endswith(".py") and example.verdict != "fixed" and example.rule.use != "suppression"]


def _written(tree: ast.Module) -> str:
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


@pytest.mark.parametrize("arrange", [in_main, with_imports_inside, with_named_constants], ids=lambda one: one.__name__)
@pytest.mark.parametrize("example", _python(), ids=named)
def test_an_example_is_judged_alike_however_it_is_arranged(example: Example, arrange: Callable[[ast.Module], ast.Module | None]) -> None:
    arranged = arrange(ast.parse(example.text))
    if arranged is None or (arrange is with_named_constants and example.rule.id in _OF_LITERALS):
        return
    plain = check(example._replace(text=_written(ast.parse(example.text))))
    found = check(example._replace(text=_written(arranged)))
    assert len(found) == len(plain), [finding.message for finding in (*found, *plain)]
