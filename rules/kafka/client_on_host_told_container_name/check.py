"""`localhost:9092` in a program that no container starts, where the broker behind the port advertises nothing but the name of its service."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.jobs import programs
from shoal.jobs.boundaries import folder_of, in_line, is_below
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates import kafka

_LISTENER = pattern(r"([\w-]+)://(\[[^\]]*\]|[^:,/\s]*):(\d+)")
_PARTS = pattern(r"(?i)docker|compose|docker-compose|infra|infrastructure|deploy|deployment|kafka")
_TESTS = pattern(r"(?:^|/)(?:tests?|conftest\.py|test_[^/]*|[^/]*_test\.py)(?:/|$)")


def check(job: Job, context: Context) -> Iterator[Finding]:
    brokers = job.select("kafka", ("broker",), ("compose",))
    found = [(block, port, setting, on) for block in brokers for port, setting, on in _for_containers(job, block)]
    # of several files with a broker on a port nobody knows which is up
    ports = [port for block in brokers for port in _published(block)]
    wrong = {f"{host}:{port}": (block, setting, on) for block, port, setting, on in found for host in kafka.LOCAL if ports.count(port) == 1}
    if not wrong or any(not block.trait("published") for block in brokers if block.form != "compose"):
        return
    started = {path for _, _, inside in programs.started(job) for path in inside}
    unknown = _unknown(job)
    for setting in job.settings:
        asked = setting.text.strip().rpartition("://")[2] if setting.known and setting.key.lower().endswith(kafka.SERVERS) else ""
        client = job.blocks.get(setting.block)
        if asked not in wrong or client is None or client.engine != "kafka" or client.form != "python" or client.trait("host"):
            continue
        if _TESTS.search(setting.path) or setting.path in started or any(is_below(setting.path, folder) for folder in unknown):
            continue
        block, advertised, on = wrong[asked]
        own = _for_the_host(job, block, advertised)
        if not in_line(_project(block.place.path), folder_of(setting.path)):
            continue  # another program's broker
        message = (
            f"{asked} answers, and sends this client on to {on}, which only containers on the network of {block.name} can look up: "
            f"it waits until it times out ({f'{own} is for the host' if own else 'a listener of its own for the host, advertised as localhost'})"
        )
        # one of many demos below a compose file may ask a broker that is started in another way
        far = folder_of(folder_of(setting.path)).removeprefix(_project(block.place.path)).strip("/")
        sure = "low" if far and is_below(setting.path, _project(block.place.path)) else ""
        yield context.finding(message, setting, [(advertised, "says where clients go on")], confidence=sure)


def _for_containers(job: Job, block: Block) -> Iterator[tuple[str, Setting, str]]:
    """Ports of the host behind which a broker sends its clients on to its own name, the setting that says so, and where on. Other ports may be for the host."""
    advertised, listeners = job.written(block, "advertised.listeners"), job.written(block, "listeners")
    hosts = block.trait("hosts").split()
    if advertised is None or not advertised.known or (listeners is not None and not listeners.known):
        return
    inside = _listening(job, block)
    told = [(inside.get(name, port), host, port) for name, host, port in _LISTENER.findall(advertised.text)]
    ports = {at: f"{host}:{port}" for at, host, port in told if host in hosts}
    for outer, inner in _published(block).items():
        if inner in ports:
            yield outer, advertised, ports[inner]


def _for_the_host(job: Job, block: Block, advertised: Setting) -> str:
    """Where a broker has a listener for the host, which a port of its own leads to."""
    inside, published = _listening(job, block), _published(block)
    for name, host, port in _LISTENER.findall(advertised.text):
        if host in kafka.LOCAL and published.get(port) == inside.get(name, port):
            return f"{host}:{port}"
    return ""


def _listening(job: Job, block: Block) -> dict[str, str]:
    """The ports that the listeners of a broker are on, by their names; those of Confluent's image are on the ports that they advertise."""
    listeners = job.written(block, "listeners")
    return {name: port for name, _, port in _LISTENER.findall(listeners.text)} if listeners is not None else {}


def _project(path: str) -> str:
    """The folder that a compose file is for: one with a name such as `docker` is a part of the one around it."""
    folder = folder_of(path)
    return folder_of(folder) if _PARTS.fullmatch(folder.rpartition("/")[2]) else folder


def _published(block: Block) -> dict[str, str]:
    """The ports of a broker on the host, with those in the container."""
    return dict(pair.split(":") for pair in block.trait("published").split())


def _unknown(job: Job) -> set[str]:
    """Folders out of which some container starts nobody knows what, or shares the network of another one."""
    files = {path for path in job.paths if path.endswith(".py")}
    known, unknown = set[str](), set[str]()
    for container in programs.containers(job):
        resolved = container.programs and all(programs.resolved(program, container, files) for program in container.programs)
        (known if resolved else unknown).update(container.folders)
    built = {programs.below(entry.place, entry.args[0]) for entry in job.entries if entry.kind == "build" and entry.args}
    return unknown | (built - known)
