"""Beam's Python SDK: pipeline options however they are given, and the Kafka transforms."""

from __future__ import annotations

import re
from typing import Any

import libcst as cst

from shoal.facts import Block, Unknown
from shoal.lazy import pattern
from shoal.python.expressions import as_one
from shoal.python.facts import Sheet, text_value
from shoal.python.tree import Call, Spot, last_name
from shoal.python.values import Known, Mapping, Object, Pair, Sequence, Value, options

_FLAG = pattern(r"--?([A-Za-z_][\w-]*)(?:=(.*))?", re.DOTALL)
_TRANSFORMS = {"ReadFromKafka": ("consumer_config", "consumer"), "WriteToKafka": ("producer_config", "producer")}

# How pydantic's models and named tuples give their fields as a dict.
_DUMPS = frozenset({"model_dump", "dict", "_asdict"})


def collect(sheet: Sheet) -> None:
    _Beam(sheet).collect()


class _Beam:
    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.module = sheet.module
        self.blocks: dict[int, Block] = {}

    def collect(self) -> None:
        module = self.module
        own = {cls.name for cls in module.classes if cls.bases}  # options that a program adds are of a class of its own
        for call in module.calls:
            if call.name in _TRANSFORMS:
                self.transform(call)
            elif call.name == "Pipeline":
                self.pipeline(call)
            elif call.name.endswith("Options") or call.name == "from_dictionary" or call.name in own:
                for obj in module.objects(call.node, call.spot):
                    if obj.type == "beam.Options" and obj.node is call.node:
                        self.options(obj, call)
        for node, value_node, spot in module.tree.attribute_sets:
            for obj in module.objects(node.value, spot):
                if obj.type == "beam.Options" and id(obj.root) in self.blocks:
                    self.sheet.setting(self.blocks[id(obj.root)], node.attr.value, value_node, spot, self.sheet.span(node.attr, spot))

    def options(self, obj: Object, call: Call) -> None:
        """Flags as a list, a dict, or keyword arguments."""
        sheet, module = self.sheet, self.module
        hidden = not call.node.args
        pairs: list[tuple[str, str | Unknown, Any, Any]] = []
        plain: list[tuple[str, Any, Any, Any]] = []
        for arg in call.node.args:
            if arg.star == "**" or (call.name == "from_dictionary" and arg.keyword is None):
                value: Value = as_one(module, module.value(arg.value, call.spot))
                if isinstance(value, Mapping):
                    hidden = hidden or value.open
                    plain += [(pair.key, pair.key_node, pair.value_node, pair.spot) for pair in value.pairs if pair.key is not None]
                else:
                    hidden = True
            elif arg.keyword is not None and arg.keyword.value not in ("flags", "options"):
                plain.append((arg.keyword.value, arg.keyword, arg.value, call.spot))
            else:
                value = module.value(arg.value, call.spot)
                if isinstance(value, Sequence):
                    hidden = hidden or value.open
                    pairs += self.flags(value)
                elif not (isinstance(value, Known) and value.value is None):
                    hidden = True
        runner = next((text for key, text, _, _ in pairs if key == "runner" and isinstance(text, str)), "")
        for key, _, value_node, spot in plain:
            if key == "runner":
                runner = text_value(module, module.value(value_node, spot)) or runner
        traits = (("language", "python"), *((("runner", runner),) if runner else ()))
        block = sheet.block("beam", "pipeline", sheet.name_span(call), traits=traits, open=hidden)
        self.blocks[id(obj.root)] = block
        for key, text, node, spot in pairs:
            span = sheet.span(node, spot)
            sheet.plain(block, key, text, span, span)
        for key, key_node, value_node, spot in plain:
            sheet.setting(block, key, value_node, spot, sheet.span(key_node, spot))

    def pipeline(self, call: Call) -> None:
        """A pipeline that is given its flags, or its runner, and no object with options."""
        argv, runner = call.argument(2, "argv"), call.argument(0, "runner")
        if call.argument(1, "options") is not None or (argv is None and runner is None):
            return
        if not any(isinstance(option, Object) and option.type == "beam.Pipeline" for option in options(self.module.result(call))):
            return
        value = self.module.value(argv, call.spot) if argv is not None else Sequence((), call.spot, False, "list")
        flags = self.flags(value) if isinstance(value, Sequence) else []
        name = next((text for key, text, _, _ in flags if key == "runner" and isinstance(text, str)), "")
        if runner is not None:
            name = text_value(self.module, self.module.value(runner, call.spot)) or last_name(getattr(runner, "func", runner))
        traits = (("language", "python"), *((("runner", name),) if name.endswith("Runner") else ()))
        hidden = not isinstance(value, Sequence) or value.open
        block = self.sheet.block("beam", "pipeline", self.sheet.name_span(call), traits=traits, open=hidden)
        for key, text, node, spot in flags:
            span = self.sheet.span(node, spot)
            self.sheet.plain(block, key, text, span, span)
        if name.endswith("Runner") and runner is not None:
            span = self.sheet.span(runner, call.spot)
            self.sheet.plain(block, "runner", name, span, span)

    def flags(self, value: Sequence) -> list[tuple[str, str | Unknown, Any, Any]]:
        """`--name=value` and `--name`, `value` in a list of texts; a bare flag is `true`."""
        found: list[tuple[str, str | Unknown, Any, Any]] = []
        waiting: tuple[str, Any] | None = None
        for node in value.nodes:
            text = text_value(self.module, self.module.value(node, value.spot))
            if text is None and isinstance(node, cst.FormattedString) and node.parts and isinstance(node.parts[0], cst.FormattedStringText):
                match = _FLAG.match(node.parts[0].value)
                if match and match.group(2) is not None:
                    found.append((match.group(1), Unknown(""), node, value.spot))
                    continue
            match = _FLAG.fullmatch(text) if text is not None else None
            if match is None:
                if waiting is not None:
                    found.append((waiting[0], text if text is not None else Unknown(""), node, value.spot))
                    waiting = None
                continue
            if waiting is not None:
                found.append((waiting[0], "true", waiting[1], value.spot))
                waiting = None
            if match.group(2) is not None:
                found.append((match.group(1), match.group(2), node, value.spot))
            else:
                waiting = (match.group(1), node)
        if waiting is not None:
            found.append((waiting[0], "true", waiting[1], value.spot))
        return found

    def transform(self, call: Call) -> None:
        sheet, module = self.sheet, self.module
        if not any(isinstance(option, Object) and option.type.startswith("beam.") for option in options(module.result(call))):
            return
        config_name, role = _TRANSFORMS[call.name]
        given = {arg.keyword.value: Pair(arg.keyword.value, arg.keyword, arg.value, call.spot) for arg in call.node.args if arg.keyword}
        hidden = False
        for arg in (arg for arg in call.node.args if arg.star):
            more = self.fields(arg.value, call.spot) or as_one(module, module.value(arg.value, call.spot))
            hidden = hidden or not isinstance(more, Mapping) or more.open
            given.update((pair.key, pair) for pair in (more.pairs if isinstance(more, Mapping) else ()) if pair.key is not None)
        block = sheet.block("beam", "transform", sheet.name_span(call), call.name, open=hidden)
        for name, pair in given.items():
            if name != config_name:
                sheet.setting(block, name, pair.value_node, pair.spot, sheet.span(pair.key_node, pair.spot))
        first = call.argument(0, config_name)
        config = Pair(config_name, first, first, call.spot) if first is not None else given.get(config_name)
        value = module.value(config.value_node, config.spot) if config is not None else None
        unseen = not isinstance(value, Mapping) or value.open
        inner = sheet.block("kafka", role, sheet.name_span(call), call.name, block, (("library", "java"), ("host", "beam")), unseen)
        if isinstance(value, Mapping):
            sheet.mapping(inner, value)
            sheet.texts_only(inner, value)

    def fields(self, node: Any, spot: Spot) -> Mapping | None:
        """`**config.model_dump()` of what one call with keyword arguments made: those, and whatever its class has beside them."""
        method = node.func if isinstance(node, cst.Call) and not node.args else None
        if not isinstance(method, cst.Attribute) or method.attr.value not in _DUMPS or not isinstance(method.value, cst.Name):
            return None
        bindings = self.module.lookup(method.value.value, spot)
        binding = bindings[0][0] if len(bindings) == 1 and bindings[0][1] else None
        made = binding.node if binding is not None and binding.kind == "assign" else None
        if binding is None or not isinstance(made, cst.Call) or not last_name(made.func)[:1].isupper():
            return None
        pairs = [Pair(arg.keyword.value, arg.keyword, arg.value, binding.spot) for arg in made.args if arg.keyword is not None]
        return Mapping(tuple(pairs), True)
