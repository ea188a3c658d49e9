"""Texts inside Python: a literal (or what is put together from several) as a `Text` whose offsets point into the file."""

from __future__ import annotations

import re
from ast import literal_eval
from typing import Any

import libcst as cst

from shoal.facts import Origin
from shoal.lazy import pattern
from shoal.model import Span
from shoal.python.expressions import as_one
from shoal.python.module import Module
from shoal.python.tree import Spot, dotted
from shoal.python.values import Choice, FunctionValue, Known, Mapping, Sequence, Standin
from shoal.text import MASK, Text

Part = tuple[str, int, bool]  # characters, offset of the first in the file, whether the two run in step

_ESCAPE = pattern(r"\\(?:\r\n|[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]*\}|.|\n)", re.DOTALL)
_FIELD = pattern(r"\{\{|\}\}|\{[^{}]*\}")
_PERCENT = pattern(r"%%|%\([^)]*\)[-#0 +]*\d*(?:\.\d+)?[sdrifgexX]|%[-#0 +]*\d*(?:\.\d+)?[sdrifgexX]")
_LIMIT = 64
_LONGEST = 20_000  # characters that are placed one by one


def text_of(module: Module, node: Any, spot: Spot) -> Text | None:
    """The text an expression makes, with what is unknown masked; None when it is no text that can be followed."""
    parts = _parts(module, node, spot, 0)
    if parts is None:
        return None
    placed: list[tuple[str, int]] = []
    for chars, offset, in_step in parts:
        if in_step or len(chars) > _LONGEST:
            placed.append((chars, offset))
        else:
            # What is filled in stands nowhere here: each of its characters is placed where it is filled in.
            placed += [(char, offset) for char in chars]
    return module.text.compose(placed or [("", module.inner_span(node, spot).start)])


# By how much longer a literal is than what stands between its quotes, with or without an `f`, where that begins.
_OPENING = {2: 1, 3: 2, 6: 3, 7: 4}


def literal(origin: Origin | None, text: str) -> Origin | None:
    """Where a text begins of which another file has the literal; None where the two do not run in step."""
    if origin is None or (opening := _OPENING.get(origin.span.end - origin.span.start - len(text))) is None:
        return None
    return Origin(origin.path, Span(origin.span.start + opening, origin.span.end))


def _parts(module: Module, node: Any, spot: Spot, level: int) -> list[Part] | None:
    if level > _LIMIT:
        return None
    if isinstance(node, cst.SimpleString):
        return _literal(node.value, module.inner_span(node, spot).start)
    if isinstance(node, cst.ConcatenatedString):
        return _both(_parts(module, node.left, spot, level + 1), _parts(module, node.right, spot, level + 1))
    if isinstance(node, cst.FormattedString):
        return _formatted(module, node, spot, level)
    if isinstance(node, cst.BinaryOperation):
        if isinstance(node.operator, cst.Add):
            left, right = _parts(module, node.left, spot, level + 1), _parts(module, node.right, spot, level + 1)
            if left is None and right is None:
                return None
            return (left or _hole(module, node.left, spot)) + (right or _hole(module, node.right, spot))
        if isinstance(node.operator, cst.Modulo):
            template = _parts(module, node.left, spot, level + 1)
            return _filled(module, template, _PERCENT, node.right, spot, level) if template is not None else None
        return None
    if isinstance(node, cst.Call):
        return _called(module, node, spot, level)
    if isinstance(node, (cst.Name, cst.Attribute)):
        found = _followed(module, node, spot)
        if found is not None and found[0] is not node:
            return _parts(module, found[0], found[1], level + 1)
    return _known(module, node, spot)


def _hole(module: Module, node: Any, spot: Spot) -> list[Part]:
    span = module.inner_span(node, spot)
    return [(MASK * max(1, span.end - span.start), span.start, True)]


