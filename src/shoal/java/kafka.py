"""Kafka's own Java clients: what `Properties` or a map tells a consumer or producer."""

from __future__ import annotations

from shoal.java.sheet import Sheet

_CLIENTS = {"KafkaConsumer": "consumer", "KafkaProducer": "producer"}


def collect(sheet: Sheet) -> None:
    source = sheet.source
    for node in source.news:
        role = _CLIENTS.get(kind := source.type_of(node))
        given = source.arguments(node)
        if role is None or not given or not (source.imports.get(kind, "").startswith("org.apache.kafka.") or source.starred):
            continue
        options = sheet.options(given[0])
        where = node.child_by_field_name("type")
        block = sheet.block("kafka", role, source.span(where or node), traits=(("library", "java"), ("class", kind)), open=options.open)
        sheet.mapping(block, options)
    for call in source.calls:
        if source.name(call) == "create" and source.written(call.child_by_field_name("object")) in (
            "AdminClient",
            "Admin",
            "KafkaAdminClient",
        ):
            given = source.arguments(call)
            if given:
                options = sheet.options(given[0])
                block = sheet.block("kafka", "admin", sheet.name_span(call), traits=(("library", "java"),), open=options.open)
                sheet.mapping(block, options)
