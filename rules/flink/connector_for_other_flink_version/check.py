"""Connectors and the engine they were built for."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Dependency
from shoal.job import Job, numbers
from shoal.lazy import pattern
from shoal.model import Edit, Finding, Fix

# Released once for every minor version of Flink, whose interfaces for sinks and tables they implement.
_EACH_MINOR = ("iceberg", "paimon", "hudi")
_KAFKA = ("flink-connector-kafka", "flink-sql-connector-kafka")

# What a program is compiled against; all else that is released with Flink is a part beside it.
_CORE = pattern(
    r".*:flink-(?:java|core|clients|runtime|streaming-java|streaming-scala|scala|table-api-java(?:-bridge)?|table-planner(?:-loader)?)(?:_[\d.]+)?"
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    from shoal.readers.versions import engine_versions, image_engine

    engines: dict[tuple[int, ...], Dependency] = {}
    connectors: list[tuple[Dependency, str, tuple[int, ...]]] = []
    formats: list[tuple[Dependency, str, tuple[int, ...]]] = []
    parts: list[tuple[Dependency, tuple[int, ...]]] = []
    for dependency in job.dependencies:
        if not dependency.exact:
            continue
        found = engine_versions(dependency)
        built = next((numbers(text)[:2] for name, text in found if name == "flink"), ())
        if len(built) < 2:
            continue
        if "connector-" in dependency.name:
            known = (dependency.name, dependency.version) in [(other.name, other.version) for other, _, _ in connectors]
            if known:
                continue  # a download line names the jar twice
            if found[0][0].startswith("flink-connector-") or found[0][0].startswith("flink-sql-connector-"):
                connectors.append((dependency, found[0][1], built))
            elif found[0][0] == "flink":
                parts.append((dependency, built))
        elif found[0][0] == "flink":
            engines.setdefault(built, dependency)
            parts.append((dependency, built))
        elif found[0][0] in _EACH_MINOR:
            formats.append((dependency, found[0][0], built))
    if any(one.ecosystem == "image" for one in engines.values()):  # beside which a jar of Flink's own is a part that does not fit
        engines = {built: one for built, one in engines.items() if one.ecosystem in ("image", "field")}
    compiled = {built: one for one, built in reversed(parts) if one.ecosystem == "maven" and _CORE.fullmatch(one.name)}
    if len(compiled) == 1:
        yield from _parts(context, parts, *next(iter(compiled.items())))
        if len(engines) > 1 and all(one.ecosystem == "maven" for one in engines.values()):
            engines = compiled
    if len(engines) != 1:
        return
    ((running, source),) = engines.items()
    # an image without a version is the engine, whatever a jar beside it was built for
    floating = source.ecosystem != "image" and any(
        dependency.ecosystem == "image" and image_engine(dependency.name) == "flink" for dependency in job.dependencies
    )
    for dependency, version, built in connectors:
        if _other_script(dependency, source):
            continue
        there, here = ".".join(map(str, built)), ".".join(map(str, running))
        oldest = _oldest(dependency, version, built)
        if oldest and built > running >= oldest:
            if not floating and (own := _for_flink(dependency, here)):
                message = f"connector {version} was built for Flink {there}, though nothing it calls is missing in {here}, for which {own} was built"
                yield context.finding(message, dependency, [(source, "the engine")], "info", "low", _released(dependency, here))
        elif built[0] != running[0] and floating:
            message = f"one of the two fails, whatever Flink the image has: connector {version} was built for Flink {there}, {source.name.rpartition(':')[2]} beside it for {here}"
            yield context.finding(message, dependency, [(source, "built for the other")], confidence="medium")
        elif built[0] != running[0] or (built > running and oldest == (1, 20) and not floating):
            message = f"the job fails on Flink {here}: connector {version} was built for Flink {there}, and interfaces that it calls do not exist there"
            yield context.finding(message, dependency, [(source, "the engine")], fixes=_released(dependency, here))
        elif built > running and not floating:
            what = "its sink fails (AbstractMethodError)" if oldest else "may call what is not there yet"
            message = f"connector {version} was built for Flink {there} and on {here} {what}"
            yield context.finding(message, dependency, [(source, "the engine")], "warning", "medium", _released(dependency, here))
        elif built < running and not floating and (newer := _for_flink(dependency, here)):
            message = f"connector {version} was built for Flink {there} and runs on {here}, for which {newer} was built"
            yield context.finding(message, dependency, [(source, "the engine")], "info", "low", _released(dependency, here))
    told = set()
    for dependency, name, built in formats:
        if floating or built == running or (name, built) in told or _other_script(dependency, source):
            continue
        told.add((name, built))
        there, here = ".".join(map(str, built)), ".".join(map(str, running))
        message = f"{dependency.name.rpartition(':')[2]} was built for Flink {there}, and what it implements and calls differs in {here}: the first table or commit may fail"
        across = built[0] != running[0]
        sure = "" if across else "low" if running > built else "medium"  # Iceberg's for 1.18 and 1.19 call nothing that is not in 1.20
        yield context.finding(message, dependency, [(source, "the engine")], "" if across else "warning", sure)


def _parts(
    context: Context, parts: list[tuple[Dependency, tuple[int, ...]]], running: tuple[int, ...], core: Dependency
) -> Iterator[Finding]:
    """Formats, file connectors, state backends and the like of another release than what the same build file compiles against."""
    for dependency, built in parts:
        if (
            dependency.ecosystem != "maven"
            or built == running
            or _CORE.fullmatch(dependency.name)
            or "-test" in dependency.name  # is of no job
            or dependency.place.path != core.place.path
        ):
            continue
        name, beside = (one.name.rpartition(":")[2] for one in (dependency, core))
        there, here = ".".join(map(str, built)), ".".join(map(str, running))
        message = f"{name} is of Flink {there}, {beside} beside it of {here}: parts of one release call each other, and what differs fails when it is first called"
        sure = "medium" if built > running or built[0] != running[0] else "low"
        yield context.finding(message, dependency, [(core, "the engine")], "warning", sure)


def _other_script(dependency: Dependency, source: Dependency) -> bool:
    """Whether all that is known of the engine is a jar that another file names: scripts lie side by side for years."""
    return source.ecosystem == "jar" and dependency.place.path != source.place.path


def _oldest(dependency: Dependency, version: str, built: tuple[int, ...]) -> tuple[int, ...]:
    """The oldest Flink that a connector's release runs on, which may be older than the one it was built for; nothing where it is not known.

    Kafka's were tried from 3.0.2 to 5.0.0 on Flink 1.17.2 to 2.0.1, a source and a sink each, and their calls compared with what is there.
    """
    if dependency.name.rpartition(":")[2] not in _KAFKA or not (3,) <= numbers(version) < (6,):
        return ()
    if numbers(version) >= (3, 4):
        return (1, 20)  # LineageVertexProvider
    return (1, 19) if built >= (1, 19) else (1, 17)  # Sink.createWriter(WriterInitContext)


def _for_flink(dependency: Dependency, flink: str) -> str:
    """The connector's release that was built for that Flink; empty where none is known."""
    from shoal.templates.releases import connector

    return connector(dependency.name.rpartition(":")[2], flink)


def _released(dependency: Dependency, flink: str) -> list[Fix]:
    """That release, where the version stands alone: a jar's name is part of an address or a path."""
    span = dependency.place.span
    new = _for_flink(dependency, flink) if dependency.ecosystem == "maven" else ""
    if not new or span.end - span.start != len(dependency.version):
        return []
    return [Fix(f"write {new}", "unsafe", (Edit(dependency.place.path, span, new),))]
