"""Writes the facts of a Java file: what every fact maker needs."""

from __future__ import annotations

import re
from functools import cached_property

from tree_sitter import Node

from shoal.facts import Block, Origin, Setting, Unknown, Usage
from shoal.java.source import Declaration, Source
from shoal.model import Place, Span
from shoal.python.values import Known, names
from shoal.readers import Reading
from shoal.records import NamedTuple
from shoal.scripts import scripts_loaded

MAPS = frozenset({"Properties", "Map", "HashMap", "LinkedHashMap", "ConcurrentHashMap", "TreeMap"})
_PUTS = ("put", "setProperty", "putIfAbsent", "putAll")
# What packages of libraries begin with; a name that begins otherwise is the project's own.
_DOMAINS = names(
    "java javax jakarta jdk sun org com net io edu gov dev me co de fr uk cn ru in nl ch us scala kotlin lombok akka okhttp3 retrofit2 reactor redis cn cz"
)
_HIDES = ("load", "remove", "forEach", "computeIfAbsent", "replaceAll")
# Calls that are given a map of options and keep it.
TAKES_OPTIONS = frozenset({"setProperties", "setKafkaProducerConfig", "withConsumerConfigUpdates", "withProducerConfigUpdates"})


class Entry(NamedTuple):
    """An option of a map: the text of its key, where key and value stand, and the call that sets it."""

    key: str
    key_node: Node
    value_node: Node


class Options(NamedTuple):
    """What a map of options holds, in order; `open` when it may hold more."""

    entries: tuple[Entry, ...]
    open: bool


