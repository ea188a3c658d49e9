"""Pins in Python and Java, images of services and build files, and version fields: which engine they say a job runs on."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.classify import classify
from shoal.context import Context
from shoal.facts import Dependency
from shoal.job import Job
from shoal.jobs.boundaries import folder_of
from shoal.jobs.questions import MASTER, STARTS, minor
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.records import NamedTuple

_ENGINES = {"flink": "Flink", "spark": "Spark"}
# What `pip install` without a version brings: the package, and how far its newest release is.
_NEWEST = {"flink": ("apache-flink", 2), "spark": ("pyspark", 4)}


# What every program in Java is compiled against.
_COMPILED = pattern(r".*:flink-(?:java|core|clients|streaming-java|streaming-scala|table-api-java(?:-bridge)?)(?:_[\d.]+)?")


_RECIPES = pattern(r"(?i)(?:.*/)?(?:gnumakefile|makefile|justfile)[^/]*|.*\.mk")


class Named(NamedTuple):
    """One place that names a version of the engine itself."""

    dependency: Dependency
    version: tuple[int, ...]
    text: str


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Several files that each name another version are alternatives (one requirements file a version), and nothing is said."""
    for engine, shown in _ENGINES.items():
        named = list(_named(job, engine))
        pins = [one for one in named if one.dependency.ecosystem == "pypi"]
        running = [one for one in named if one.dependency.ecosystem in ("image", "archive", "field")]
        services = {one.version for one in running}
        if len(services) > 1:
            paths = {one.dependency.place.path for one in running}
            masters = sum(block.trait("role") == "jobmanager" for block in job.select(engine))
            if len(paths) == 1 and masters <= 1 and all(one.dependency.block for one in running):
                yield from _services(context, running, shown)
            continue
        if not pins and running:
            yield from _loose(job, context, engine, running)
        if running and engine == "flink":
            cluster = min(running, key=lambda one: one.dependency.ecosystem == "field")
            yield from _compiled(job, context, [one for one in named if one.dependency.ecosystem == "maven"], cluster)
        if running:
            installed = any(one.version == running[0].version for one in pins)
            yield from _ranges(job, context, engine, running[0], installed)
        if len({one.version for one in pins}) != 1 or not running or pins[0].version == running[0].version:
            continue
        # what an image installs tells more than what a package says of itself
        pin, cluster = min(pins, key=lambda one: one.dependency.place.path.endswith((".toml", ".lock"))), running[0]
        crossing = pin.version[0] != cluster.version[0]
        message = f"the job is built with {shown} {pin.text} and runs on {shown} {cluster.text}: {_why(engine, crossing)}"
        confidence = _confidence(job, engine, pin.dependency, cluster.dependency)
        related = [(cluster.dependency, "what it runs on")]
        yield context.finding(message, pin.dependency, related, severity="error" if crossing else "", confidence=confidence)


def _compiled(job: Job, context: Context, named: list[Named], cluster: Named) -> Iterator[Finding]:
    """A program in Java that is compiled against another Flink than it runs on. A newer Flink has, as a rule, what an older one has; up to the next major version."""
    found = [one for one in named if _COMPILED.fullmatch(one.dependency.name)]
    if len({one.version for one in found}) != 1 or found[0].version == cluster.version:
        return
    build = found[0]
    if build.version[0] != cluster.version[0]:
        how, severity, sure = "classes and methods that it was compiled against are not there", "error", "medium"
    elif build.version > cluster.version:
        how, severity, sure = "it may call what is not there yet", "", "medium"
    else:
        how, severity, sure = "what it brings along (formats, connectors, state backends) is of the older one", "info", "low"
    message = f"the job is compiled against Flink {build.text} and runs on Flink {cluster.text}: {how}"
    if cluster.dependency.ecosystem == "field":
        sure = "low"  # the image beside it is the project's own, and may hold another Flink than the resource says
    confidence = _confidence(job, "flink", build.dependency, cluster.dependency) or sure
    yield context.finding(message, build.dependency, [(cluster.dependency, "what it runs on")], severity=severity, confidence=confidence)


