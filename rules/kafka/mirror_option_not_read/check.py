"""Options without a cluster or flow before them: of these MirrorMaker keeps what its connectors define, and a few beginnings (connect-mirror 2.7 to 4.3)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal import catalogue
from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates import mirror

# What it hands on whatever comes after.
_HANDED_ON = pattern(
    r"(?:offset\.storage|config\.storage|status\.storage|(?:key|value|header)\.converter|task|worker|replication\.policy|config\.providers|bootstrap\.servers$|security\.|ssl\.|sasl\.)"
)
_CLIENTS = ("consumer.", "producer.", "admin.")
# Of a flow: what is handed on to clients, to Connect, or to classes of the user's own.
_OF_FLOW = pattern(
    r"(?:consumer|producer|admin|source|target|transforms|predicates|errors|topic\.creation|exactly|header|topic\.filter|group\.filter|replication\.policy|.*\.filter)\b"
)
_OPTION = pattern(r"[a-z][a-z0-9.-]*")
_RENAMED = {
    "topics.blacklist": "topics.exclude",
    "groups.blacklist": "groups.exclude",
    "config.properties.blacklist": "config.properties.exclude",
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    known = catalogue.load("kafka-mirror")
    for maker in job.select("kafka-mirror", ("maker",)):
        clusters = mirror.clusters(maker)
        for setting in job.of(maker):
            if setting.key in _RENAMED:
                yield _renamed(job, context, maker, setting)
            elif _OPTION.fullmatch(setting.key) and not _HANDED_ON.match(setting.key) and known.option(setting.key) is None:
                yield _bare(job, context, setting, clusters)
        for flow in mirror.flows(job, maker):
            for setting in job.of(flow):
                if setting.key in _RENAMED:
                    yield _renamed(job, context, flow, setting)
                elif not _OF_FLOW.match(setting.key) and known.option(setting.key) is None and _of_connect(setting.key) is False:
                    meant = known.nearest(setting.key)
                    if meant:
                        yield _misspelt(job, context, flow, setting, meant[0])


def _of_connect(key: str) -> bool:
    return catalogue.load("kafka-connect").option(key) is not None


def _bare(job: Job, context: Context, setting: Setting, clusters: list[str]) -> Finding:
    key = setting.key
    where = _where(key, clusters)
    if where:
        message = f"{key} has no effect here: it is read behind the name of a cluster, such as {where}"
        return context.finding(message, setting.key_place(), covers=[setting])
    meant = catalogue.load("kafka-mirror").nearest(key)
    if meant:
        return _misspelt(job, context, None, setting, meant[0])
    return context.finding(f"{key} has no effect: MirrorMaker has no such option", setting.key_place(), confidence="low", covers=[setting])


def _where(key: str, clusters: list[str]) -> str:
    """The spelling of an option of a client or a worker that is read, with one of the clusters that it may be meant for."""
    first, last = (clusters[0], clusters[-1]) if clusters else ("source", "target")
    if key.startswith(_CLIENTS):
        return f"{first if key.startswith('consumer.') else last}.{key}"
    if _of_connect(key):
        return f"{last}.{key}"
    for name, role in ((first, "consumer"), (last, "producer"), (last, "admin")):
        if catalogue.load(f"kafka-{role}").option(key) is not None:
            return f"{name}.{role}.{key}"
    return ""


def _misspelt(job: Job, context: Context, block: Block | None, setting: Setting, meant: str) -> Finding:
    free = block is None or job.written(block, meant) is None
    fixes = [context.rename(setting, meant, f"rename it to {meant}", "unsafe")] if free else []
    return context.finding(
        f"MirrorMaker has no option {setting.key}, so it has no effect: did you mean {meant}?",
        setting.key_place(),
        fixes=fixes,
        confidence="medium",
        covers=[setting],
    )


def _renamed(job: Job, context: Context, block: Block, setting: Setting) -> Finding:
    meant, version = _RENAMED[setting.key], job.version("kafka")
    old = version is not None and version.at_least("4.0")
    message = f"{setting.key} is not read by Kafka 4, which copies what it was to leave out: it is called {meant}"
    fixes = [context.rename(setting, meant, f"rename it to {meant}", "unsafe")] if job.written(block, meant) is None else []
    return context.finding(
        message, setting.key_place(), severity="" if old else "info", confidence="" if old else "low", fixes=fixes, covers=[setting]
    )