class Sheet:
    def __init__(self, source: Source, out: Reading) -> None:
        self.source = source
        self.out = out

    def block(
        self,
        engine: str,
        role: str,
        span: Span,
        name: str = "",
        parent: Block | None = None,
        traits: tuple[tuple[str, str], ...] = (),
        open: bool = False,
    ) -> Block:
        return self.out.block(engine, role, "java", span, name, parent, traits, open)

    def name_span(self, call: Node) -> Span:
        return self.source.span(self.source.name_node(call))

    def setting(self, block: Block, key: str, node: Node, key_span: Span | None = None, via: Node | None = None) -> None:
        """A setting whose value is an expression; one for each branch of a conditional one. `via` is the call that sets it."""
        span = self.source.body(node)
        branch = self.source.conditional(via or node)
        origin = self.source.told_from(node) or self._given_at(node)
        for text, sure in self.source.shown(node):
            shown = text if text is not None else Unknown(self.source.written(node))
            self.plain(block, key, shown, key_span or span, span, "branch" if branch else sure, origin)

    def _given_at(self, node: Node | None) -> Origin | None:
        """Where a name of this file is given the value that an expression names; nothing that is made over several lines."""
        last = None
        for _ in range(4):  # a name for a name
            declared = self.source.declared_by(node) if node is not None else None
            node = self.source.given(declared) if declared is not None else None
            if node is None:
                break
            last = node
        return Origin(self.out.path, self.source.body(last)) if last is not None and last.start_point[0] == last.end_point[0] else None

    def plain(
        self, block: Block, key: str, value: str | Unknown, key_span: Span, span: Span, sure: str = "sure", origin: Origin | None = None
    ) -> Setting | None:
        at = span if span.end > span.start else key_span
        return self.out.setting(block, key, value, key_span, span, self._comment(at), sure="" if sure == "sure" else sure, origin=origin)

    def _comment(self, span: Span) -> str:
        text = self.source.text
        end = text.find("\n", span.end)
        found = re.search(r"//(.*)", text[span.end : end if end >= 0 else len(text)])
        return found.group(1).strip() if found and '"' not in text[span.end : span.end + found.start()] else ""

    # -- maps of options

    def options(self, node: Node | None, level: int = 0) -> Options:
        """What is put into `Properties` or a map, as far as this file shows."""
        source = self.source
        if node is None or level > 8:
            return Options((), True)
        if node.type in ("identifier", "field_access"):
            declared = source.declaration(source.written(node).removeprefix("this."), node)
            return self._kept(declared, node, level) if declared is not None else Options((), True)
        if node.type == "object_creation_expression":
            if source.type_of(node) not in MAPS:
                return Options((), True)
            given = source.arguments(node)
            sized = not given or "literal" in given[0].type
            first = Options((), False) if sized else self.options(given[0], level + 1)
            body = next((child for child in node.children if child.type == "class_body"), None)
            return first if body is None else self._initialized(first, body)
        if node.type == "method_invocation":
            given = source.arguments(node)
            owner = source.written(node.child_by_field_name("object"))
            if owner in ("Map", "ImmutableMap", "Collections") and source.name(node) in ("of", "singletonMap"):
                entries = [self._entry(key, value) for key, value in zip(given[::2], given[1::2], strict=False)]
                return Options(tuple(entry for entry in entries if entry), not all(entries))
            method = source.method_called(node)
            if method is not None and (inner := source.returned(method)) is not None:
                return self.options(inner, level + 1)
        return Options((), True)

    def _entry(self, key_node: Node, value_node: Node) -> Entry | None:
        key = self.source.value(key_node)
        return Entry(key.value, key_node, value_node) if isinstance(key, Known) and isinstance(key.value, str) else None

    def _initialized(self, first: Options, body: Node) -> Options:
        """What the initializer of an anonymous map puts in: `new Properties() {{ put(…); }}`."""
        source, entries, open_ = self.source, list(first.entries), first.open
        parts = [part for part in body.named_children if "comment" not in part.type]
        lines = [line for part in parts if part.type == "block" for line in part.named_children if "comment" not in line.type]
        for line in lines:
            call = line.named_children[0] if line.type == "expression_statement" else line
            given = source.arguments(call) if call.type == "method_invocation" and call.child_by_field_name("object") is None else []
            entry = self._entry(*given) if len(given) == 2 and source.name(call) in _PUTS else None
            entries += [entry] if entry else []
            open_ = open_ or entry is None
        return Options(tuple(entries), open_ or any(part.type != "block" for part in parts))

    def _kept(self, declared: Declaration, use: Node, level: int) -> Options:
        """What is put into a map that has a name; in the method that hands it on, until it does."""
        source = self.source
        value = source.given(declared)
        base = self.options(value, level + 1) if value is not None else Options((), True)
        entries, open_ = list(base.entries), base.open
        here = source.method_of(use)
        for call in self._changes.get(declared.name, ()):
            mine = source.declaration(declared.name, call) == declared
            if not mine or (call.start_byte > use.start_byte and source.method_of(call) == here):
                continue
            name, given = source.name(call), source.arguments(call)
            if name != "putAll" and name in _PUTS and len(given) == 2:
                entry = self._entry(*given)
                entries += [entry] if entry else []
                open_ = open_ or entry is None
            elif name == "putAll" and given:
                inner = self.options(given[0], level + 1)
                entries, open_ = [*entries, *inner.entries], open_ or inner.open
            elif name in _HIDES:
                open_ = True
        return Options(tuple(entries), open_ or self._given_away(declared))

    @cached_property
    def _changes(self) -> dict[str, list[Node]]:
        """The calls that change a map, by its name."""
        source = self.source
        found: dict[str, list[Node]] = {}
        for call in sorted(source.named(*_PUTS, *_HIDES), key=lambda node: node.end_byte):
            found.setdefault(source.written(call.child_by_field_name("object")).removeprefix("this."), []).append(call)
        return found

    def _given_away(self, declared: Declaration) -> bool:
        """Whether a map is handed to something that may add to it."""
        source = self.source
        for call, given in source.handed.get(declared.name, ()):
            if call.type == "object_creation_expression" or source.name(call) in (*TAKES_OPTIONS, "create", "println", "info", "putAll"):
                continue
            if source.declaration(declared.name, given) == declared:
                return True
        return False

    def mapping(self, block: Block, options: Options, prefix: str = "") -> None:
        """The entries of a map; of entries with the same key, the last."""
        for key, entry in {entry.key: entry for entry in options.entries}.items():
            self.setting(block, prefix + key, entry.value_node, self.source.body(entry.key_node))

    # -- other files

    def imports(self) -> None:
        """The classes of the project that this one names: those imported, and those of its own package."""
        source = self.source
        root = "." * (len(source.package.split(".")) + 1) if source.package else "."
        named = sorted(set(re.findall(r"\b[A-Z]\w*", source.text)) - source.imports.keys())
        top = ".".join(source.package.split(".")[:2])

        def own(name: str) -> bool:
            return (bool(top) and name.startswith(f"{top}.")) or name.partition(".")[0] not in _DOMAINS

        found = [f"{root}{name}:" for name in source.imports.values() if own(name)]
        packages = [source.package, *(package for package in source.starred if package.startswith(top) or own(f"{package}."))]
        found += [f"{root}{package}:{','.join(named)}" for package in packages]
        self.out.facts += [Usage("import", detail, Place(self.out.path, Span(0, 0))) for detail in found]
        self.out.facts += scripts_loaded(source.text, self.out.path)
