"""`advertised.listeners` of a broker in a compose file: nothing but localhost, where other services come by the broker's name, a name that nobody there has,
what is another broker's, or no address at all; and a listener for the host that is not published, where another one is."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates.kafka import LOCAL

_LISTENER = pattern(r"([\w.-]+)://(\[[^\]]*\]|[^:,/\s]*)(?::(\d+))?")
_CLUSTER = ("zookeeper.connect", "controller.quorum.voters", "controller.quorum.bootstrap.servers")
_BARE = pattern(r"[A-Za-z][\w-]*")
_TO_ITSELF = "{0} comes to {1} by its name, and is told to go on with {2}, which is {0} itself: its clients wait until they time out"
_LED_INSIDE = "port {0} is published, and whoever comes to it from the host is sent on to {1}, which only this network knows: no client outside gets any further (advertise localhost on a listener of its own, or do not publish the port)"


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kafka", ("broker",), ("compose",)):
        user, listeners = block.trait("asked-by"), job.written(block, "advertised.listeners")
        if listeners is None and not block.trait("tool"):
            yield from _of_old(job, context, block)
        if listeners is None or not listeners.known or block.trait("tool"):
            continue
        told = _LISTENER.findall(listeners.text)
        hosts = {host for _, host, _ in told}
        if "0.0.0.0" in hosts:
            message = "the broker refuses to start: 0.0.0.0 says on which addresses it listens, and none that a client could go on to"
            yield context.finding(message, listeners, confidence="high")
        elif user and hosts and hosts <= LOCAL:
            yield context.finding(_TO_ITSELF.format(user, block.name, sorted(hosts)[0]), listeners)
        elif (unknown := _unknown(job, block, told)) is not None:
            message = f"no service here is called {unknown}, and brokers, the controller and clients in other containers are told to go on to it: they find nobody, and no partition gets a leader ({block.name} is a name they know)"
            yield context.finding(message, listeners)
        elif (found := _of_another(job, block, told)) is not None:
            yield context.finding(found[0], listeners, [(found[1], "the other broker")])
        elif (crossed := _crossed(job, block, told)) is not None:
            asked, inside, name = crossed
            message = f"port {asked} of the host leads to {inside}, the listener that sends its clients on to {name}, which the host does not know: the one that says localhost:{asked} listens elsewhere"
            yield context.finding(message, listeners)
        elif (found_ports := _unpublished(job, block, told)) is not None:
            asked, name, meant = found_ports
            message = f"who comes to localhost:{asked} from the host is sent on to {name}, which the host does not know; localhost:{meant} is meant for it, and `ports` does not publish {meant}"
            yield context.finding(message, listeners, confidence="low")
        elif (led := _led_inside(job, block, told)) is not None:
            yield context.finding(_LED_INSIDE.format(*led), listeners, severity="info", confidence="low")


def _of_old(job: Job, context: Context, block: Block) -> Iterator[Finding]:
    """A broker before Kafka 3.0 that is told its host alone, as wurstmeister's image was."""
    name, port = job.written(block, "advertised.host.name"), job.written(block, "advertised.port")
    version = job.version("kafka", block)
    if name is None or not name.known or name.sure != "sure" or (version is not None and version.at_least("3.0")):
        return
    host, user = name.text.strip(), block.trait("asked-by")
    if host in LOCAL and user:
        yield context.finding(_TO_ITSELF.format(user, block.name, host), name)
        return
    led = _led_inside(job, block, [("", host, port.text.strip() if port is not None and port.known else "9092")])
    if led is not None:
        yield context.finding(_LED_INSIDE.format(*led), name, severity="info", confidence="low")


def _led_inside(job: Job, block: Block, told: list[tuple[str, str, str]]) -> tuple[str, str] | None:
    """The port that is published, and the name that it leads to, where a broker advertises nothing but its own names in the network."""
    own = set(block.trait("hosts").split())
    if block.trait("ports") or not told or not all(host in own for _, host, _ in told):
        return None
    pairs = dict(pair.split(":")[::-1] for pair in block.trait("published").split())
    listeners = job.written(block, "listeners")
    binds = {name: port for name, _, port in _LISTENER.findall(listeners.text)} if listeners is not None and listeners.known else {}
    for name, host, port in told:
        inside = binds.get(name) or port
        if inside in pairs:
            return pairs[inside], host
    return None


