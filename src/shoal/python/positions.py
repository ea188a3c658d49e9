"""Spans of tree nodes, computed only for the statements that are asked about.

CPython's parser says where each statement starts; LibCST generates the text of one statement again, and the offsets met on the
way are those of its nodes. That costs what is looked at, where `PositionProvider` costs two parses of the whole file. The text
generated is compared with the file's: where they differ (no such file is known), the whole module is generated once.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import libcst as cst
from libcst._nodes.internal import CodegenState

from shoal.model import Span
from shoal.python.tree import Tree


class _Body(Exception):
    """Raised where a compound statement's header ends."""


class _Noting(CodegenState):
    """A code generator's state that notes where each node starts and ends."""

    def __init__(self, default_indent: str, default_newline: str, stop: Any) -> None:
        super().__init__(default_indent, default_newline)
        self.length = 0
        self.stop = stop
        self.spans: dict[int, tuple[int, int]] = {}
        self.open: list[int] = []

    def add_indent_tokens(self) -> None:
        for token in self.indent_tokens:
            self.add_token(token)

    def add_token(self, value: str) -> None:
        self.tokens.append(value)
        self.length += len(value)

    def before_codegen(self, node: Any) -> None:
        if node is self.stop:
            raise _Body
        self.open.append(self.length)

    def after_codegen(self, node: Any) -> None:
        start = self.open.pop()
        self.spans.setdefault(id(node), (start, self.length))

    @contextmanager
    def record_syntactic_position(self, node: Any, *, start_node: Any = None, end_node: Any = None) -> Iterator[None]:
        start = self.length
        self.spans[id(node)] = (start, start)
        yield
        end = self.spans[id(end_node)][1] if end_node is not None and id(end_node) in self.spans else self.length
        if start_node is not None and id(start_node) in self.spans:
            start = self.spans[id(start_node)][0]
        self.spans[id(node)] = (start, end)


class Positions:
    def __init__(self, tree: Tree, raw: str, starts: list[tuple[int, int]]) -> None:
        self._tree = tree
        self._raw = raw
        self._starts = starts if len(starts) == len(tree.statements) else []
        self._spans: dict[int, Span] = {}
        self._done: set[int] = set()
        self._lines: list[int] | None = None
        self._whole = False

    def span(self, node: Any, statement: int) -> Span:
        """The span of a node of a statement, without the parentheses around it."""
        found = self._spans.get(id(node))
        if found is None and statement not in self._done:
            self._locate(statement)
            found = self._spans.get(id(node))
        if found is None and not self._whole:
            self._generate_all()
            found = self._spans.get(id(node))
        return found or Span(0, 0)

    def statement_start(self, statement: int) -> int:
        """Offset of a statement's first character (`def`, not its decorators)."""
        if not self._starts:
            return self.span(self._tree.statements[statement].node, statement).start
        return self._offset(*self._starts[statement])

    def _offset(self, line: int, column: int) -> int:
        if self._lines is None:
            self._lines = _line_starts(self._raw)
        start = self._lines[line - 1]
        if column == 0:
            return start
        if self._raw[start : start + column].isascii():
            return start + column
        return start + len(self._raw[start : start + column].encode()[:column].decode(errors="ignore"))

    def _locate(self, number: int) -> None:
        self._done.add(number)
        if not self._starts:
            return
        statement = self._tree.statements[number]
        node = statement.node
        body = getattr(node, "body", None) if not isinstance(node, cst.Expr) else None
        module = self._tree.node
        state = _Noting(module.default_indent, module.default_newline, node.cases[0] if isinstance(node, cst.Match) else body)
        state.indent_tokens = [statement.indent] if statement.indent else []
        try:
            node._codegen(state)
        except _Body:
            pass
        except Exception:
            return
        own = state.spans.get(id(node), (0, 0))[0]
        base = self._offset(*self._starts[number]) - own
        text = "".join(state.tokens)
        # Before the keyword come comments and decorators; the text must be the file's from there to the end.
        if base < 0 or self._raw[base : base + len(text)].rstrip() != text.rstrip():
            start = base + own
            if self._raw[start : start + len(text) - own].rstrip() != text[own:].rstrip():
                return
        for key, (start, end) in state.spans.items():
            self._spans.setdefault(key, Span(base + start, base + end))

    def _generate_all(self) -> None:
        self._whole = True
        module = self._tree.node
        state = _Noting(module.default_indent, module.default_newline, None)
        module._codegen(state)
        if "".join(state.tokens) != self._raw:
            return
        for key, (start, end) in state.spans.items():
            self._spans.setdefault(key, Span(start, end))


def _line_starts(text: str) -> list[int]:
    """Where Python's own parser begins a line: after LF, CR LF and a lone CR."""
    starts = [0]
    if "\r" not in text:
        at = text.find("\n")
        while at != -1:
            starts.append(at + 1)
            at = text.find("\n", at + 1)
        return starts
    for index, char in enumerate(text):
        if char == "\n" or (char == "\r" and text[index + 1 : index + 2] != "\n"):
            starts.append(index + 1)
    return starts