def _both(left: list[Part] | None, right: list[Part] | None) -> list[Part] | None:
    return left + right if left is not None and right is not None else None


def _followed(module: Module, node: Any, spot: Spot) -> tuple[Any, Spot] | None:
    """The one expression a name or attribute stands for."""
    if isinstance(node, cst.Name):
        bindings = module.lookup(node.value, spot)
        if len(bindings) == 1:
            binding = bindings[0][0]
            if binding.kind == "assign":
                return binding.node, binding.spot
            if binding.kind == "param":
                function = binding.detail
                param = function.param(node.value)
                sites = module.call_sites(function)
                if len(sites) == 1 and param is not None and (given := module.given(sites[0], function, param)) is not None:
                    return given, sites[0].spot
        return None
    for option in (module.value(node.value, spot),):
        cls = getattr(option, "cls", None)
        if cls is not None:
            for at in module.parents(cls):
                bindings_here = at.scope.bindings.get(node.attr.value) or at.attributes.get(node.attr.value)
                if bindings_here and len(bindings_here) == 1 and bindings_here[0].kind == "assign":
                    return bindings_here[0].node, bindings_here[0].spot
    return None


def _called(module: Module, node: cst.Call, spot: Spot, level: int) -> list[Part] | None:
    func = node.func
    if isinstance(func, cst.Attribute) and func.attr.value in ("strip", "lstrip", "rstrip", "format", "replace", "join"):
        if func.attr.value == "join":
            separator = module.constant(func.value, spot)
            return _joined(module, separator, node, spot, level) if isinstance(separator, str) and node.args else None
        inner = _parts(module, func.value, spot, level + 1)
        if inner is None or func.attr.value != "format":
            return inner
        return _filled(module, inner, _FIELD, node, spot, level)
    if dotted(func).rsplit(".", 1)[-1] in ("dedent", "cleandoc", "text", "str") and len(node.args) == 1:
        return _parts(module, node.args[0].value, spot, level + 1)
    value = module.value(func, spot)
    if isinstance(value, FunctionValue):
        returns = [(result, at) for result, at in value.function.returns if result is not None]
        if len(returns) == 1:
            with module.calling(value.function, node, spot):
                return _parts(module, returns[0][0], returns[0][1], level + 1)
    return _known(module, node, spot)


def _known(module: Module, node: Any, spot: Spot) -> list[Part] | None:
    value = module.value(node, spot)
    return (
        [(value.value, module.inner_span(node, spot).start, False)] if isinstance(value, Known) and isinstance(value.value, str) else None
    )


def _joined(module: Module, separator: str, node: cst.Call, spot: Spot, level: int) -> list[Part] | None:
    given = node.args[0].value
    start = module.inner_span(node, spot).start
    if isinstance(given, (cst.GeneratorExp, cst.ListComp, cst.SetComp)):
        return _of_entries(module, separator, given, start, spot, level) or _hole(module, node, spot)
    value = module.value(given, spot)
    if isinstance(value, Choice) or not isinstance(value, Sequence):
        return _hole(module, node, spot)
    parts: list[Part] = []
    for index, element in enumerate(value.nodes):
        if index:
            parts.append((separator, start, False))
        parts += _parts(module, element, value.spot, level + 1) or _hole(module, element, value.spot)
    if value.open:
        parts.append((separator + MASK, start, False))
    return parts


