"""YAML nodes: what questions readers ask of mappings, sequences and scalars, and where their answers stand in the file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode
from ruamel.yaml.nodes import Node as Node

from shoal.lazy import pattern
from shoal.model import LeftOut, Span
from shoal.readers.yaml_compose import MAX_DEPTH as MAX_DEPTH
from shoal.readers.yaml_compose import compose as compose
from shoal.readers.yaml_scalars import comment_after as comment_after
from shoal.readers.yaml_scalars import text_of as text_of
from shoal.readers.yaml_scalars import through
from shoal.records import NamedTuple
from shoal.text import MASK, Text

if TYPE_CHECKING:
    from shoal.facts import Block
    from shoal.readers import Reading
    from shoal.readers.template_branches import Branches

# What anchors and merges may expand to, in nodes: an alias bomb has billions, the largest real file some thousands.
MAX_NODES = 200_000
MAX_LEAVES = 20_000
MAX_LEVELS = 50

_INCLUDED = pattern(rf":[ \t\r]*\n[ ]*#{MASK}")

# `key: {{ toYaml … }}`, and `{{ else }} {} {{ end }}`.
_BEHIND_KEY = pattern(rf"([ ]*)((?:- )?[\w./\"'-]+:[ ]+){MASK}[{MASK} \t]*\r?")
_ENTRY = pattern(r"- |[\w./\"'-]+:(?:[ ]|$)")
_OTHERWISE = pattern(rf"{MASK}[{MASK} \t]*(?:\{{\}}|\[\])[{MASK} \t]*")


class Item(NamedTuple):
    """One entry of a mapping. `merged` says that it came through `<<`."""

    key: str
    key_node: ScalarNode
    value: Node
    merged: bool = False

    @property
    def key_span(self) -> Span:
        return Span(self.key_node.start_mark.index, self.key_node.end_mark.index)


def documents(text: Text, out: Reading) -> list[Node]:
    """The documents of a file; errors become problems, except in templates, which are said to be left out."""
    roots, errors = compose(_settle(text.text) if out.templated else text.text)
    for error in errors:
        if "nested deeper" in error.message:
            out.problem("too-deep", error.message, text.at(error.offset), f"shoal reads at most {MAX_DEPTH:,} levels")
        elif out.unfinished:
            where = f"line {out.lines.line(text.at(error.offset))}"
            out.left_out.append(LeftOut(out.path, "template", f"{where}: {error.message}"))
        else:
            out.problem("unparsable", f"not valid YAML: {error.message}", text.at(error.offset), "correct the syntax, or exclude the file")
    return roots


def _settle(text: str) -> str:
    """Move the comments that stand for template directives to the indentation of the line after them.

    Helm users write directives at column 0 inside block scalars; a comment there would end the scalar. A directive becomes a comment, too, behind
    a key whose entries stand below it, and with the empty map or list that is put there otherwise.
    """
    lines = text.split("\n")
    depth, below = 0, ""
    for index in range(len(lines) - 1, -1, -1):
        line = lines[index]
        content = line.strip(" \r")
        if not content:
            continue
        if (behind := _BEHIND_KEY.fullmatch(line)) and depth > len(behind[1]) and _ENTRY.match(below):
            line = lines[index] = f"{line[: behind.end(2)]}#{line[behind.end(2) + 1 :]}"
        elif _OTHERWISE.fullmatch(content) or (content in ("{}", "[]") and _between(lines, index)):
            line = lines[index] = line.replace(content, "#" + content[1:])
            content = "#" + content[1:]
            if MASK not in content:
                continue
        if content[0] == "#" and content.strip(f"#{MASK} {{}}[]\t\r") == "" and MASK in content:
            width = len(line.rstrip("\r"))
            moved = " " * depth + "#" + MASK * (width - depth - 1) if width > depth else " " * width
            lines[index] = moved + line[width:]
        else:
            depth, below = len(line) - len(line.lstrip(" ")), content
    return "\n".join(lines)


def _between(lines: list[str], index: int) -> bool:
    """Whether a line stands between two directives: it is one branch of a condition."""
    around = (next((line.strip() for line in some if line.strip()), "") for some in (reversed(lines[:index]), lines[index + 1 :]))
    return all(line.startswith(f"#{MASK}") for line in around)


def is_mapping(node: Node | None) -> bool:
    return isinstance(node, MappingNode)


def is_sequence(node: Node | None) -> bool:
    return isinstance(node, SequenceNode)


def scalar(node: Node | None) -> str | None:
    """A scalar's value as text, None for anything else. Types are not resolved: `on`, `1` and `null` are those words."""
    return str(node.value) if isinstance(node, ScalarNode) else None


