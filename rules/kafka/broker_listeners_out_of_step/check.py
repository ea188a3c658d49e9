"""`listeners`, `advertised.listeners`, `listener.security.protocol.map` and `inter.broker.listener.name` of a broker, which it compares before it starts."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates import kafka

_OPTIONS = (
    "listeners",
    "advertised.listeners",
    "listener.security.protocol.map",
    "inter.broker.listener.name",
    "controller.listener.names",
    "process.roles",
    "security.inter.broker.protocol",
)
_PROTOCOLS = frozenset({"PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"})
# Images that write the variables into the broker's configuration.
_BITNAMI = frozenset({"bitnami/kafka", "bitnamilegacy/kafka"})
_MAPPING = kafka.ADDING_NOTHING | _BITNAMI | {"wurstmeister/kafka"}
_LISTENER = pattern(r"([\w.\-]+)://")
_ADDRESS = pattern(r"([\w.\-]+)://[^:,/\s\[\]]*:(\d+)")
_PAIR = pattern(r"([\w.\-]+):([A-Za-z_]+)")

# What is wrong, where, what it contradicts, and how sure that is.
_Verdict = tuple[str, Setting, list[tuple[Setting, str]], str]


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kafka", ("broker",), ("compose", "manifest", "properties")):
        found = {key: setting for key in _OPTIONS if (setting := job.written(block, key)) is not None}
        roles = _names(found.get("process.roles"))
        if (
            block.trait("tool")
            or block.trait("operator")
            or any(not setting.known for setting in found.values())
            or roles == ["CONTROLLER"]
        ):
            continue
        image = next(iter(job.images(block)), None)
        name = image.name if image is not None else ""
        if name in _BITNAMI and any(
            setting.key_span.end - setting.key_span.start < len(f"KAFKA_CFG_{key}") for key, setting in found.items()
        ):
            continue  # whose images read no other names
        surely = "" if block.form == "properties" or name in _MAPPING else "medium"
        version = job.version("kafka", block)
        old = version is not None and version.below("3.9")
        verdicts = *_on_one_port(found, name), *_verdicts(found, kafka.whole_broker(job, block, name), old)
        for what, at, others, confidence in verdicts:
            yield context.finding(f"the broker does not start: {what}", at, others, confidence=confidence or surely)


def _on_one_port(found: dict[str, Setting], image: str) -> Iterator[_Verdict]:
    """Two listeners with one port, whatever their hosts: only one of IPv4 and one of IPv6 may share it, which are not told apart here."""
    place = found.get("listeners")
    if place is None and kafka.BINDS_ADVERTISED.search(image):
        place = found.get("advertised.listeners")
    parts = [part.strip() for part in place.text.split(",") if part.strip()] if place is not None else []
    addresses = [_ADDRESS.fullmatch(part) for part in parts]
    if place is None or not all(addresses):
        return
    names: dict[str, list[str]] = {}
    for address in addresses:
        if address and int(address[2]):
            names.setdefault(address[2], []).append(address[1])
    for port, shared in names.items():
        if len(shared) > 1:
            made = "" if "listeners" in found else ", of which the image makes its listeners"
            yield f"{' and '.join(shared)} have the same port {port}{made}, and each listener must have its own", place, [], ""


def _verdicts(found: dict[str, Setting], whole: bool, old: bool) -> Iterator[_Verdict]:
    """`whole`: what is not among the options is not set elsewhere. `old`: Kafka before 3.9."""
    listeners, advertised = found.get("listeners"), found.get("advertised.listeners")
    bound, told = _listeners(listeners), _listeners(advertised)
    controllers = _names(found.get("controller.listener.names"))
    if bound is None or told is None:
        return
    names = found.get("controller.listener.names")
    if bound and names is not None and "CONTROLLER" in _names(found.get("process.roles")) and not set(controllers) & set(bound):
        what = (
            f"listeners has only {' and '.join(bound)}, and a node that is a controller needs its own ({' and '.join(controllers)}) there"
        )
        yield what, names, [(found["listeners"], "the listeners")], ""
    unbound = [name for name in told if name not in bound]
    if listeners is not None and advertised is not None and bound and unbound:
        what = f"advertised.listeners names {' and '.join(unbound)}, and listeners has only {' and '.join(bound)}"
        yield what, advertised, [(listeners, "the listeners")], ""
    elif told or bound:
        yield from _between_brokers(found, told or [name for name in bound if name not in controllers], whole)
    kraft = "process.roles" in found
    shown = [name for name in told if name in controllers and name in bound]
    if advertised is not None and names is not None and shown and kraft and old:
        what = f"before 3.9, Kafka takes no listener of controllers ({shown[0]}) in advertised.listeners"
        yield what, advertised, [(names, "theirs")], ""
    yield from _without_protocol(found, bound, told, controllers, whole)


def _between_brokers(found: dict[str, Setting], told: list[str], whole: bool) -> Iterator[_Verdict]:
    own, protocol = found.get("inter.broker.listener.name"), found.get("security.inter.broker.protocol")
    place = found.get("advertised.listeners") or found["listeners"]
    if own is not None and own.text.strip().upper() not in told:
        yield (
            f"inter.broker.listener.name is {own.text.strip()}, and advertised is only {' and '.join(told)}",
            own,
            [(place, "advertised")],
            "",
        )
    elif own is None and whole and told:
        name = protocol.text.strip().upper() if protocol is not None else "PLAINTEXT"
        if name not in told:
            what = f"without inter.broker.listener.name brokers come to each other by the listener {name}, and advertised is only {' and '.join(told)}"
            yield what, place, [], "medium"


def _without_protocol(
    found: dict[str, Setting], bound: list[str], told: list[str], controllers: list[str], whole: bool
) -> Iterator[_Verdict]:
    listeners, protocols, names = (found.get(key) for key in ("listeners", "listener.security.protocol.map", "controller.listener.names"))
    if protocols is not None:
        mapped = _mapped(protocols)
        bare = [name for name in bound if name not in mapped] if mapped is not None else []
        # a broker asks for its controllers' protocol even where it has no such listener
        asked = [name for name in controllers if name not in (mapped or ())] if mapped is not None and "process.roles" in found else []
        if listeners is not None and bare:
            what = f"listener.security.protocol.map says nothing of {' and '.join(bare)}, which listeners has"
            yield what, protocols, [(listeners, "the listeners")], ""
        elif names is not None and asked:
            what = f"listener.security.protocol.map says nothing of {' and '.join(asked)}, the controllers' listener"
            yield what, protocols, [(names, "the controllers' listener")], ""
        elif listeners is None and mapped is not None and (unmapped := [name for name in told if name not in mapped]):
            what = f"listener.security.protocol.map says nothing of {' and '.join(unmapped)}, which advertised.listeners has"
            yield what, protocols, [(found["advertised.listeners"], "advertised")], ""
    elif listeners is not None and whole and (controllers or "process.roles" not in found):
        # an unset map covers the names of protocols and, with KRaft, the controllers' listeners
        bare = [name for name in bound if name not in _PROTOCOLS and name not in controllers]
        if bare:
            what = f"no listener.security.protocol.map says which protocol {' and '.join(bare)} speaks"
            yield what, listeners, [], "medium"


def _names(setting: Setting | None) -> list[str]:
    return [name.strip().upper() for name in setting.text.split(",") if name.strip()] if setting is not None else []


def _listeners(setting: Setting | None) -> list[str] | None:
    """The listeners' names; None where one cannot be read."""
    parts = [part.strip() for part in setting.text.split(",") if part.strip()] if setting is not None else []
    found = [_LISTENER.match(part) for part in parts]
    return list(dict.fromkeys(match[1].upper() for match in found if match)) if all(found) else None


def _mapped(setting: Setting) -> set[str] | None:
    found = [_PAIR.fullmatch(part.strip()) for part in setting.text.split(",") if part.strip()]
    return {match[1].upper() for match in found if match} if all(found) else None
