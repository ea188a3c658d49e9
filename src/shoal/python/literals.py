"""Literals of a Python module that uses no streaming library, by the standard parser alone, with their places in the file."""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from typing import TYPE_CHECKING

from shoal.lazy import pattern
from shoal.model import Span
from shoal.readers import mask
from shoal.text import MASK, Text

if TYPE_CHECKING:
    from shoal.readers import Reading

_LITERAL = pattern(r"[rRuU]?('''|\"\"\"|'|\")")
_FORMATTED = pattern(r"(?:[fF]|[rR][fF]|[fF][rR])('''|\"\"\"|'|\")")
_REPLACED = pattern(r"\{[^{}]*\}")
_CONVERTED = pattern(r"%(?:\(\w*\))?[-#0 +]*[\d*]*(?:\.[\d*]+)?[A-Za-z%]")
_LARGEST = 400_000


def parsed(source: str) -> ast.Module | None:
    """The module; None for what is too large, no Python, or nested too deep."""
    if len(source) > _LARGEST:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class Literals:
    """A module's literals, and the names that stand for one: those that are assigned once, and are no parameter or loop variable."""

    def __init__(self, text: Text, out: Reading, tree: ast.Module) -> None:
        self.text, self.out, self.tree = text, out, tree
        self.lines = text.text.split("\n")
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.constants: dict[str, ast.expr] = {}
        bound: Counter[str] = Counter()
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                bound[node.id] += 1
            elif isinstance(node, ast.arg):
                bound[node.arg] += 2
            elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
                if isinstance(target, ast.Name) and (isinstance(node, ast.AnnAssign) or len(node.targets) == 1):
                    self.constants[target.id] = node.value
        for name in [name for name in self.constants if bound[name] > 1]:
            del self.constants[name]

    def followed(self, node: ast.expr | None) -> ast.expr | None:
        """The expression that a name stands for, when it is assigned once."""
        for _ in range(5):
            if not isinstance(node, ast.Name):
                return node
            node = self.constants.get(node.id)
        return None

    def scalar(self, node: ast.expr | None) -> str | None:
        node = self.followed(node)
        if isinstance(node, ast.Constant):
            if isinstance(node.value, bool):
                return "true" if node.value else "false"
            if isinstance(node.value, (str, int, float)):
                return str(node.value)
        return None

    def string(self, node: ast.expr | None) -> str:
        """A text; of one put together, what follows the last unknown part (a path's end is what tells). Empty for anything else."""
        node = self.followed(node)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        if isinstance(node, ast.JoinedStr) and node.values and isinstance(node.values[-1], ast.Constant):
            return str(node.values[-1].value)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and isinstance(node.right, (ast.Constant, ast.JoinedStr)):
            return self.string(node.right)
        return ""

    def text_of(self, node: ast.expr | None) -> Text | None:
        """A literal text over the file; template expressions, and what is filled in or joined to it, are masked."""
        node = self.followed(node)
        if isinstance(node, ast.JoinedStr):
            return self.filled(node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self.joined(node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            return self.constant(node.left, _CONVERTED)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
            return self.constant(node.func.value, _REPLACED)
        return self.constant(node)

    def constant(self, node: ast.expr | None, replaced: re.Pattern[str] | None = None) -> Text | None:
        """A text that stands in one place; what matches `replaced` is masked."""
        node = self.followed(node)
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            return None
        value = mask(node.value if replaced is None else replaced.sub(lambda found: MASK * len(found.group()), node.value))
        span = self.span(node)
        if self.text.text[span.start : span.end] == node.value:
            return Text(value, [(0, span.start)])
        return Text(value, [(index, span.start) for index in range(max(1, len(value)))])  # escapes, or several literals

    def joined(self, node: ast.BinOp) -> Text | None:
        """Texts that `+` joins; None where none of them is a text."""
        parts: list[ast.expr] = []
        left: ast.expr = node
        while isinstance(left, ast.BinOp) and isinstance(left.op, ast.Add):
            parts.append(left.right)
            left = left.left
        texts = [self.text_of(part) for part in (left, *reversed(parts))]
        if all(text is None for text in texts):
            return None
        whole, pieces = "", []
        for part, text in zip((left, *reversed(parts)), texts, strict=True):
            body = text.text if text else MASK
            pieces += [(len(whole) + at, text.at(at) if text else self.span(part).start) for at in range(max(1, len(body)))]
            whole += body
        return Text(whole, pieces)

    def filled(self, node: ast.JoinedStr) -> Text:
        """An f-string with what it fills in masked: character by character where it stands as it is meant, else all of it at its start."""
        span, segment = self.span(node), self.segment(node)
        opening = _FORMATTED.match(segment)
        if opening is not None and segment.endswith(opening.group(1)) and len(segment) >= opening.end() + len(opening.group(1)):
            inner = segment[opening.end() : -len(opening.group(1))].replace("\\\\\n", " \\\n")
            rest = inner.replace("\\\n", "")
            if opening.group(1) not in inner and "{{" not in inner and "}}" not in inner and "\\" not in rest:
                masked = _REPLACED.sub(lambda found: MASK * len(found.group()), inner)
                return Text(masked, [(0, span.start + opening.end())])
        parts = [str(part.value) if isinstance(part, ast.Constant) else MASK for part in node.values]
        value = mask("".join(parts))
        return Text(value, [(index, span.start) for index in range(max(1, len(value)))])

    def words(self, node: ast.expr | None, most: int | None = None) -> list[tuple[str, Text]]:
        """What a list's arguments are, the first `most` of them; one that only a run would tell is masked, so that its neighbours keep their places."""
        found = self.followed(node)
        parts = [part for part in found.elts if not isinstance(part, ast.Starred)] if isinstance(found, (ast.List, ast.Tuple)) else []
        texts = [self.text_of(part) or Text(MASK, [(0, self.span(part).start)]) for part in parts[:most]]
        return [(text.text, text) for text in texts]

    # -- places -------------------------------------------------------------------------------------------------------------------

    def at(self, line: int, column: int) -> int:
        """An offset from a 1-based line and a column in UTF-8 bytes."""
        text = self.lines[line - 1]
        return self.starts[line - 1] + (column if text.isascii() else len(text.encode()[:column].decode(errors="ignore")))

    def span(self, node: ast.AST) -> Span:
        """What a node covers; of a text in quotes the text, of a keyword its name."""
        start = self.at(node.lineno, node.col_offset)  # type: ignore[attr-defined]
        end = self.at(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
        if isinstance(node, ast.keyword):
            return Span(start, start + len(node.arg or ""))
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            opening = _LITERAL.match(self.text.text, start, end)
            if opening and self.text.text[opening.end() : end - len(opening.group(1))] == node.value:
                return Span(opening.end(), end - len(opening.group(1)))
        return Span(start, end)

    def segment(self, node: ast.AST) -> str:
        span = self.span(node)
        return self.text.text[span.start : span.end]
