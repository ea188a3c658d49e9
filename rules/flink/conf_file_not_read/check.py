"""Conf files by the name of another version."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    seen: dict[str, list[Block]] = {}
    for block in job.select("flink", ("cluster",), ("configmap",)):
        name = block.trait("file").lower()
        legacy, standard = name.startswith("flink-conf.y"), name.startswith("config.y")
        if not legacy and not standard:
            continue
        seen.setdefault(block.name, []).append(block)
        version = job.version("flink", block)
        if version is None:
            continue
        if legacy and version.at_least("2.0"):
            message = f"Flink {version.text} does not read {block.trait('file')}, and without a config.yaml it does not start"
            yield context.finding(message, block, [(version.source, "the version")])
        elif standard and version.below("1.19"):
            message = f"Flink {version.text} does not read {block.trait('file')}: before 1.19 the file is flink-conf.yaml, and nothing here takes effect"
            yield context.finding(message, block, [(version.source, "the version")])
        elif standard and any(other.trait("file").lower().startswith("flink-conf.y") for other in seen[block.name]):
            message = "one of the two files is ignored as a whole: in Flink 1.19 and 1.20 flink-conf.yaml wins over config.yaml, from 2.0 on only config.yaml is read"
            yield context.finding(message, block, [(seen[block.name][0], "the other file")], severity="warning")
