"""Channels of MicroProfile Reactive Messaging and bindings of Spring Cloud Stream: which of several values counts, in properties and in YAML."""

from __future__ import annotations

import pytest
from reader_facts import assert_sound, blocks, of, reading, values

from shoal.facts import Setting
from shoal.readers import Reading

RESOURCES = "src/main/resources/application"

CHANNELS = {
    "properties": """\
kafka.bootstrap.servers=a:9092
kafka.request.timeout.ms=1
mp.messaging.connector.smallrye-kafka.request.timeout.ms=2
mp.messaging.incoming."orders".connector=smallrye-kafka
mp.messaging.incoming."orders".max.poll.records=10
%dev.mp.messaging.incoming."orders".max.poll.records=11
%prod.mp.messaging.incoming."orders".max.poll.records=12
mp.messaging.outgoing.bills.connector=smallrye-kafka
mp.messaging.outgoing.bills.request.timeout.ms=3
mp.messaging.incoming.mails.connector=smallrye-amqp
""",
    "yaml": """\
"%prod":
  mp.messaging.incoming.orders.max.poll.records: 12
"%dev":
  mp.messaging.incoming.orders.max.poll.records: 11
kafka:
  bootstrap.servers: a:9092
  request.timeout.ms: 1
mp:
  messaging:
    connector:
      smallrye-kafka:
        request: {timeout: {ms: 2}}
    incoming:
      orders:
        connector: smallrye-kafka
        max.poll.records: 10
      mails:
        connector: smallrye-amqp
mp.messaging.outgoing.bills:
  connector: smallrye-kafka
  request.timeout.ms: 3
""",
}

BINDINGS = {
    "properties": """\
spring.cloud.stream.bindings.orders-in-0.destination=orders
spring.cloud.stream.bindings.orders-in-0.group=billing
spring.cloud.stream.bindings.bills-out-0.destination=bills
spring.cloud.stream.kafka.binder.brokers=a:9092
spring.cloud.stream.kafka.binder.requiredAcks=all
spring.cloud.stream.kafka.binder.configuration.request.timeout.ms=1
spring.cloud.stream.kafka.binder.consumerProperties.request.timeout.ms=2
spring.cloud.stream.kafka.default.consumer.enableDlq=true
spring.cloud.stream.kafka.bindings.orders-in-0.consumer.configuration.max.poll.records=3
spring.cloud.stream.kafka.bindings.orders-in-0.consumer.dlqName=failed
""",
    "yaml": """\
spring:
  cloud:
    stream:
      bindings:
        orders-in-0: {destination: orders, group: billing}
        bills-out-0: {destination: bills}
      kafka:
        binder:
          brokers: a:9092
          required-acks: all
          configuration:
            "[request.timeout.ms]": 1
          consumer-properties:
            "[request.timeout.ms]": 2
        default.consumer.enable-dlq: true
        bindings:
          orders-in-0:
            consumer:
              configuration: {max.poll.records: 3}
              dlq-name: failed
""",
}


def configuration(texts: dict[str, str], kind: str) -> Reading:
    out = reading(texts[kind], kind, f"{RESOURCES}.{kind}")
    assert_sound(out)
    return out


@pytest.mark.parametrize("kind", CHANNELS)
def test_channel_is_a_client_with_what_counts_in_a_packaged_program(kind: str) -> None:
    out = configuration(CHANNELS, kind)
    assert sorted(blocks(out)) == [("kafka", "consumer", "orders"), ("kafka", "producer", "bills")]
    shared = {"bootstrap.servers": "a:9092", "connector": "smallrye-kafka"}
    assert values(out, "consumer") == {**shared, "request.timeout.ms": "2", "max.poll.records": "12"}
    assert values(out, "producer") == {**shared, "request.timeout.ms": "3"}


@pytest.mark.parametrize("kind", BINDINGS)
def test_binding_is_a_client_with_what_the_binder_adds(kind: str) -> None:
    out = configuration(BINDINGS, kind)
    assert sorted(blocks(out)) == [("kafka", "consumer", "orders-in-0"), ("kafka", "producer", "bills-out-0")]
    assert values(out, "consumer") == {
        "bootstrap.servers": "a:9092",
        "request.timeout.ms": "2",
        "max.poll.records": "3",
        "binding.destination": "orders",
        "binding.group": "billing",
        "binding.enable-dlq": "true",
        "binding.dlq-name": "failed",
    }
    assert values(out, "producer") == {
        "bootstrap.servers": "a:9092",
        "request.timeout.ms": "1",
        "acks": "all",
        "binding.destination": "bills",
    }


BRACKETS = {
    "properties": """\
spring.kafka.consumer.group-id=billing
spring.kafka.properties[request.timeout.ms]=1
spring.kafka.consumer.properties[max.poll.records]=2
spring.cloud.stream.kafka.binder.configuration[request.timeout.ms]=1
spring.cloud.stream.kafka.bindings.orders-in-0.consumer.configuration[max.poll.records]=2
""",
    "yaml": """\
spring:
  kafka:
    bootstrap-servers: ${BROKERS}
    properties:
      "[request.timeout.ms]": 1
    consumer:
      group-id: billing
      properties:
        "[max.poll.records]": 2
  cloud.stream.kafka:
    binder.configuration:
      "[request.timeout.ms]": 1
    bindings.orders-in-0.consumer.configuration:
      "[max.poll.records]": 2
""",
}


@pytest.mark.parametrize("kind", BRACKETS)
def test_brackets_around_a_key_are_springs(kind: str) -> None:
    out = configuration(BRACKETS, kind)
    assert [name for _, role, name in blocks(out) if role == "consumer"].count("orders-in-0") == 1
    told = [setting for setting in of(out, Setting) if setting.key in ("request.timeout.ms", "max.poll.records")]
    assert sorted((setting.key, setting.text) for setting in told) == [("max.poll.records", "2")] * 2 + [("request.timeout.ms", "1")] * 2