def _crossed(job: Job, block: Block, told: list[tuple[str, str, str]]) -> tuple[str, str, str] | None:
    """The port that the host is told to ask, the one inside that it is published from, and the name that the listener there sends on to."""
    listeners = job.written(block, "listeners")
    if block.trait("ports") or listeners is None or not listeners.known:
        return None
    pairs = [pair.split(":") for pair in block.trait("published").split()]
    binds = {name: port for name, _, port in _LISTENER.findall(listeners.text)}
    own = block.trait("hosts").split()
    for name, host, port in told:
        if host not in LOCAL or not port or name not in binds or [port, binds[name]] in pairs:
            continue
        for other, at, _ in told:
            if at in own and at not in LOCAL and [port, binds.get(other)] in pairs:
                return port, binds[other], at
    return None


def _unpublished(job: Job, block: Block, told: list[tuple[str, str, str]]) -> tuple[str, str, str] | None:
    """The port that is published, the name that it leads to, and the port for the host, which is not published."""
    pairs = dict(pair.split(":")[::-1] for pair in block.trait("published").split())
    local = [port for _, host, port in told if host in LOCAL and port]
    if block.trait("ports") or not local or any(port in pairs.values() for port in local):
        return None
    listeners = job.written(block, "listeners")
    binds = {name: port for name, _, port in _LISTENER.findall(listeners.text)} if listeners is not None and listeners.known else {}
    for name, host, port in told:
        inside = binds.get(name) or port
        if (
            host in block.trait("hosts").split()
            and inside in pairs
            and inside not in (binds.get(one) for one, at, _ in told if at in LOCAL)
        ):
            return pairs[inside], host, local[0]
    return None


def _of_another(job: Job, block: Block, told: list[tuple[str, str, str]]) -> tuple[str, Setting] | None:
    """What is said where a listener's address is that of an earlier broker of the same cluster, or its host is one that does not listen there."""
    cluster = [job.written(block, key) for key in _CLUSTER]
    earlier = True
    for other in job.select("kafka", ("broker",), ("compose",)):
        theirs = job.written(other, "advertised.listeners")
        if other is block:
            earlier = False
            continue
        if other.trait("tool"):
            continue
        same = other.place.path == block.place.path and [_text(one) for one in cluster] == [
            _text(job.written(other, key)) for key in _CLUSTER
        ]
        if not same or theirs is None or not theirs.known or not any(map(_text, cluster)) or other.name == block.name:
            continue
        listens = job.written(other, "listeners")
        there = {(host, port) for _, host, port in _LISTENER.findall(theirs.text) if port}
        for _, host, port in told:
            if earlier and host and (host, port) in there:
                return f"{block.name} sends its clients to {host}:{port}, as {other.name} does: one of the two is never reached", theirs
            mine = {block.name, *block.trait("hosts").split()}
            if (
                listens is not None
                and listens.known
                and host == other.name
                and host not in mine
                and port
                and f":{port}" not in listens.text
            ):
                return f"{block.name} sends its clients to {host}:{port}, and {host} is another broker, which does not listen there", theirs
    return None


def _text(setting: Setting | None) -> str:
    return setting.text.strip() if setting is not None else ""


def _unknown(job: Job, block: Block, told: list[tuple[str, str, str]]) -> str | None:
    """The host that the brokers are to find one another at, which no container has; one at a port of the host may be that of the machine."""
    between = _between(job, block, told)
    if between is None:
        return None
    _, host, port = between
    published = {ports.partition(":")[0] for ports in block.trait("published").split()}
    names = block.trait("neighbours").split()
    return host if names and host not in names and host not in LOCAL and _BARE.fullmatch(host) and port and port not in published else None


def _between(job: Job, block: Block, told: list[tuple[str, str, str]]) -> tuple[str, str, str] | None:
    name: Setting | None = job.written(block, "inter.broker.listener.name")
    if name is not None:
        return next((one for one in told if name.known and one[0] == name.text.strip()), None)
    if job.written(block, "security.inter.broker.protocol") is not None:
        return None
    return next((one for one in told if one[0] == "PLAINTEXT"), None)
