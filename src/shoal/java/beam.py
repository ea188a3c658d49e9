"""Beam pipelines in Java: that they read or write Kafka, with what options, and on which runner they say to run."""

from __future__ import annotations

import re

from tree_sitter import Node

from shoal.facts import Usage
from shoal.inserts import INSERTED, plain_insert, replaces, table_of
from shoal.java.functions import BEAM, kinds_of, takes_elements
from shoal.java.records import fails_the_job, parses, thrown_on
from shoal.java.sheet import Sheet
from shoal.java.source import begins, chained, same
from shoal.lazy import pattern
from shoal.model import Span
from shoal.python.values import names

_TRANSFORMS = {"KafkaIO.Read": ("ReadFromKafka", "consumer"), "KafkaIO.Write": ("WriteToKafka", "producer")}
# Methods of the transform by the keywords that Python has for them.
_KEYWORDS = {"withMaxNumRecords": "max_num_records", "withTopic": "topics", "commitOffsetsInFinalize": "commit_offset_in_finalize"}
# Other ways to begin a write to BigQuery, and sources that have no end.
_ROWS = ("writeTableRows", "writeGenericRecords", "writeProtos")
_TAKEN = pattern(r"\bgetFailed\w*\(|\bWriteResult\b|\bBigQuery\w*InsertError\b|(?i:dead_?-?letter)")
_APPLIED = names("via by")  # `MapElements.via(f)`, `Filter.by(f)`
_FUNCTIONS = pattern(r"SimpleFunction|InferableFunction|ProcessFunction|SerializableFunction")
_ENDLESS = pattern(r"\b(?:Pubsub(?:Lite)?IO\s*\.\s*(?:<[^>]*>\s*)?read|KafkaIO\s*\.\s*(?:<[^;(]*>\s*)?read|KinesisIO\s*\.\s*read)\w*\(")


def collect(sheet: Sheet) -> None:
    source = sheet.source
    for call in source.named("create"):
        if source.type_of(call) == "Pipeline":
            _pipeline(sheet, call)
    for call in source.named("read", "readBytes", "write"):
        owner = source.type_of(call.child_by_field_name("object"))
        if owner == "class:KafkaIO" and source.type_of(call) in _TRANSFORMS:
            _transform(sheet, call)
        elif owner == "class:BigQueryIO" and source.name(call) == "write":
            _refused_rows(sheet, call)
    for call in source.named(*_ROWS):
        if source.type_of(call.child_by_field_name("object")) == "class:BigQueryIO":
            _refused_rows(sheet, call)
    if (endless := _ENDLESS.search(source.text)) is not None:
        sheet.out.facts.append(Usage("reads-endless", endless.group(), sheet.out.place(Span(*endless.span()))))
        for call in () if replaces(source.text) else source.named("withStatement"):
            _inserts(sheet, call)
    for call in source.calls:
        if parses(sheet, call) and fails_the_job(sheet, call, _runs):
            where = sheet.out.place(source.span(thrown_on(call) or source.name_node(call)))
            sheet.out.facts.append(Usage("unguarded-parse", f"beam:{source.name(call)}", where))


def _runs(sheet: Sheet, run: Node) -> bool:
    """Whether Beam runs a lambda, a method, or one that is referred to, for each element, and what it throws fails the bundle."""
    source = sheet.source
    if run.type == "method_declaration":
        simple = source.name(run) == "apply" and any(map(_FUNCTIONS.fullmatch, kinds_of(sheet, run, BEAM)))
        return simple or takes_elements(sheet, run)
    given = run.parent.parent if run.parent is not None and run.parent.type == "argument_list" else None
    if given is None or given.type != "method_invocation" or source.name(given) not in _APPLIED:
        return False
    return not any(source.name(call).startswith("exceptions") for call in chained(given))