def is_null(node: Node | None) -> bool:
    return isinstance(node, ScalarNode) and node.style not in ("'", '"', "|", ">") and node.value in ("", "~", "null", "Null", "NULL")


def is_plain(node: Node | None) -> bool:
    return isinstance(node, ScalarNode) and not node.style


def span(node: Node) -> Span:
    """A node's span; a block scalar's or collection's trailing blank lines are not part of it."""
    return Span(node.start_mark.index, node.end_mark.index)


def items(node: Node | None) -> list[Item]:
    """Entries of a mapping in file order with duplicates, then those merged in through `<<` that are not overridden."""
    if not isinstance(node, MappingNode):
        return []
    own: list[Item] = []
    merged: list[Node] = []
    for key, value in node.value:
        if isinstance(key, ScalarNode):
            if key.value == "<<" and not key.style:
                merged += reversed(value.value) if isinstance(value, SequenceNode) else [value]
            else:
                own.append(Item(str(key.value), key, value))
    if merged:
        _merge(own, merged, {id(node)})
    return own


def _merge(own: list[Item], merged: list[Node], visited: set[int]) -> None:
    """Add what comes through `<<`; each mapping counts once, so that merges of merges cannot multiply."""
    seen = {item.key for item in own}
    while merged:
        source = merged.pop()
        if id(source) in visited or not isinstance(source, MappingNode):
            continue
        visited.add(id(source))
        for key, value in source.value:
            if isinstance(key, ScalarNode):
                if key.value == "<<" and not key.style:
                    merged += reversed(value.value) if isinstance(value, SequenceNode) else [value]
                elif key.value not in seen:
                    seen.add(key.value)
                    own.append(Item(str(key.value), key, value, True))


def get(node: Node | None, *path: str) -> Node | None:
    """The value at a path of keys (the last one wins, as in most parsers), or None."""
    for key in path:
        found = None
        for item in items(node):
            if item.key == key:
                found = item.value
        if found is None:
            return None
        node = found
    return node


def find(node: Node | None, *path: str) -> Item | None:
    """The entry at a path of keys, or None."""
    parent = get(node, *path[:-1]) if len(path) > 1 else node
    found = None
    for item in items(parent):
        if item.key == path[-1]:
            found = item
    return found


def kind_and_version(node: Node | None) -> tuple[str, str] | None:
    """The `kind` and `apiVersion` of a Kubernetes object; None for anything else."""
    kind, version = scalar(get(node, "kind")), scalar(get(node, "apiVersion"))
    return (kind, version) if kind is not None and version is not None else None


def elements(node: Node | None) -> list[Node]:
    """Elements of a sequence; none for anything else."""
    return list(node.value) if isinstance(node, SequenceNode) else []


def walk(roots: list[Node]) -> Iterator[tuple[tuple[str, ...], Item]]:
    """Every mapping entry below the roots with the keys that lead to it, each node once however often it is aliased."""
    seen: set[int] = set()
    stack: list[tuple[tuple[str, ...], Node]] = [((), root) for root in reversed(roots)]
    while stack:
        path, node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, MappingNode):
            entries = [Item(str(key.value), key, value) for key, value in node.value if isinstance(key, ScalarNode)]
            for entry in entries:
                yield path, entry
            stack += [((*path, entry.key), entry.value) for entry in reversed(entries) if not isinstance(entry.value, ScalarNode)]
        elif isinstance(node, SequenceNode):
            stack += [((*path, "*"), child) for child in reversed(node.value) if not isinstance(child, ScalarNode)]


