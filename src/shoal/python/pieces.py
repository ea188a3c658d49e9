"""Parsing again only what changed: the statements of a module one by one, those whose text is as it was taken from the last time.

Parsing is most of what looking at a Python file costs, and an editor has files looked at again and again. A tree made of pieces is the same
to all that asks it as one parsed whole; where that is not certain there is none, and the file is parsed whole.
"""

from __future__ import annotations

import libcst as cst

from shoal.python.parser import parse

_FILES = 4  # whose statements are remembered: somebody edits few files at a time, and a tree takes memory
_FEWEST = 100  # lines; below that there is nothing to gain


class _Piece:
    """One or more statements with the comments before them; `indent` is None where nothing in them is indented."""

    __slots__ = ("indent", "nodes")

    def __init__(self, nodes: list[cst.BaseCompoundStatement | cst.SimpleStatementLine], indent: str | None) -> None:
        self.nodes = nodes
        self.indent = indent


class Pieces:
    """Remembers statements by their text, for the files that were parsed last."""

    def __init__(self) -> None:
        self._files: dict[str, dict[str, list[_Piece]]] = {}

    def parse(self, path: str, source: str, tops: list[tuple[int, int]]) -> cst.Module | None:
        """The module; None where it is to be parsed whole. `tops`: first and last line of each statement at the top, decorators included.

        Raises what LibCST's parser raises, with other line numbers.
        """
        if len(tops) < 2 or "\r" in source or "\f" in source or source.count("\n") < _FEWEST:
            return None
        known = self._files.pop(path, {})
        fresh: dict[str, list[_Piece]] = {}
        nodes: list[cst.BaseCompoundStatement | cst.SimpleStatementLine] = []
        indents: set[str] = set()
        for text in _cut(source, tops):
            name = text if nodes else f"\f{text}"  # comments before the first are the module's
            before = known.get(name)
            # a text that stands there twice is two statements: nodes are known by their identity
            piece = before.pop() if before else _parsed(text, first=not nodes)
            if piece is None:
                return None
            fresh.setdefault(name, []).append(piece)
            nodes += piece.nodes
            if piece.indent is not None:
                indents.add(piece.indent)
        while len(self._files) >= _FILES:
            del self._files[next(iter(self._files))]
        self._files[path] = fresh
        if len(indents) > 1:
            return None
        return cst.Module(nodes, default_indent=next(iter(indents), "    "))


def _cut(source: str, tops: list[tuple[int, int]]) -> list[str]:
    """The text of each statement, from the end of the one before; indented comments behind a block are the block's."""
    lines = source.split("\n")
    made: list[str] = []
    start = 0
    for number, (_, last) in enumerate(tops):
        if number + 1 < len(tops) and tops[number + 1][0] <= last:
            continue  # on one line
        end = at = last
        stop = tops[number + 1][0] - 1 if number + 1 < len(tops) else len(lines)
        while at < stop and (not lines[at].strip() or (lines[at][0] in " \t" and lines[at].lstrip().startswith("#"))):
            at += 1
            if lines[at - 1].strip():
                end = at
        made.append("\n".join(lines[start:end]) + "\n")
        start = end
    return made


def _parsed(text: str, first: bool) -> _Piece | None:
    """A piece by itself. Comments before a first statement would be the module's, so another statement is put before them.

    None where a comment behind it is not its own: an indented one behind a statement that is no block belongs to the next statement.
    """
    found = parse(text if first else "pass\n" + text)
    if any(line.comment is not None for line in found.footer):
        return None
    nodes = list(found.body if first else found.body[1:])
    indented = any(isinstance(node, cst.BaseCompoundStatement) for node in nodes)
    return _Piece(nodes, found.default_indent if indented else None)


# Kept by a process that reads the same files many times.
kept: Pieces | None = None


def keep() -> None:
    """Remember from now on."""
    global kept
    kept = Pieces()