def _inserts(sheet: Sheet, call: Node) -> None:
    """A statement of JdbcIO's that a bundle which is done again does again."""
    given = sheet.source.arguments(call)
    text = sheet.source.text_of(given[0]) if given and sheet.source.written(begins(call)) == "JdbcIO" else None
    if text is not None and (found := plain_insert(text.text)) is not None:
        sheet.out.oddity("plain-insert", table_of(found), text.span(*found.span(1)), INSERTED)


def _refused_rows(sheet: Sheet, made: Node) -> None:
    """A write to BigQuery row by row, from a stream, of which nobody can take the rows that are refused: `detail` is what becomes of these."""
    source = sheet.source
    # what takes refused rows may write them in the same way, and the last ones have to end somewhere
    if not _ENDLESS.search(source.text) or _TAKEN.search(source.text) or not _dropped(made, sheet):
        return
    calls = {source.name(call): call for call in source.calls if same(source.origin(call), made)}
    if "withBadRecordErrorHandler" in calls or "withErrorHandler" in calls:
        return
    method, policy = (_choice(sheet, calls.get(name)) for name in ("withMethod", "withFailedInsertRetryPolicy"))
    if method in ("STORAGE_WRITE_API", "STORAGE_API_AT_LEAST_ONCE"):
        fate = "left out"
    elif method in ("", "DEFAULT", "STREAMING_INSERTS"):
        fate = {"": "by default", "neverRetry": "left out", "retryTransientErrors": "left out"}.get(policy, "")
    else:
        fate = ""
    if fate:
        sheet.out.oddity("rows-refused", method or "STREAMING_INSERTS", sheet.name_span(made), fate)


def _choice(sheet: Sheet, call: Node | None) -> str:
    """The last name of what a choice is, `?` where it cannot be told, empty where none is made."""
    if call is None:
        return ""
    found = re.fullmatch(r"(?:\w+\s*\.\s*)*(\w+)(?:\(\))?", "".join(sheet.source.written(node) for node in sheet.source.arguments(call)))
    return found[1] if found else "?"


def _dropped(made: Node, sheet: Sheet) -> bool:
    """Whether the transform is applied where it is made, and nobody takes the result."""
    at = made
    while at.parent is not None and at.parent.type == "method_invocation":
        at = at.parent
    call = at.parent.parent if at.parent is not None and at.parent.type == "argument_list" else None
    applied = call is not None and call.type == "method_invocation" and sheet.source.name(call) == "apply"
    return applied and call is not None and call.parent is not None and call.parent.type == "expression_statement"


def _pipeline(sheet: Sheet, made: Node) -> None:
    """A pipeline with what is set on its options here. They are all of them where no arguments are read."""
    source = sheet.source
    given = source.arguments(made)
    options = source.origin(given[0]) if given else None
    whole = options is not None and re.match(r"PipelineOptionsFactory\s*\.\s*(?:create|as)\(", source.written(options)) is not None
    setters = [
        call
        for call in source.calls
        if re.match(r"set[A-Z]", source.name(call)) and len(source.arguments(call)) == 1 and same(source.origin(call), options)
    ]
    runner = next((_class(sheet, call) for call in setters if source.name(call) == "setRunner"), "")
    traits = (("language", "java"), *((("runner", runner),) if runner else ()))
    block = sheet.block("beam", "pipeline", sheet.name_span(made), traits=traits, open=not whole and bool(given))
    for call in setters:
        (node,) = source.arguments(call)
        name = source.name(call)[3:]
        key, key_span = name[:1].lower() + name[1:], sheet.name_span(call)
        if node.type == "class_literal":
            sheet.plain(block, key, _class(sheet, call), key_span, source.span(node), "branch" if source.conditional(call) else "sure")
        else:
            sheet.setting(block, key, node, key_span)


def _class(sheet: Sheet, call: Node) -> str:
    return sheet.source.written(sheet.source.arguments(call)[0]).removesuffix(".class")


def _transform(sheet: Sheet, made: Node) -> None:
    source = sheet.source
    name, role = _TRANSFORMS[source.type_of(made)]
    calls = [call for call in source.calls if same(source.origin(call), made)]
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
