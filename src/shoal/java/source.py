"""One Java file: its calls and names, what type an expression has, where an object comes from, and what is constant.

Java says most types where a name is declared, so there is no more to follow than one file's declarations. What a name stands for is known when
it is given a value once.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from functools import cache, cached_property

from tree_sitter import Language, Node, Parser, Query, QueryCursor

from shoal.facts import Origin
from shoal.java import constants, texts, values
from shoal.lazy import pattern
from shoal.model import Span
from shoal.python.values import UNKNOWN, Known, Millis, Symbol, Value, choice, options
from shoal.records import NamedTuple
from shoal.text import MASK, Text

_QUERY = """
(method_invocation) @call
(object_creation_expression) @new
(local_variable_declaration) @local
[(field_declaration) (constant_declaration)] @field
[(formal_parameter) (spread_parameter) (catch_formal_parameter) (resource) (enhanced_for_statement)] @parameter
(lambda_expression) @lambda
(assignment_expression) @assignment
(update_expression) @update
(method_declaration) @method
(class_declaration) @class
(import_declaration) @import
(package_declaration) @package
"""
_DEEP = 40
_DEEPEST = 6  # for what is only shown
_NON_ASCII = pattern(r"[^\x00-\x7f]")
_LOCAL = pattern(r"[\w.()]+\s+instanceof\s+Local(?:Stream)?Environment")
_METHOD_LIKE = ("method_declaration", "constructor_declaration")
_CONDITIONS = frozenset(
    {"if_statement", "switch_expression", "switch_block_statement_group", "switch_rule", "ternary_expression", "catch_clause"}
)
_QUALIFIED = pattern(r"(?<![\w.])(?<!import )(?:[a-z]\w*\.)+[A-Z]\w*\b")
_LIBRARIES = ("org.apache.", "java.", "javax.", "scala.")


class Declaration(NamedTuple):
    """A name: its type (without type arguments; empty when inferred), its value and where it is known. `kind`: local, field, parameter or lambda."""

    name: str
    type: str
    value: Node | None
    node: Node
    start: int
    end: int
    kind: str


@cache
def _language() -> tuple[Parser, Query]:
    import tree_sitter_java

    language = Language(tree_sitter_java.language())
    return Parser(language), Query(language, _QUERY)


def chained(call: Node) -> Iterator[Node]:
    """The calls that follow one in its chain: `.b()` and `.c()` of `a().b().c()`."""
    at = call.parent
    while at is not None and at.type == "method_invocation" and at.child_by_field_name("object") == call:
        yield at
        call, at = at, at.parent


def begins(call: Node) -> Node:
    """What a chain of calls begins with: `a` of `a.b().c()`."""
    at = call
    while at.type == "method_invocation" and (owner := at.child_by_field_name("object")) is not None:
        at = owner
    return at


class Source:
    """`calls` and `news` are in source order, by where the called name stands."""

    def __init__(self, path: str, text: str, told: Mapping[str, str] | None = None) -> None:
        self.path = path
        self.text = text
        self._told = told or {}  # constants of other classes of the project, by name
        self._asking = False
        self.asked: dict[str, None] = {}  # those that the text needs
        self._whole = Text(text)
        parser, query = _language()
        # one byte for each character: so offsets are the same in both
        self.root = parser.parse(_NON_ASCII.sub("_", text).encode()).root_node
        # captures come in the order of a set, another one with each run
        found = {
            name: sorted(nodes, key=lambda node: (node.start_byte, -node.end_byte))
            for name, nodes in QueryCursor(query).captures(self.root).items()
        }
        self.calls = sorted(found.get("call", ()), key=lambda node: self.name_node(node).start_byte)
        self.news = found.get("new", [])
        self._named_calls: dict[str, list[Node]] = {}
        for node in self.calls:
            self._named_calls.setdefault(self.name(node), []).append(node)
        self._starts = [self.name_node(node).start_byte for node in self.calls]
        self._types: dict[int, str] = {}
        self._origins: dict[int, Node | None] = {}
        self.methods = [node for node in found.get("method", ()) if node.child_by_field_name("name")]
        self.classes = [node for node in found.get("class", ()) if node.child_by_field_name("name")]
        self._methods_named: dict[str, list[Node]] = {}
        for node in self.methods:
            self._methods_named.setdefault(self.name(node), []).append(node)
        self.own_classes = frozenset(self.written(node.child_by_field_name("name")) for node in self.classes)
        self.package = "".join(self.written(node)[len("package") :].strip(" ;\n\t") for node in found.get("package", ())[:1])
        self.imports: dict[str, str] = {}
        self.imported: list[tuple[str, Node]] = []  # full names, with the whole import
        self.starred: list[str] = []
        for node in found.get("import", ()):
            name = re.sub(r"\s+", "", self.written(node).removeprefix("import").strip().removeprefix("static").strip(" ;\n\t"))
            if name.endswith(".*"):
                self.starred.append(name[:-2])
            elif name:
                self.imports[name.rpartition(".")[2]] = name
                self.imported.append((name, node))
        self._declared: dict[str, list[Declaration]] = {}
        self._ordered: dict[str, list[int]] = {}  # where the declarations of a name begin
        self._assigned: dict[str, list[Node]] = {}
        for node in found.get("assignment", ()):
            left = node.child_by_field_name("left")
            self._assigned.setdefault(self.written(left).removeprefix("this."), []).append(node)
        for node in found.get("update", ()):
            self._assigned.setdefault(self.written(node).strip("+-"), []).append(node)
        for kind in ("local", "field"):
            for node in found.get(kind, ()):
                self._declare(node, kind)
        for node in found.get("parameter", ()):
            self._parameter(node)
        self.lambdas = found.get("lambda", [])
        for node in self.lambdas:
            self._lambda(node)

    # -- text and places

    def strange(self) -> int | None:
        """Where the first thing stands that does not parse; None where all does."""
        if not self.root.has_error:
            return None
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            if node is not self.root and (node.is_error or node.is_missing):
                return node.start_byte
            waiting += [child for child in reversed(node.children) if child.has_error]
        return len(self.text)  # it ends too early

    def written(self, node: Node | None) -> str:
        return self.text[node.start_byte : node.end_byte] if node is not None else ""

    def span(self, node: Node) -> Span:
        return Span(node.start_byte, node.end_byte)

    def name_node(self, call: Node) -> Node:
        return call.child_by_field_name("name") or call

    def name(self, call: Node) -> str:
        return self.written(call.child_by_field_name("name"))

    def named(self, *names: str) -> list[Node]:
        """The calls of these names, in source order."""
        found = [call for name in names for call in self._named_calls.get(name, ())]
        # the names are often a set, whose order is another one in each process
        return sorted(found, key=lambda call: (call.start_byte, call.end_byte)) if len(names) > 1 else found

    def within(self, body: Node) -> list[Node]:
        """The calls inside a method's body, in source order."""
        return self.calls[bisect_left(self._starts, body.start_byte) : bisect_left(self._starts, body.end_byte)]

    @cached_property
    def references(self) -> dict[str, list[Node]]:
        """Where methods are named and not called (`Parser::read`), by the method's name."""
        found: dict[str, list[Node]] = {}
        for node in below(self.root, "method_reference") if "::" in self.text else ():
            found.setdefault(self.written(node.children[-1]), []).append(node)
        return found

    def method_referred(self, node: Node) -> Node | None:
        """The method of this file that a reference names, where it is the only one of its name."""
        found = self._methods_named.get(self.written(node.children[-1]), ())
        own = self.written(node.children[0]) in ("this", *self.own_classes)
        return found[0] if own and len(found) == 1 else None

    @cached_property
    def handed(self) -> dict[str, list[tuple[Node, Node]]]:
        """The calls and `new` that are given a name, each with the node of the argument."""
        found: dict[str, list[tuple[Node, Node]]] = {}
        for call in (*self.calls, *self.news):
            for given in self.arguments(call):
                if given.type in ("identifier", "field_access"):
                    found.setdefault(self.written(given), []).append((call, given))
        return found

    def arguments(self, call: Node) -> list[Node]:
        """The arguments of a call, or of `new`."""
        found = call.child_by_field_name("arguments")
        return [node for node in found.named_children if not node.type.endswith("comment")] if found is not None else []

    def conditional(self, node: Node) -> bool:
        """Whether what stands here runs on some path only through the method around it."""
        at = node
        while (parent := at.parent) is not None and parent.type not in (*_METHOD_LIKE, "class_body"):
            if parent.type in _CONDITIONS and parent.child_by_field_name("condition") != at:
                return True
            at = parent
        return False

    def local_only(self, node: Node) -> bool:
        """Whether what stands here runs in a program's own process alone, as where it is started in an IDE."""
        at = node
        while (parent := at.parent) is not None and parent.type != "class_body":
            if parent.type == "if_statement" and parent.child_by_field_name("consequence") == at:
                asked = parent.child_by_field_name("condition")
                while asked is not None and asked.type == "parenthesized_expression" and asked.named_children:
                    asked = asked.named_children[0]
                if asked is not None and asked.type == "method_invocation" and (own := self.method_called(asked)) is not None:
                    asked = self.returned(own)
                if _LOCAL.fullmatch(self.written(asked)):
                    return True
            at = parent
        return False

    def method_of(self, node: Node) -> Node | None:
        """The method or constructor around a node."""
        at = node.parent
        while at is not None and at.type not in (*_METHOD_LIKE, "static_initializer"):
            at = at.parent
        return at

    def class_of(self, node: Node) -> Node | None:
        """The class around a node, an anonymous one as `new`."""
        at = node.parent
        while at is not None and at.type not in ("class_declaration", "enum_declaration", "record_declaration"):
            if at.type == "object_creation_expression" and any(child.type == "class_body" for child in at.children):
                return at
            at = at.parent
        return at

    # -- names

    def _type(self, node: Node | None) -> str:
        """The simple name of a type without its arguments; empty for `var`."""
        if node is None:
            return ""
        if node.type == "generic_type":
            return self._type(node.named_children[0])
        name = self.written(node).rpartition(".")[2]
        return "" if name == "var" else constants.SAME.get(name, name)

    def declared_type(self, node: Node) -> str:
        """The simple name of the type that a method or a variable is declared with."""
        return self._type(node.child_by_field_name("type"))

    def _scope(self, node: Node, kind: str) -> tuple[int, int]:
        at = node.parent
        if kind == "local":
            return node.start_byte, at.end_byte if at is not None else node.end_byte
        while at is not None and kind == "field" and at.type not in ("class_body", "interface_body", "enum_body", "program"):
            at = at.parent
        return (at.start_byte, at.end_byte) if at is not None else (0, len(self.text))

    def _declare(self, node: Node, kind: str) -> None:
        type_ = self._type(node.child_by_field_name("type"))
        start, end = self._scope(node, kind)
        for declarator in node.children_by_field_name("declarator"):
            name = self.written(declarator.child_by_field_name("name"))
            made = Declaration(name, type_, declarator.child_by_field_name("value"), declarator, start, end, kind)
            self._declared.setdefault(name, []).append(made)

    def _parameter(self, node: Node) -> None:
        name, type_ = node.child_by_field_name("name"), node.child_by_field_name("type")
        if name is None:
            return
        scope = node if node.type == "enhanced_for_statement" else node.parent
        if scope is not None and scope.type in ("formal_parameters", "resource_specification"):
            scope = scope.parent
        if scope is None:
            return
        value = node.child_by_field_name("value") if node.type == "resource" else None
        made = Declaration(self.written(name), self._type(type_), value, node, scope.start_byte, scope.end_byte, "parameter")
        self._declared.setdefault(made.name, []).append(made)

    def _lambda(self, node: Node) -> None:
        parameters = node.child_by_field_name("parameters")
        if parameters is None or parameters.type == "formal_parameters":
            return
        for name in [parameters] if parameters.type == "identifier" else parameters.named_children:
            made = Declaration(self.written(name), "", None, name, node.start_byte, node.end_byte, "lambda")
            self._declared.setdefault(made.name, []).append(made)

    def declaration(self, name: str, at: Node) -> Declaration | None:
        """What a name is declared as where a node stands."""
        made = self._declared.get(name)
        if made is None:
            return None
        if name not in self._ordered:
            made.sort(key=lambda one: one.start)
            self._ordered[name] = [one.start for one in made]
        start = at.start_byte
        for number in range(bisect_right(self._ordered[name], start), 0, -1):
            if start < made[number - 1].end:
                return made[number - 1]
        return None

    def declared_by(self, node: Node) -> Declaration | None:
        """The declaration of a name or of a field of this class."""
        if node.type == "identifier":
            return self.declaration(self.written(node), node)
        if node.type == "field_access":
            owner, field = node.child_by_field_name("object"), node.child_by_field_name("field")
            if field is not None and self.written(owner) in ("this", *self.own_classes):
                fields = [one for one in self._declared.get(self.written(field), ()) if one.kind == "field"]
                if self.written(owner) == "this":
                    fields = sorted((one for one in fields if one.start <= node.start_byte < one.end), key=lambda one: one.start)[-1:]
                return fields[0] if len(fields) == 1 else None
        return None

    def fields(self) -> Iterator[Declaration]:
        """The fields of all classes."""
        for made in self._declared.values():
            yield from (one for one in made if one.kind == "field")

    def assigned(self, declared: Declaration) -> list[Node]:
        """The assignments that change what a name stands for. `this.x = x` changes the field, not what is handed in."""
        found = []
        for node in self._assigned.get(declared.name, ()):
            left = node.child_by_field_name("left") or node.named_children[0]
            if self.declared_by(left) == declared:
                found.append(node)
        return found

    def given(self, declared: Declaration) -> Node | None:
        """The one expression that a name is given; None when there is none, or more than one."""
        others = self.assigned(declared)
        if declared.value is not None:
            return None if others else declared.value
        if len(others) == 1 and declared.kind in ("local", "field") and self.written(others[0].child_by_field_name("operator")) == "=":
            return others[0].child_by_field_name("right")
        return self._handed_in(declared) if declared.kind == "parameter" and not others else None

    def _ways(self, declared: Declaration) -> list[Node]:
        """What a local variable may hold that is given one value, and another one under some condition; empty where it is not of that kind."""
        others = self.assigned(declared) if declared.kind == "local" and declared.value is not None else []
        if declared.value is None or not 0 < len(others) < 4:
            return []
        rights = [node.child_by_field_name("right") for node in others if self.written(node.child_by_field_name("operator")) == "="]
        if len(rights) < len(others) or not all(map(self.conditional, others)):
            return []
        return [declared.value, *(right for right in rights if right is not None)]

    def _handed_in(self, declared: Declaration) -> Node | None:
        """What the parameter of a private method is, where one call alone runs the method."""
        parameters = declared.node.parent
        method = parameters.parent if parameters is not None and parameters.type == "formal_parameters" else None
        if (
            parameters is None
            or method is None
            or method.type != "method_declaration"
            or "private" not in self.written(method.children[0]).split()
        ):
            return None
        calls = [call for call in self.named(self.name(method)) if self.method_called(call) == method]
        position = parameters.named_children.index(declared.node)
        given = self.arguments(calls[0]) if len(calls) == 1 else []
        return given[position] if len(given) == len(parameters.named_children) and declared.node.type == "formal_parameter" else None

    def method_called(self, call: Node) -> Node | None:
        """The method of this file that a call of no other class runs, where it is the only one of its name."""
        owner = call.child_by_field_name("object")
        own = self.own_classes
        if owner is not None and self.written(owner) not in ("this", *own):
            followed = owner.type in ("identifier", "field_access", "object_creation_expression")
            if not followed or self.type_of(owner) not in own:
                return None
        found = self._methods_named.get(self.name(call), ())
        return found[0] if len(found) == 1 else None

    def kept_as(self, node: Node) -> str:
        """The name that an expression is assigned to, without `this.`; empty where it is used in another way."""
        holder = node.parent
        while holder is not None and holder.type in ("cast_expression", "parenthesized_expression"):
            holder = holder.parent
        if holder is None or holder.type not in ("variable_declarator", "assignment_expression"):
            return ""
        named = holder.child_by_field_name("name") or holder.child_by_field_name("left")
        return self.written(named).removeprefix("this.")

    def returned(self, method: Node) -> Node | None:
        """The one expression that a method returns."""
        found = [node for node in below(method, "return_statement") if self.method_of(node) == method and node.named_children]
        return found[0].named_children[0] if len(found) == 1 else None

    # -- types and origins

    def type_of(self, node: Node | None, level: int = 0) -> str:
        """The simple name of an expression's type, `class:Name` for the name of a class, empty when it cannot be told."""
        if node is None or level > _DEEP:
            return ""
        found = self._types.get(node.id)
        if found is None:
            found = self._types[node.id] = self._type_of(node, level)
        return found

    def _type_of(self, node: Node, level: int) -> str:
        if node.type in ("identifier", "field_access"):
            declared = self.declared_by(node)
            if declared is not None:
                return declared.type or self.type_of(self.given(declared), level + 1)
            name = self.written(node).rpartition(".")[2]
            return f"class:{name}" if name[:1].isupper() and not name.isupper() else ""
        if node.type == "parenthesized_expression":
            return self.type_of(node.named_children[0], level + 1) if node.named_children else ""
        if node.type == "cast_expression":
            return self._type(node.child_by_field_name("type"))
        if node.type == "object_creation_expression":
            return self._type(node.child_by_field_name("type"))
        if node.type == "method_invocation":
            own = self.method_called(node)
            if own is not None:
                return self._type(own.child_by_field_name("type"))
            return constants.result(self.type_of(node.child_by_field_name("object"), level + 1), self.name(node))
        return ""

    def origin(self, node: Node | None, level: int = 0) -> Node | None:
        """Where an object comes from: the static call or `new` that makes it, or the node of a declaration that cannot be followed.

        What a method of an object gives counts as a part of it.
        """
        if node is None or level > _DEEP:
            return None
        if node.id not in self._origins:
            self._origins[node.id] = self._origin(node, level)
        return self._origins[node.id]

    def _origin(self, node: Node, level: int) -> Node | None:
        if node.type in ("identifier", "field_access"):
            declared = self.declared_by(node)
            if declared is None:
                return None
            value = self.given(declared)
            return (self.origin(value, level + 1) if value is not None else None) or declared.node
        if node.type in ("parenthesized_expression", "cast_expression"):
            return self.origin(node.named_children[-1], level + 1) if node.named_children else None
        if node.type == "method_invocation":
            owner = node.child_by_field_name("object")
            if owner is not None and self.type_of(owner) == "class:AsyncDataStream" and (given := self.arguments(node)):
                return self.origin(given[0], level + 1)  # an operator on the stream that it is given
            if owner is None or self.type_of(owner).startswith("class:"):
                own = self.method_called(node)
                inner = self.returned(own) if own is not None else None
                return (self.origin(inner, level + 1) if inner is not None else None) or node
            return self.origin(owner, level + 1)
        return node

    # -- values

    def value(self, node: Node | None, level: int = 0) -> Value:
        """What an expression is worth: `Known`, `Millis`, the `Symbol` of an enumeration, a `Choice`, or UNKNOWN."""
        return values.value(self, node, level) if node is not None and level <= _DEEP else UNKNOWN

    def constant_value(self, node: Node, level: int) -> Value:
        """What a name stands for: one of this file, of a library, or of another class of the project, as that is told."""
        declared = self.declared_by(node)
        if declared is not None:
            ways = self._ways(declared)
            return choice([self.value(way, level + 1) for way in ways]) if ways else self.value(self.given(declared), level + 1)
        written = re.sub(r"\s+", "", self.written(node))
        owner, _, name = written.rpartition(".")
        owner = owner.rpartition(".")[2] or self._imported_from(name)
        if (owner, name) in constants.NUMBERS:
            return Known(constants.NUMBERS[owner, name])
        if option := constants.kafka_option(owner, name) or constants.flink_option(owner, name):
            return Known(option)
        full = self._in_full(written)
        if name.isupper() and full.startswith(_LIBRARIES):
            return Symbol(full)
        if not name.isupper():
            return UNKNOWN
        names = self._elsewhere(written)
        if self._asking:
            self.asked.update(dict.fromkeys(names))
        told = next((self._told[one] for one in names if one in self._told), None)
        if told is None:
            return UNKNOWN
        kind, value, sure = json.loads(told)[:3]
        return Known(value, sure) if kind == "Known" else Millis(value, sure)

    def _elsewhere(self, written: str) -> list[str]:
        """What a constant of another class of the project may be called there, as seen from this file: `...com.shop.Settings.TIMEOUT`."""
        first, dot, _ = written.partition(".")
        beside = []
        full = self._in_full(written)
        if full != written:
            found = [full]
        elif not dot:
            found = [f"{one}.{written}" for one in self.starred if one.rpartition(".")[2][:1].isupper()]
        elif first[:1].isupper():
            found = [f"{one}.{written}" for one in self.starred if not one.rpartition(".")[2][:1].isupper()]
            beside = [f".{written}"]
        else:
            found = [written] if any(part[:1].isupper() for part in written.split(".")[:-1]) else []
        root = "." * (len(self.package.split(".")) + 1 if self.package else 1)
        names = [*beside, *(f"{root}{one}" for one in found if not one.startswith(_LIBRARIES))]
        return names if first not in self.own_classes else []

    def constant(self, name: str) -> str:
        """The value of a constant of this file, and where it stands, as another file is told them; empty where it has none that is known."""
        made = [one for one in self._declared.get(name.rpartition(".")[2], ()) if one.kind == "field"]
        node = self.given(made[0]) if len(made) == 1 else None
        self._asking = True
        value = self.value(node)
        self._asking = False
        if node is None or not isinstance(value, (Known, Millis)):
            return ""
        path, span = self.told_from(node) or Origin(self.path, self.body(node))
        return json.dumps([type(value).__name__, *value, path, *span])

    def told_from(self, node: Node | None, level: int = 0) -> Origin | None:
        """Where another class of the project has what an expression is made of."""
        if node is None or not self._told or level > _DEEPEST:
            return None
        if node.type not in ("identifier", "field_access"):
            return next((found for part in node.named_children if (found := self.told_from(part, level + 1))), None)
        if (declared := self.declared_by(node)) is not None:
            return self.told_from(self.given(declared), level + 1)
        told = next((self._told[one] for one in self._elsewhere(self.written(node)) if one in self._told), None)
        if told is None:
            return None
        path, start, end = json.loads(told)[3:]
        return Origin(path, Span(start, end))

    def _in_full(self, written: str) -> str:
        """The name of a class or constant with its package: of one written so, one imported, or one of Flink's that `*` stands for."""
        first, dot, rest = written.partition(".")
        if first in self.imports:
            return self.imports[first] + dot + rest
        owner = written.rpartition(".")[0].rpartition(".")[2]
        home = next((one for one in self.starred if one.startswith("org.apache.flink.")), "")
        if home and first not in self.own_classes and owner in constants.FLINK_ENUMS:
            return f"{home}.{written}"
        return written

    @cached_property
    def _qualified(self) -> dict[str, str]:
        """Classes that are written with their packages, by simple names."""
        return {full.rpartition(".")[2]: full for full in _QUALIFIED.findall(self.text)}

    def homes(self, kind: str) -> list[str]:
        """What the full name of a class may be, by its simple one: as it is imported or written, else in each package that is imported with `*`."""
        if kind in self.own_classes:
            return []
        full = self.imports.get(kind) or self._qualified.get(kind)
        return [full] if full else [f"{home}.{kind}" for home in self.starred]

    def is_of(self, kind: str, *homes: str) -> bool:
        """Whether a class, by its simple name, may be one whose full name begins with one of these."""
        return any(one.startswith(homes) for one in self.homes(kind))

    def _imported_from(self, name: str) -> str:
        """The class of a constant that is imported statically, by its name or with all of its class; empty where it may be another one's."""
        if name in self.imports:
            return self.imports[name].split(".")[-2]
        classes = [one for one in self.starred if one.rpartition(".")[2][:1].isupper()]
        known = name.endswith("_CONFIG") and all(one.startswith("org.apache.kafka.") for one in classes)
        return classes[0].rpartition(".")[2] if classes and known else ""

    def shown(self, node: Node | None) -> list[tuple[str | None, str]]:
        """The texts that a config file would hold in an expression's place, each with how sure it is; None for an unknown one."""
        self._asking = True
        value = self.value(node)
        self._asking = False
        ways = options(value)
        return [(_text(way), "branch" if len(ways) > 1 else getattr(way, "sure", "sure")) for way in ways]

    # -- texts

    def body(self, node: Node) -> Span:
        """The span of a text without its quotes, of anything else its whole span."""
        span = self.span(node)
        if node.type == "string_literal":
            quote = 3 if self.text.startswith('"""', span.start) else 1
            if span.end - span.start > 2 * quote:
                return Span(span.start + quote, span.end - quote)
        return span

    def text_of(self, node: Node | None) -> Text | None:
        """The text an expression makes, with what is unknown masked; None when no part of it is known."""
        parts = texts.parts(self, node, 0)
        if parts is None or all(set(part) <= {MASK} for part, _ in parts):
            return None
        return self._whole.compose(parts)


def _text(value: Value) -> str | None:
    if isinstance(value, Millis):
        return f"{int(value.value)} ms"
    if isinstance(value, Symbol):
        return value.last
    if isinstance(value, Known):
        inner = value.value
        return ("true" if inner else "false") if isinstance(inner, bool) else str(inner)
    return None


def below(node: Node, kind: str) -> Iterator[Node]:
    """The nodes of a type below another, in source order."""
    waiting = [node]
    while waiting:
        at = waiting.pop()
        if at.type == kind:
            yield at
        waiting += reversed(at.named_children)


def same(one: Node | None, other: Node | None) -> bool:
    """Whether two nodes are the same part of the file."""
    return one is not None and other is not None and one.start_byte == other.start_byte and one.end_byte == other.end_byte