def _of_entries(module: Module, separator: str, given: Any, start: int, spot: Spot, level: int) -> list[Part] | None:
    """`", ".join(f"'{k}' = '{v}'" for k, v in options.items())`: each entry's key and value stand where the dict has them."""
    loop, element = given.for_in, given.elt
    target, entries = loop.target, loop.iter
    names = [part.value.value for part in target.elements if isinstance(part.value, cst.Name)] if isinstance(target, cst.Tuple) else []
    if len(names) != 2 or loop.ifs or loop.inner_for_in is not None:
        return None
    if not (isinstance(entries, cst.Call) and isinstance(entries.func, cst.Attribute) and entries.func.attr.value == "items"):
        return None
    options = as_one(module, module.value(entries.func.value, spot))
    if not isinstance(options, Mapping):
        return None
    # what a branch alone adds, or gives another value, is room for more
    last = {pair.key: pair for pair in options.pairs if isinstance(pair.key, str) and not isinstance(pair.value_node, Standin)}
    parts: list[Part] = []
    for pair in last.values():
        value = module.value(pair.value_node, pair.spot)
        shown = _parts(module, pair.value_node, pair.spot, level + 1)
        if shown is None and isinstance(value, Known) and isinstance(value.value, (int, float)):
            shown = [(str(value.value), module.inner_span(pair.value_node, pair.spot).start, False)]
        key = _parts(module, pair.key_node, pair.spot, level + 1)
        filled = _entry(
            module,
            element,
            dict(
                zip(
                    names, (key or _hole(module, pair.key_node, pair.spot), shown or _hole(module, pair.value_node, pair.spot)), strict=True
                )
            ),
            spot,
        )
        if filled is None:
            return None
        parts += [(separator, start, False), *filled] if parts else filled
    if options.open or len(last) < len(options.pairs):
        parts.append(((separator if parts else "") + MASK, start, False))
    return parts


def _entry(module: Module, element: Any, names: dict[str, list[Part]], spot: Spot) -> list[Part] | None:
    """What is made of one entry: an f-string, or a template that is filled in the order of key and value."""
    if isinstance(element, cst.FormattedString):
        parts: list[Part] = []
        for part in element.parts:
            start = module.inner_span(part, spot).start
            if isinstance(part, cst.FormattedStringText):
                parts += _unescaped(part.value.replace("{{", "{").replace("}}", "}"), start, "r" in element.start.lower())
            elif isinstance(part, cst.FormattedStringExpression):
                known = names.get(part.expression.value) if isinstance(part.expression, cst.Name) and not part.format_spec else None
                parts += known or _hole(module, part, spot)
        return parts
    if isinstance(element, cst.BinaryOperation) and isinstance(element.operator, cst.Modulo) and isinstance(element.right, cst.Tuple):
        template, fields, given = element.left, re.compile("%s"), [part.value for part in element.right.elements]
    elif isinstance(element, cst.Call) and isinstance(element.func, cst.Attribute) and element.func.attr.value == "format":
        template, fields, given = element.func.value, re.compile(r"\{\d?\}"), [arg.value for arg in element.args]
    else:
        return None
    text = module.constant(template, spot)
    filled = [names.get(node.value) if isinstance(node, cst.Name) else None for node in given]
    if not isinstance(text, str) or len(fields.findall(text)) != len(filled):
        return None
    start = module.inner_span(element, spot).start
    between = fields.split(text)
    parts = [(between[0], start, False)]
    for known, after in zip(filled, between[1:], strict=True):
        parts += [*(known or [(MASK, start, False)]), (after, start, False)]
    return parts


def _formatted(module: Module, node: cst.FormattedString, spot: Spot, level: int) -> list[Part] | None:
    raw = "r" in node.start.lower()
    parts: list[Part] = []
    for part in node.parts:
        start = module.inner_span(part, spot).start
        if isinstance(part, cst.FormattedStringText):
            at = 0
            for match in re.finditer(r"\{\{|\}\}", part.value):
                parts += _unescaped(part.value[at : match.start()], start + at, raw)
                parts.append((match.group()[0], start + match.start(), True))
                at = match.end()
            parts += _unescaped(part.value[at:], start + at, raw)
        elif isinstance(part, cst.FormattedStringExpression):
            value = module.value(part.expression, spot)
            if isinstance(value, Known) and isinstance(value.value, (str, int, float)) and not part.format_spec and not part.conversion:
                parts.append((str(value.value), start, False))
                continue
            inner = _parts(module, part.expression, spot, level + 1) if not part.format_spec else None
            parts += inner or _hole(module, part, spot)
    return parts


