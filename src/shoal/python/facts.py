"""Calls as facts: the same settings a config file would hold, with spans in the Python file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.facts import Block, Origin, Setting, Unknown
from shoal.model import Span
from shoal.python import loops, texts
from shoal.python.libraries import PACKAGES
from shoal.python.loops import Rounds
from shoal.python.values import (
    Choice,
    ClassValue,
    Instance,
    Known,
    Mapping,
    Member,
    Millis,
    Object,
    Pair,
    Partial,
    Sequence,
    Symbol,
    Value,
    options,
    weakest,
)
from shoal.text import MASK

if TYPE_CHECKING:
    from shoal.python.module import Module
    from shoal.python.tree import Binding, Call, Spot
    from shoal.readers import Reading


class Sheet:
    """Writes facts: what every fact maker needs."""

    def __init__(self, module: Module, out: Reading) -> None:
        self.module = module
        self.out = out

    def span(self, node: Any, spot: Spot) -> Span:
        return self.module.span(node, spot)

    def body_span(self, node: Any, spot: Spot) -> Span:
        """The span of a text without its quotes, of anything else its whole span."""
        if isinstance(node, cst.SimpleString):
            inner = self.module.inner_span(node, spot)
            before = len(node.prefix) + len(node.quote)
            if inner.end - inner.start > before + len(node.quote):
                return self.module.text.span(inner.start + before, inner.end - len(node.quote))
        return self.span(node, spot)

    def name_span(self, call: Call) -> Span:
        """The called name."""
        return self.module.call_place(call).span

    def source(self, span: Span) -> str:
        return self.out.raw[span.start : span.end]

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
        return self.out.block(engine, role, "python", span, name, parent, traits, open)

    def setting(
        self,
        block: Block,
        key: str,
        node: Any,
        spot: Spot,
        key_span: Span | None = None,
        via: Spot | None = None,
        value: Value | None = None,
    ) -> Setting | None:
        """A setting whose value is an expression; one for each branch of a ternary. `via` is the spot of the call that sets it."""
        value_span = self.body_span(node, spot)
        key_span = key_span or value_span
        sure = "branch" if (via or spot).conditional else "sure"
        made = None
        for option in options(value if value is not None else self.module.value(node, spot)):
            if isinstance(option, Known) and option.value is None:
                continue
            text = text_value(self.module, option)
            certainty = certainty_of(self.module, option)
            if not text and certainty == "default":
                text = None  # an empty default says that nothing is given, which the program looks at before it sets the option
            if isinstance(value, Choice):
                certainty = "branch"
            shown = text if text is not None else Unknown(self.source(value_span), self._beginning(option))
            made = self.plain(block, key, shown, key_span, value_span, weakest(sure, certainty), self.written(node, spot))
        return made

    def _beginning(self, value: Value) -> str:
        """What comes before the first part of a text that is not known: `/tmp/` of `f"{FOLDER}/{name}"`."""
        text = texts.text_of(self.module, value.node, value.spot) if isinstance(value, Partial) else None
        return text.text.partition(MASK)[0] if text is not None else ""

    def written(self, node: Any, spot: Spot) -> Origin | None:
        """Where the value stands that an expression names, or begins with: in another file, or at the one assignment of a name of this one."""
        elsewhere = self.module.others.origin(node, spot)
        if elsewhere is not None:
            return elsewhere
        last = None
        for _ in range(4):  # a name for a name
            found = self._assigned(_beginning(node), spot)
            if len(found) != 1 or found[0].kind != "assign" or not isinstance(found[0].node, cst.CSTNode):
                break
            last = node, spot = found[0].node, found[0].spot
        return Origin(self.module.path, self.body_span(*last)) if last is not None else None

    def _assigned(self, node: Any, spot: Spot) -> list[Binding]:
        """What a name is given, or `self.name` and `Settings.NAME` in their class."""
        if isinstance(node, cst.Name):
            return [binding for binding, _ in self.module.lookup(node.value, spot)]
        owner = self.module.value(node.value, spot) if isinstance(node, cst.Attribute) else None
        if not isinstance(owner, (Instance, ClassValue)):
            return []
        classes = self.module.parents(owner.cls)
        found = [binding for cls in classes for binding in cls.attributes.get(node.attr.value, ())]
        if not found and isinstance(owner, Instance) and owner.call is not None and not owner.call.args:  # a record with all its defaults
            found = [binding for cls in classes for binding in cls.scope.bindings.get(node.attr.value, ())]
        return found

    def plain(
        self,
        block: Block,
        key: str,
        value: str | Unknown,
        key_span: Span,
        value_span: Span,
        sure: str = "sure",
        origin: Origin | None = None,
    ) -> Setting | None:
        comment = self.module.comment_at(value_span if value_span.end > value_span.start else key_span)
        return self.out.setting(block, key, value, key_span, value_span, comment, sure="" if sure == "sure" else sure, origin=origin)

    def pair(self, block: Block, key_node: Any, value_node: Any, spot: Spot, prefix: str = "", via: Spot | None = None) -> Rounds:
        """Settings whose keys are expressions too; what they are made of."""
        made = self.pairs(key_node, value_node, spot)
        for pair in made.pairs:
            if pair.key:
                span = self.body_span(pair.key_node, pair.spot)
                self.setting(block, f"{prefix}{pair.key}", pair.value_node, pair.spot, span, via or spot)
        return made

    def pairs(self, key_node: Any, value_node: Any, spot: Spot) -> Rounds:
        """What a call that sets a key to a value sets, in a loop over a dict and the like all of it."""
        key = self.key_text(key_node, spot)
        if key:
            return Rounds((Pair(key, key_node, value_node, spot),), False)
        return loops.pairs(self.module, key_node, value_node, spot)

    def key_text(self, node: Any, spot: Spot) -> str:
        value = self.module.value(node, spot)
        if isinstance(value, Known) and isinstance(value.value, str):
            return value.value
        if isinstance(value, Member):
            inner = self.module.value(value.node, value.cls.spot)
            return inner.value if isinstance(inner, Known) and isinstance(inner.value, str) else ""
        return ""

    def mapping(self, block: Block, value: Mapping, prefix: str = "", via: Spot | None = None, rename: Any = None) -> None:
        """The entries of a dict; of entries with the same key, the last, and those that other branches of the program make instead of it."""
        made: dict[str, list[Pair]] = {}
        for pair in value.pairs:
            if pair.key is not None:
                before = made.get(pair.key, ())
                made[pair.key] = [*(one for one in before if pair.spot.excludes(one.spot)), pair]
        for key, pairs in made.items():
            shown = prefix + (rename(key) if rename else key)
            for pair in pairs:
                self.setting(block, shown, pair.value_node, pair.spot, self.body_span(pair.key_node, pair.spot), via)

    def texts_only(self, block: Block, value: Mapping) -> None:
        """Notes the broker list of a client that takes texts alone, where it is a Python list."""
        for pair in value.pairs:
            if pair.key == "bootstrap.servers":
                found = self.module.value(pair.value_node, pair.spot)
                if isinstance(found, Sequence) and found.kind != "set":
                    library = block.trait("library") if not block.trait("host") else "beam"
                    self.out.oddity("list-of-brokers", pair.key, self.span(pair.value_node, pair.spot), library, block)


def _beginning(node: Any) -> Any:
    """What stands first in a text that is put together: `f"{BASE}/orders"`, `BASE + "/orders"`."""
    if isinstance(node, cst.FormattedString) and node.parts and isinstance(node.parts[0], cst.FormattedStringExpression):
        return node.parts[0].expression
    return node.left if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Add) else node


def certainty_of(module: Module, value: Value) -> str:
    """How surely a value holds, as a `Setting` says it; a list no more than each of its elements."""
    if isinstance(value, Sequence):
        return weakest(*(certainty_of(module, module.value(node, value.spot)) for node in value.nodes))
    return value.sure if isinstance(value, (Known, Millis)) else "sure"


def text_value(module: Module, value: Value) -> str | None:
    """A value as a config file would write it; None when it is unknown."""
    if isinstance(value, Known):
        inner = value.value
        if isinstance(inner, bool):
            return "true" if inner else "false"
        if isinstance(inner, float) and inner.is_integer() and abs(inner) < 1e15:
            return str(int(inner))
        if isinstance(inner, (str, int, float)):
            return str(inner)
        return None
    if isinstance(value, Millis):
        return f"{int(value.value)} ms"
    if isinstance(value, Symbol):
        # A member of a library's enumeration; a constant of another module of the project is not known here.
        parts = value.name.split(".")
        if len(parts) < 3 or parts[0] not in PACKAGES or not parts[-2][:1].isupper():
            return None
        return value.last if value.last.isupper() else None
    if isinstance(value, Member):
        inner_value = module.value(value.node, value.cls.spot)
        return str(inner_value.value) if isinstance(inner_value, Known) and isinstance(inner_value.value, (str, int)) else None
    if isinstance(value, Sequence) and not value.open and value.kind != "set":
        texts = [text_value(module, module.value(node, value.spot)) for node in value.nodes]
        known = [text for text in texts if text is not None]
        return ",".join(known) if len(known) == len(texts) else None
    return None


def by_root(pairs: list[tuple[Object, Call]]) -> dict[int, tuple[Object, list[Call]]]:
    """Calls grouped by the object their receiver is part of."""
    groups: dict[int, tuple[Object, list[Call]]] = {}
    for obj, call in pairs:
        groups.setdefault(id(obj.root), (obj.root, []))[1].append(call)
    return groups


def collect(module: Module, out: Reading) -> None:
    """All facts of a module."""
    from shoal.python import (
        elsewhere,
        facts_beam,
        facts_connect,
        facts_flink,
        facts_kafka,
        facts_records,
        facts_spark,
        facts_usage,
        frames_elsewhere,
    )

    sheet = Sheet(module, out)
    raw = out.raw
    _ = module.contexts  # what parameters the engines fill in must be known before anything is evaluated
    for cls in module.classes:
        for binding in (one for found in cls.attributes.values() for one in found if isinstance(one.node, cst.Call)):
            module.value(binding.node, binding.spot)  # from its end: `self.x = self.x.a().b()` asked for at `a` would wait for itself
    if "flink" in raw or module.of_tables:
        facts_flink.collect(sheet)
    if any(word in raw for word in ("spark", "writeStream", "readStream", "kafka.bootstrap.servers")):
        facts_spark.collect(sheet)
    if "kafka" in raw.lower() or "quixstreams" in raw:
        facts_kafka.collect(sheet)
    if "connector.class" in raw:
        facts_connect.collect(sheet)
    if "apache_beam" in raw:
        facts_beam.collect(sheet)
    facts_usage.collect(sheet)
    if "isoformat" in raw or "strftime" in raw:
        facts_records.collect(sheet)
    out.facts += elsewhere.has(module)
    out.facts += elsewhere.runs(module)
    out.facts += frames_elsewhere.given(module)
