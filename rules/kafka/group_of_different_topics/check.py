"""One `group.id` in two programs of a project, whose topics have nothing in common."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.records import NamedTuple


class _Member(NamedTuple):
    """A consumer of a group, with the topics that it reads, all of which are known."""

    group: Setting
    topics: frozenset[str]


def check(job: Job, context: Context) -> Iterator[Finding]:
    read: dict[str, set[str]] = {}
    for usage in job.usages("topic-read"):
        read.setdefault(usage.block, set()).add(usage.detail)
    groups: dict[str, list[_Member]] = {}
    for block in job.select("kafka", ("consumer",), ("python",)):
        group = job.get(block, "group.id")
        if group is not None and group.known and group.text.strip() and block.id in read:
            groups.setdefault(group.text.strip(), []).append(_Member(group, frozenset(read[block.id])))
    for name, members in sorted(groups.items()):
        first = members[0]
        other = next((one for one in members[1:] if one.group.path != first.group.path and not one.topics & first.topics), None)
        if other is not None:
            message = f"{name} is also the group of a program that reads {_said(first)}, and this one reads {_said(other)}: whenever one of them starts, stops or is slow, the other stops as well until partitions are given out anew, and its lag is counted with the other's (a group for each program)"
            yield context.finding(message, other.group, [(first.group, "the other one")])


def _said(member: _Member) -> str:
    return ", ".join(sorted(member.topics)[:3])