def _filled(module: Module, template: list[Part], pattern: re.Pattern[str], given: Any, spot: Spot, level: int) -> list[Part]:
    """A template's placeholders filled with what is known, masked where it is not."""
    values = _given(module, given, spot, level, pattern is _FIELD)
    parts: list[Part] = []
    number = 0
    for chars, offset, in_step in template:
        at = 0
        for match in pattern.finditer(chars):
            parts.append((chars[at : match.start()], offset + (at if in_step else 0), in_step))
            here = offset + (match.start() if in_step else 0)
            field = match.group()
            at = match.end()
            if field in ("{{", "}}", "%%"):
                parts.append((field[0], here, True))
                continue
            name = (
                re.sub(r"[!:].*", "", field[1:-1]) if field[0] == "{" else (field[2 : field.index(")")] if field.startswith("%(") else "")
            )
            key: Any = name if name and not name.isdigit() else int(name) if name else number
            number += 0 if name else 1
            value = values.get(key)
            if value is None:
                parts.append((MASK * len(field), here, True))
            elif isinstance(value, str):
                parts.append((value, here, False))
            else:
                parts += value
        parts.append((chars[at:], offset + (at if in_step else 0), in_step))
    return parts


def _given(module: Module, given: Any, spot: Spot, level: int, arguments: bool) -> dict[Any, str | list[Part]]:
    """What fills a template, by position or name: a text that is known as a whole, or the parts of one that is put together."""
    found: dict[Any, str | list[Part]] = {}
    pairs: list[tuple[Any, Any]] = []
    if arguments:
        position = 0
        for arg in given.args:
            if arg.star:
                continue
            if arg.keyword is not None:
                pairs.append((arg.keyword.value, arg.value))
            else:
                pairs.append((position, arg.value))
                position += 1
    elif isinstance(given, cst.Tuple):
        pairs = [(index, element.value) for index, element in enumerate(given.elements)]
    elif isinstance(given, cst.Dict):
        pairs = [(module.constant(e.key, spot), e.value) for e in given.elements if isinstance(e, cst.DictElement)]
    else:
        pairs = [(0, given)]
    for key, node in pairs:
        value = module.value(node, spot)
        if isinstance(value, Known) and isinstance(value.value, (str, int, float)):
            found[key] = str(value.value)
        elif isinstance(node, (cst.Call, cst.Name, cst.FormattedString)) and (parts := _parts(module, node, spot, level + 1)) is not None:
            found[key] = parts
    return found


def _literal(token: str, start: int) -> list[Part] | None:
    """The body of a string token, with a piece for every escape."""
    prefix = re.match(r"[a-zA-Z]*", token)
    letters = prefix.group().lower() if prefix else ""
    if "b" in letters:
        return None
    begin = len(letters)
    quote = 3 if token[begin : begin + 3] in ('"""', "'''") else 1
    body = token[begin + quote : -quote]
    return _unescaped(body, start + begin + quote, "r" in letters)


def _unescaped(body: str, start: int, raw: bool) -> list[Part]:
    if raw or "\\" not in body:
        return [(body, start, True)]
    parts: list[Part] = []
    at = 0
    for match in _ESCAPE.finditer(body):
        parts.append((body[at : match.start()], start + at, True))
        escape = match.group()
        if escape in ("\\\n", "\\\r\n"):
            decoded = ""
        else:
            try:
                decoded = literal_eval(f'"{escape}"') if escape != '\\"' else '"'
                decoded = "\ufffd" if "\ud800" <= decoded <= "\udfff" else decoded
            except (ValueError, SyntaxError):
                decoded = escape
        parts.append((decoded, start + match.start(), False))
        at = match.end()
    parts.append((body[at:], start + at, True))
    return parts
