"""One `group.id` in two programs of a project that read one topic and do different things with it."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
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
    said: set[Setting] = set()
    for (name, topic), members in sorted(groups.items()):
        first = members[0]
        other = next((one for one in members[1:] if not _is_version(_program(first.path), _program(one.path))), None)
        if other is None or other in said:
            continue
        said.add(other)
        message = f"each record of {topic} comes to one of two programs and not to the other: {name} is also the group of {first.path.rpartition('/')[2]}, which reads it too (a group for each program that is to see all)"
        yield context.finding(message, other, [(first, "the other one")])


def _is_version(first: str, other: str) -> bool:
    """Whether one name goes on where the other ends: `avro_consumer` and `avro_consumer_encryption`."""
    return first.startswith(other) or other.startswith(first)


def _program(path: str) -> str:
    name = path.rpartition("/")[2].removesuffix(".py").removesuffix(".ipynb").lower()
    return _VERSION.sub("", name).strip("-_ ") or name
