"""Beam pipelines in Java: that they read or write Kafka, with what options, and on which runner they say to run."""

from __future__ import annotations

from tree_sitter import Node

from shoal.java.sheet import Sheet

_TRANSFORMS = {"KafkaIO.Read": ("ReadFromKafka", "consumer"), "KafkaIO.Write": ("WriteToKafka", "producer")}
# Methods of the transform by the keywords that Python has for them.
_KEYWORDS = {"withMaxNumRecords": "max_num_records", "withTopic": "topics", "commitOffsetsInFinalize": "commit_offset_in_finalize"}


def collect(sheet: Sheet) -> None:
    source = sheet.source
    runner = next((text for call in source.named("setRunner") if (text := _runner(sheet, call))), "")
    for call in source.named("create"):
        if source.type_of(call) == "Pipeline":
            traits = (("language", "java"), *((("runner", runner),) if runner else ()))
            sheet.block("beam", "pipeline", sheet.name_span(call), traits=traits, open=True)
    for call in source.named("read", "readBytes", "write"):
        owner = source.type_of(call.child_by_field_name("object"))
        if owner == "class:KafkaIO" and source.type_of(call) in _TRANSFORMS:
            _transform(sheet, call)


def _runner(sheet: Sheet, call: Node) -> str:
    given = sheet.source.arguments(call)
    return sheet.source.written(given[0]).removesuffix(".class") if given else ""


def _transform(sheet: Sheet, made: Node) -> None:
    source = sheet.source
    name, role = _TRANSFORMS[source.type_of(made)]
    calls = [call for call in source.calls if (origin := source.origin(call)) is not None and origin.start_byte == made.start_byte]
    block = sheet.block("beam", "transform", sheet.name_span(made), name)
    inner = sheet.block("kafka", role, sheet.name_span(made), name, block, (("library", "java"), ("host", "beam")), True)
    for call in calls:
        given = source.arguments(call)
        key = _KEYWORDS.get(source.name(call))
        if key and given:
            sheet.setting(block, key, given[0], sheet.name_span(call))
        elif key == "commit_offset_in_finalize":
            span = sheet.name_span(call)
            sheet.plain(block, key, "true", span, span)
        elif source.name(call) == "withBootstrapServers" and given:
            sheet.setting(inner, "bootstrap.servers", given[0], sheet.name_span(call))
        elif source.name(call) in ("withConsumerConfigUpdates", "withProducerConfigUpdates", "updateConsumerProperties") and given:
            sheet.mapping(inner, sheet.options(given[0]))