def repeated(root: Node) -> Iterator[tuple[Item, Item]]:
    """Each entry whose key its mapping has already, `<<` too, and the entry that has it first; every mapping once however often it is aliased."""
    seen: set[int] = set()
    stack: list[Node] = [root]
    while stack and len(seen) < MAX_NODES:
        node = stack.pop()
        if id(node) in seen or isinstance(node, ScalarNode):
            continue
        seen.add(id(node))
        if isinstance(node, MappingNode):
            first: dict[str, Item] = {}
            for key, value in node.value:
                if isinstance(key, ScalarNode):
                    item = Item(str(key.value), key, value)
                    if (earlier := first.setdefault(item.key, item)) is not item:
                        yield item, earlier
            stack += [value for _, value in reversed(node.value)]
        else:
            stack += reversed(node.value)


def flatten(node: Node, prefix: str = "") -> Iterator[Item]:
    """Leaves of nested mappings with their keys joined by dots, in file order; sequences and scalars are leaves.

    Stops after MAX_LEAVES entries and does not look below MAX_LEVELS levels (anchors that hold themselves); `key_node` is the innermost key.
    """
    stack = [iter([(prefix, item) for item in items(node)])]
    count = 0
    while stack:
        step = next(stack[-1], None)
        if step is None:
            stack.pop()
            continue
        before, item = step
        count += 1
        if count > MAX_LEAVES:
            return
        key = f"{before}.{item.key}" if before else item.key
        if isinstance(item.value, MappingNode) and item.value.value:
            if len(stack) < MAX_LEVELS:
                stack.append(iter([(key, child) for child in items(item.value)]))
        else:
            yield item._replace(key=key)


class TooMuch(Exception):
    """Anchors make more of a file than can be read."""


class Tree:
    """Nodes of one text, whose spans point into the file: the text may be a file, or a block scalar inside one."""

    __slots__ = ("_branches", "_spans", "out", "source", "text")

    def __init__(self, text: Text, out: Reading, within: Tree | None = None) -> None:
        self.text = text
        self.source = text.text
        self.out = out
        self._spans: list[int] = within._spans if within else [0]
        self._branches: Branches | None = within._branches if within else None

    def value(self, node: Node) -> Text:
        """A scalar's value as a text over the file."""
        return through(text_of(node, self.source), self.text) if isinstance(node, ScalarNode) else Text("", [(0, self.span(node).start)])

    def span(self, node: Node) -> Span:
        """What a node covers in the file; of a scalar only its value, without quotes, anchor and block header."""
        self._spans[0] += 1
        if self._spans[0] > MAX_NODES:
            raise TooMuch
        if isinstance(node, ScalarNode):
            start, end = node.start_mark.index, node.end_mark.index
            value = str(node.value)
            if node.style in ("'", '"') and self.source[start : start + 1] == node.style:
                return self.text.span(start + 1, end - 1)
            if self.source[start:end] == value:
                return self.text.span(start, end)
            inner = self.value(node)
            return inner.span(0, len(value.rstrip("\r\n")))
        return self.text.span(node.start_mark.index, node.end_mark.index)

    def key(self, item: Item) -> Span:
        return self.span(item.key_node)

    def comment(self, node: Node) -> str:
        return comment_after(node, self.source)

    def documents(self) -> list[Node]:
        return documents(self.text, self.out)

    def sureness(self, key: Span, block: Block) -> str:
        """`branch` when a template puts the key into its block on a condition, else nothing."""
        if not self.out.templated:
            return ""
        if self._branches is None:
            from shoal.readers.template_branches import Branches

            self._branches = Branches(self.out)
        return "branch" if self._branches.hold(key.start, block.place.span.start) else ""

    def shown(self, node: Node | None) -> str:
        """A scalar's text as it stands in the file where a template makes part of it; empty for anything else."""
        value = scalar(node) or ""
        if node is None or MASK not in value:
            return value
        span = self.span(node)
        return self.out.raw[span.start : span.end]

    def hidden(self, item: Item) -> bool:
        """Part of an entry is put in by a template (a loop, an include), so what it lacks may still be there."""
        if not self.out.templated:
            return False
        start, end = item.key_node.start_mark.index, item.value.end_mark.index
        if f"#{MASK}" in self.source[start:end]:
            return True
        # an include that is the whole value reads as nothing: the comment follows the key
        return is_null(item.value) and bool(_INCLUDED.match(self.source, item.key_node.end_mark.index))
