"""`sasl.enabled.mechanisms` of a broker that listens in PLAINTEXT only, `ssl.client.auth` of one that speaks no TLS, `super.users` where nobody asks for ACLs.

A broker makes its channels by the protocol of each listener, and reads these options for SASL or TLS alone (ChannelBuilders); without authorizer.class.name
no request is checked against ACLs.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates import kafka

_PROTOCOLS = frozenset({"PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"})
_LISTENER = pattern(r"([\w.\-]+)://\S*")
_PAIR = pattern(r"([\w.\-]+):([A-Za-z_]+)")
# What is read for SASL alone, in the order in which one of them is named; and for TLS, where it asks clients for something.
_SASL = ("sasl.enabled.mechanisms", "sasl.mechanism.inter.broker.protocol")
_TLS = "ssl.client.auth"
_ACLS = ("super.users", "allow.everyone.if.no.acl.found")
_AUTHORIZER = "authorizer.class.name"


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kafka", ("broker",), ("compose", "manifest", "properties", "terraform")):
        image = kafka.broker_image(job, block)
        # images of others, and scripts, may make listeners and options of variables of their own
        if block.trait("tool") or block.trait("operator") or not kafka.whole_broker(job, block, image):
            continue
        if (spoken := _spoken(job, block, image)) is not None:
            protocols, listeners = spoken
            yield from _unused(job, context, block, protocols, listeners)
        asked = next((setting for key in _ACLS if (setting := _given(job, block, key)) is not None), None)
        if asked is not None and job.written(block, _AUTHORIZER) is None:
            message = f"nobody is checked against ACLs: {asked.key} is read by an authorizer, and {_AUTHORIZER} is not set, so that everybody may do everything"
            yield context.finding(message, asked)


def _unused(job: Job, context: Context, block: Block, protocols: set[str], listeners: Setting) -> Iterator[Finding]:
    only = " and ".join(sorted(protocols))
    mechanism = next((setting for key in _SASL if (setting := _given(job, block, key)) is not None), None)
    if mechanism is not None and not any(protocol.startswith("SASL_") for protocol in protocols):
        message = f"nobody logs in with SASL: the listeners speak {only} alone, so that {mechanism.key} has no effect"
        yield context.finding(message, mechanism, [(listeners, "the listeners")])
    clients = _given(job, block, _TLS)
    if clients is not None and clients.text.strip().lower() != "none" and not any(protocol.endswith("SSL") for protocol in protocols):
        message = (
            f"no client is asked for a certificate: the listeners speak {only} alone, so that {_TLS}={clients.text.strip()} has no effect"
        )
        yield context.finding(message, clients, [(listeners, "the listeners")])


def _given(job: Job, block: Block, key: str) -> Setting | None:
    setting = job.written(block, key)
    return setting if setting is not None and setting.known and setting.sure == "sure" and setting.text.strip() else None


def _spoken(job: Job, block: Block, image: str) -> tuple[set[str], Setting] | None:
    """The protocols of all listeners, those of the controllers too, and where the listeners stand; None where one is not known."""
    listeners = job.written(block, "listeners")
    if listeners is None and kafka.BINDS_ADVERTISED.search(image):
        listeners = job.written(block, "advertised.listeners")
    if listeners is None or not listeners.known or listeners.sure != "sure":
        return None
    parts = [part.strip() for part in listeners.text.split(",") if part.strip()]
    found = [_LISTENER.fullmatch(part) for part in parts]
    names = {match[1].upper() for match in found if match}
    mapped = _mapped(job, block)
    if mapped is None or not names or not all(found):
        return None
    controllers = job.written(block, "controller.listener.names")
    if controllers is not None:
        names |= {name.strip().upper() for name in controllers.text.split(",") if name.strip()}
    protocols = {mapped.get(name, name) for name in names}
    return (protocols, listeners) if protocols <= _PROTOCOLS else None


def _mapped(job: Job, block: Block) -> dict[str, str] | None:
    """The protocol of each name; None where that cannot be read. Names of protocols stand for themselves."""
    mapping = job.written(block, "listener.security.protocol.map")
    if mapping is None:
        return {}
    pairs = [_PAIR.fullmatch(part.strip()) for part in mapping.text.split(",") if part.strip()] if mapping.known else [None]
    return {match[1].upper(): match[2].upper() for match in pairs if match} if all(pairs) else None
