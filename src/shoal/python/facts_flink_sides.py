"""PyFlink: Kafka builders and other sources and sinks of streams, and tables by their descriptors."""

from __future__ import annotations

from typing import Any

import libcst as cst

from shoal.facts import Block, Unknown
from shoal.flink_methods import BUILDER, GUARANTEES, OLD_STARTS, STARTS
from shoal.python.constructors import constructor, constructors
from shoal.python.expressions import as_one
from shoal.python.facts import Sheet, text_value
from shoal.python.tree import Call
from shoal.python.values import Known, Mapping, Object, options

_BUILDER_METHODS = frozenset(
    {
        *BUILDER,
        "set_property",
        "set_properties",
        "set_kafka_producer_config",
        "set_starting_offsets",
        "set_bounded",
        "set_bounded_stop_cursor",
        "set_start_cursor",
        "set_delivery_guarantee",
        "set_topics",
        "set_topic",
        "option",
        "format",
    }
)


class Sides:
    """A block for each source, each sink and each table descriptor of a module."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.module = sheet.module
        self.out = sheet.out
        self.blocks: dict[int, Block] = {}

    def start_builder(self, call: Call) -> None:
        """A block for each source or sink that is known and each table descriptor, even if nothing is set on it."""
        for obj in self.module.objects(call.node, call.spot):
            self.side_block(obj)

    def side_block(self, obj: Object) -> Block | None:
        root = obj.root
        if id(root) in self.blocks:
            return self.blocks[id(root)]
        kinds = {
            "flink.KafkaSourceBuilder": ("source", "kafka", "false"),
            "flink.KafkaSinkBuilder": ("sink", "kafka", "false"),
            "flink.OldKafkaSource": ("source", "kafka", "true"),
            "flink.OldKafkaSink": ("sink", "kafka", "true"),
            "flink.PulsarSourceBuilder": ("source", "pulsar", "false"),
            "flink.OldKinesisSource": ("source", "kinesis", "false"),
            "flink.OldRabbitSource": ("source", "rabbitmq", "false"),
            "flink.TableDescriptorBuilder": ("table", "", ""),
        }
        if root.type not in kinds or not isinstance(root.node, cst.Call):
            return None
        role, connector, legacy = kinds[root.type]
        node = root.node
        traits: list[tuple[str, str]] = [("connector", connector)] if connector else []
        if legacy == "true":
            traits.append(("legacy", "true"))
        if role == "table":
            return self.table(root, node)
        if root.type == "flink.KafkaSinkBuilder" and self.without_guarantee(root):
            traits.append(("guarantee", "default"))
        if role == "sink" and self.several(root):
            traits.append(("several", "true"))
        where = node.func.value if isinstance(node.func, cst.Attribute) else node.func
        block = self.sheet.block("flink", role, self.sheet.span(where, root.spot), traits=tuple(traits), open=self.hidden(root))
        self.blocks[id(root)] = block
        if legacy == "true":
            self.old_kafka(block, Call(node, "", root.spot, None, ""), role)
        elif root.type == "flink.OldKinesisSource":
            self.kinesis(block, Call(node, "", root.spot, None, ""))
        return block

    def table(self, root: Object, node: cst.Call) -> Block:
        """A table by its descriptor."""
        from shoal.python.descriptors import described

        made = described(self.sheet, root)
        block = self.sheet.block("flink", "table", self.sheet.span(node.func, root.spot), made.name, traits=made.traits, open=made.open)
        self.blocks[id(root)] = block
        if node.args:
            self.sheet.setting(block, "connector", node.args[0].value, root.spot)
        if made.watermark is not None:
            self.out.oddity("watermark", made.name, self.sheet.name_span(made.watermark), "", block)
        return block

    def table_format(self, block: Block, node: Any, call: Call) -> None:
        """A format by its name, or by a descriptor with options of its own, which go by the format's name in the table."""
        from shoal.python.descriptors import calls_on, format_descriptor

        made, where = format_descriptor(self.module, node, call), self.sheet.name_span(call)
        if made is None:
            self.sheet.setting(block, "format", node, call.spot, where)
            return
        named = made.node.args[0].value
        self.sheet.setting(block, "format", named, made.spot, where)
        for option in calls_on(self.module, made, "option"):
            key, value = option.argument(0, "key"), option.argument(1, "value")
            if key is not None and value is not None:
                self.sheet.pair(block, key, value, option.spot, self.module.string(named, made.spot) + ".")

    def kinesis(self, block: Block, call: Call) -> None:
        """Where a Kinesis consumer begins, by the name that the starting position has elsewhere."""
        config = call.argument(2, "config_props")
        value = self.module.value(config, call.spot) if config is not None else None
        for pair in value.pairs if isinstance(value, Mapping) else ():
            if pair.key == "flink.stream.initpos" and self.module.string(pair.value_node, pair.spot).upper() == "LATEST":
                key_span, span = self.sheet.body_span(pair.key_node, pair.spot), self.sheet.body_span(pair.value_node, pair.spot)
                self.sheet.plain(block, "scan.startup.mode", "latest-offset", key_span, span)

    def several(self, root: Object) -> bool:
        """Whether the code that makes a sink runs more than once in a program: its function is called in two places, neither of which excludes the other."""
        function = root.spot.function
        sites = self.module.call_sites(function) if function is not None else []
        return any(
            all(arm.group != other.group or arm.index == other.index for arm in one.spot.arms for other in two.spot.arms)
            for index, one in enumerate(sites)
            for two in sites[index + 1 :]
            if one.function is two.function
        )

    def without_guarantee(self, root: Object) -> bool:
        """Whether a sink is surely built without being given a delivery guarantee."""
        given = [self.module.receivers(call) for call in self.module.named("set_delivery_guarantee")]
        if not all(given) or any(obj.root is root for objects in given for obj in objects):
            return False
        return any(obj.root is root for call in self.module.named("build") for obj in self.module.receivers(call))

    def hidden(self, root: Object) -> bool:
        """Whether properties are given that cannot be seen."""
        for call in self.module.named("set_properties", "set_property", "set_kafka_producer_config"):
            for obj in self.module.receivers(call):
                if obj.root is root and call.node.args:
                    first, second = call.node.args[0].value, call.argument(1, "value")
                    if call.name == "set_property":
                        if second is None or self.sheet.pairs(first, second, call.spot).open:
                            return True
                        continue
                    value = as_one(self.module, self.module.value(first, call.spot))
                    if not isinstance(value, (Mapping, Known)) or (isinstance(value, Mapping) and value.open):
                        return True
        return False

    def old_kafka(self, block: Block, call: Call, role: str) -> None:
        names = {"source": (0, "topics", 2, "properties"), "sink": (0, "topic", 2, "producer_config")}[role]
        topic = call.argument(names[0], names[1])
        if topic is not None:
            self.sheet.setting(block, "topic", topic, call.spot)
        node = call.argument(names[2], names[3])
        value = as_one(self.module, self.module.value(node, call.spot))
        if isinstance(value, Mapping):
            self.sheet.mapping(block, value, "properties.")
        semantic = call.argument(5, "semantic") if role == "sink" else None
        if semantic is not None:
            self.guarantee(block, semantic, call)

    def guarantee(self, block: Block, node: Any, call: Call) -> None:
        """One setting for each guarantee that a flag may choose; the last one counts, so the strongest comes last."""
        value = self.module.value(node, call.spot)
        span = self.sheet.span(node, call.spot)
        found = [GUARANTEES.get(text_value(self.module, option) or "") for option in options(value)]
        found.sort(key=lambda shown: ("none", "at-least-once", "exactly-once").index(shown) if shown else -1)
        for shown in found:
            self.sheet.plain(
                block,
                "sink.delivery-guarantee",
                shown if shown else Unknown(self.sheet.source(span)),
                self.sheet.name_span(call),
                span,
                "branch" if call.spot.conditional or len(found) > 1 else "sure",
            )

    def builder_call(self, call: Call) -> None:
        name = call.name
        if name not in _BUILDER_METHODS and name not in OLD_STARTS:
            return
        for obj in self.module.receivers(call):
            if not obj.type.startswith("flink."):
                continue
            if name == "set_topic" and obj.type == "flink.SerializerBuilder":
                self.serializer_topic(obj, call)
                continue
            if name in ("set_topic",):
                continue
            block = self.side_block(obj)
            if block is None or block.role not in ("source", "sink", "table"):
                continue
            key_span = self.sheet.name_span(call)
            first = call.node.args[0].value if call.node.args else None
            if name in OLD_STARTS:
                self.sheet.plain(block, "scan.startup.mode", OLD_STARTS[name], key_span, type(key_span)(key_span.end, key_span.end))
            if first is None:
                continue
            if name in ("set_property", "option"):
                second = call.argument(1, "value")
                if second is not None:
                    self.sheet.pair(block, first, second, call.spot, "properties." if name == "set_property" else "")
            elif name in ("set_properties", "set_kafka_producer_config"):
                value = as_one(self.module, self.module.value(first, call.spot))
                if isinstance(value, Mapping):
                    self.sheet.mapping(block, value, "properties.", call.spot)
            elif name == "set_starting_offsets":
                self.offsets(block, first, call)
            elif name == "set_start_cursor":
                if constructor(self.module, first, call)[0] == "latest":
                    self.sheet.plain(block, "scan.startup.mode", "latest-offset", key_span, self.sheet.span(first, call.spot))
            elif name in ("set_bounded", "set_bounded_stop_cursor", "set_unbounded"):
                made, _ = constructor(self.module, first, call)
                if name != "set_unbounded":
                    self.sheet.plain(
                        block, "scan.bounded.mode", STARTS.get(made, Unknown(made)), key_span, self.sheet.span(first, call.spot)
                    )
            elif name == "set_delivery_guarantee":
                self.guarantee(block, first, call)
            elif name == "set_topics":
                self.topics(block, call)
            elif name == "format" and block.role == "table":
                self.table_format(block, first, call)
            elif name in BUILDER:
                self.sheet.setting(block, BUILDER[name], first, call.spot, key_span)

    def topics(self, block: Block, call: Call) -> None:
        values = [text_value(self.module, self.module.value(arg.value, call.spot)) if not arg.star else None for arg in call.node.args]
        span = self.sheet.span(call.node.args[0].value, call.spot)
        last = self.sheet.span(call.node.args[-1].value, call.spot)
        whole = type(span)(span.start, last.end)
        known = (
            ";".join(value for value in values if value is not None).replace(",", ";")
            if all(value is not None for value in values)
            else None
        )
        self.sheet.plain(
            block, "topic", known if known is not None else Unknown(self.sheet.source(whole)), self.sheet.name_span(call), whole
        )

    def offsets(self, block: Block, node: Any, call: Call) -> None:
        ways = constructors(self.module, node, call.spot)
        # of several the one that skips records comes last, and counts
        ways.sort(key=lambda way: way[0] == "latest")
        sure = "branch" if call.spot.conditional or len(ways) > 1 else "sure"
        for made, arguments in ways:
            given = (arguments.node, arguments.spot) if arguments is not None and made in STARTS else (node, call.spot)
            span = self.sheet.span(*given)
            value = STARTS.get(made, Unknown(self.sheet.source(span)))
            self.sheet.plain(block, "scan.startup.mode", value, self.sheet.name_span(call), span, sure)
        made, arguments = ways[-1]
        if made == "committed_offsets" and arguments is not None:
            reset = arguments.argument(0, "offset_reset_strategy")
            if reset is not None:
                text = text_value(self.module, self.module.value(reset, call.spot))
                span = self.sheet.span(reset, arguments.spot)
                self.sheet.plain(
                    block,
                    "properties.auto.offset.reset",
                    text.lower() if text else Unknown(self.sheet.source(span)),
                    self.sheet.name_span(call),
                    span,
                    sure,
                )
            else:
                self.sheet.plain(block, "properties.auto.offset.reset", "none", self.sheet.name_span(call), span, sure)

    def serializer_topic(self, obj: Object, call: Call) -> None:
        """The topic of the sink that is given this serializer."""
        for other in self.module.named("set_record_serializer"):
            if not other.node.args:
                continue
            for serializer in self.module.objects(other.node.args[0].value, other.spot):
                if serializer.root is obj.root:
                    for sink in self.module.receivers(other):
                        block = self.side_block(sink)
                        if block is not None and call.node.args:
                            self.sheet.setting(block, "topic", call.node.args[0].value, call.spot, self.sheet.name_span(call))