def _confidence(job: Job, engine: str, pin: Dependency, cluster: Dependency) -> str:
    """How sure it is that what is pinned meets the cluster."""
    coded = any(block.engine == engine and block.form in ("python", "java") for block in job.blocks.values())
    side_by_side = folder_of(pin.place.path) == folder_of(cluster.place.path)
    # a container of Spark brings PySpark, and spark-submit takes it: the pin may serve an editor
    lent = engine == "spark" and (
        {(cluster.place.path, why) for why in (STARTS, MASTER)} & set(job.members)
        or (classify(cluster.place.path) == "dockerfile" and _submitted(job))
    )
    # recipes set up somebody's own machine, as a rule: what an image holds they do not say
    if lent or not (coded or side_by_side) or _RECIPES.fullmatch(pin.place.path):
        return "low"
    # whether an image of Spark installs what a file beside it pins is not known, and it has a PySpark of its own
    return "medium" if engine == "spark" and cluster.ecosystem == "image" else ""


def _submitted(job: Job) -> bool:
    return any(block.form == "command" for block in job.select("spark", ("submit",)))


def _ranges(job: Job, context: Context, engine: str, cluster: Named, installed: bool) -> Iterator[Finding]:
    """The Python API in a range of releases of which none is that of the cluster; `installed`: another file pins the right one."""
    from shoal.readers.versions import misses

    for dependency in job.dependencies:
        if (dependency.ecosystem, dependency.name, dependency.exact) != ("pypi", _NEWEST[engine][0], False):
            continue
        if not dependency.version or not misses(dependency.version, cluster.version):
            continue
        crossing = misses(dependency.version, cluster.version[:1])
        message = f"the job asks for {_ENGINES[engine]} {dependency.version} and runs on {_ENGINES[engine]} {cluster.text}: {_why(engine, crossing)}"
        confidence = "low" if installed else _confidence(job, engine, dependency, cluster.dependency) or "medium"
        related = [(cluster.dependency, "what it runs on")]
        yield context.finding(message, dependency, related, severity="error" if crossing else "", confidence=confidence)


def _loose(job: Job, context: Context, engine: str, running: list[Named]) -> Iterator[Finding]:
    """The Python API in whatever release is the newest when an image is built, on a cluster of a release that was chosen."""
    package, newest = _NEWEST[engine]
    for dependency in job.dependencies:
        if dependency.ecosystem != "pypi" or dependency.name != package or dependency.version:
            continue
        cluster = next((one for one in running if one.dependency.place.path == dependency.place.path), running[0])
        same = cluster.dependency.place.path == dependency.place.path
        crossing = cluster.version[0] < newest
        message = f"pip takes the newest {package} here, and what it runs on is {_ENGINES[engine]} {cluster.text}: {_why(engine, crossing)}"
        related = [(cluster.dependency, "what it runs on")]
        severity = "error" if crossing and same else ""
        # spark-submit runs a program with the PySpark of its own distribution
        sure = crossing and same and not (engine == "spark" and _submitted(job))
        yield context.finding(message, dependency, related, severity=severity, confidence="medium" if sure else "low")
        return


def _why(engine: str, crossing: bool) -> str:
    if engine == "spark":
        return "driver and executors refuse to talk to each other, or fail at the first class that differs"
    if crossing:
        return "the classes that the Python API calls do not exist there, the job fails when it starts"
    return "the Python API and the Python workers must be of the version of the cluster, or the job fails on what differs"


def _services(context: Context, running: list[Named], shown: str) -> Iterator[Finding]:
    """Containers of one file with images of several versions."""
    first = running[0]
    other = next(one for one in running if one.version != first.version)
    if first.dependency.ecosystem != "image" or other.dependency.ecosystem != "image":
        return  # a resource's own field against its image is another rule's
    message = f"one cluster, two versions: {shown} {other.text} here, {shown} {first.text} in the other container; processes of different versions do not understand each other"
    yield context.finding(message, other.dependency, [(first.dependency, "the other version")])


def _named(job: Job, engine: str) -> Iterator[Named]:
    from shoal.readers.versions import engine_versions

    for dependency in job.dependencies:
        found = engine_versions(dependency) if dependency.exact else ()
        block = job.blocks.get(dependency.block)
        if block is not None and (block.engine != engine or block.trait("role") in ("client", "historyserver")):
            continue
        if found and found[0][0] == engine and len(minor(found[0][1])) == 2:
            yield Named(dependency, minor(found[0][1]), found[0][1])
