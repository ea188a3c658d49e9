"""Kafka's own Java clients: what `Properties` or a map tells a consumer or producer, or the factory that Spring or Reactor has for them."""

from __future__ import annotations

from shoal.java.sheet import Sheet

_CLIENTS = {
    "KafkaConsumer": "consumer",
    "KafkaProducer": "producer",
    "DefaultKafkaConsumerFactory": "consumer",
    "DefaultKafkaProducerFactory": "producer",
}
_CREATED = {
    "AdminClient": "admin",
    "Admin": "admin",
    "KafkaAdminClient": "admin",
    "ReceiverOptions": "consumer",
    "SenderOptions": "producer",
}
_HOMES = ("org.apache.kafka.", "org.springframework.kafka.", "reactor.kafka.")


def collect(sheet: Sheet) -> None:
    source = sheet.source
    for node in (*source.news, *source.calls):
        if node.type == "object_creation_expression":
            kind, where = source.type_of(node), node.child_by_field_name("type")
            role = _CLIENTS.get(kind)
        else:
            kind, where = source.written(node.child_by_field_name("object")), source.name_node(node)
            role = _CREATED.get(kind) if source.name(node) == "create" else None
        given = source.arguments(node)
        imported = source.imports.get(kind, "").startswith(_HOMES) or any(f"{home}.".startswith(_HOMES) for home in source.starred)
        if role is None or not given or not imported:
            continue
        options = sheet.options(given[0])
        block = sheet.block("kafka", role, source.span(where or node), traits=(("library", "java"), ("class", kind)), open=options.open)
        sheet.mapping(block, options)
