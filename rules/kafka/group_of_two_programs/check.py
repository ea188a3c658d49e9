"""One `group.id` in two programs of a project that read one topic and do different things with it, and one id of two apps of Faust."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting, Usage
from shoal.job import Job
from shoal.jobs import programs
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates.spark import option

# What another version of a program is called, or lies in: `consumer_old.py`, `consumer2.py`, `backups/consumer.py`.
_VERSION = pattern(
    r"(?i)(?:^|[\W_])(?:old|new|copy|bak|backups?|legacy|archived|deprecated|v?\d+(?:\.\d+)*|final|simple|basic|advanced|test)(?=[\W_]|$)|\d+$"
)


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Two files of one name, or of which one is called a version of the other, are one program; it may well run twice."""
    read: dict[str, list[str]] = {}
    for usage in job.usages("topic-read"):
        read.setdefault(usage.block, []).append(usage.detail)
    groups: dict[tuple[str, str], list[Setting]] = {}
    for block in job.select("kafka", ("consumer",), ("python",)):
        group = job.get(block, "group.id")
        if group is not None and group.known and group.text.strip():
            for topic in sorted(set(read.get(block.id, ()))):
                groups.setdefault((group.text.strip(), topic), []).append(group)
    for block in job.select("spark", ("reader",), ("python",)):
        group, topics = option(job, block, "kafka.group.id"), option(job, block, "subscribe")
        if group is not None and topics is not None and group.known and topics.known and group.text.strip():
            for topic in sorted({topic.strip() for topic in topics.text.split(",")}):
                groups.setdefault((group.text.strip(), topic), []).append(group)
    yield from _apps(job, context)
    said: set[Setting] = set()
    for (name, topic), members in sorted(groups.items()):
        first = members[0]
        other = next((one for one in members[1:] if not _is_version(_program(first.path), _program(one.path))), None)
        if other is None or other in said:
            continue
        said.add(other)
        message = f"each record of {topic} comes to one of two programs and not to the other: {name} is also the group of {first.path.rpartition('/')[2]}, which reads it too (a group for each program that is to see all)"
        yield context.finding(message, other, [(first, "the other one")])


def _apps(job: Job, context: Context) -> Iterator[Finding]:
    """The id of an app is its group, whatever its agents read: that two apps run beside each other, the containers tell that start both."""
    apps: dict[str, list[Usage]] = {}
    for usage in job.usages("faust-app"):
        apps.setdefault(usage.detail, []).append(usage)
    shared = {name: made for name, made in apps.items() if len({one.place.path for one in made}) > 1}
    homes = {container.name: inside for container, _, inside in programs.started(job)} if shared else {}
    for name, (first, *others) in sorted(shared.items()):
        here = first.place.path.rpartition("/")[2]
        other = next((one for one in others if not _is_version(_program(first.place.path), _program(one.place.path))), None)
        if other is None:
            continue
        both = [{service for service, inside in homes.items() if one.place.path in inside} for one in (first, other)]
        surely = all(both) and not both[0] & both[1]
        message = (
            f"{name} is also the app of {here}: Kafka takes the workers of both for one group, and gives each partitions of topics that its own agents "
            f"do not read; records of these are read by nobody, and tables are kept under one name (an id for each app)"
        )
        yield context.finding(message, other.place, [(first.place, "the other one")], confidence="medium" if surely else "low")


def _is_version(first: str, other: str) -> bool:
    """Whether one name goes on where the other ends: `avro_consumer` and `avro_consumer_encryption`."""
    return first.startswith(other) or other.startswith(first)


def _program(path: str) -> str:
    name = path.rpartition("/")[2].removesuffix(".py").removesuffix(".ipynb").lower()
    return _VERSION.sub("", name).strip("-_ ") or name
