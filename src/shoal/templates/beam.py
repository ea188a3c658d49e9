"""What several Beam rules ask of a pipeline's options, which are written in snake case for Python and in camel case for Java."""

from __future__ import annotations

import re
from typing import Any

from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.templates.common import text as text
from shoal.values.kafka import parse_long

_FLINK = ("flinkrunner", "testflinkrunner")


def camel(name: str) -> str:
    return re.sub(r"_([a-z])", lambda match: match.group(1).upper(), name)


def option(job: Job, block: Block, name: str) -> Setting | None:
    """An option by its snake-case name, in whichever spelling it is written."""
    return job.get(block, name) or job.get(block, camel(name))


def number(job: Job, block: Block, name: str) -> tuple[Setting | None, int | None]:
    """A whole-number option and its value; None for what is not set or cannot be known."""
    found = option(job, block, name)
    value = parse_long(found.text) if found is not None and found.known else None
    return found, value if isinstance(value, int) else None


def runner(job: Job, block: Block) -> str:
    """The runner's simple name in lower case; empty when it is set in code or cannot be known."""
    return text(job.get(block, "runner")).rpartition(".")[2]


def on_flink(job: Job, block: Block, portable: bool = True) -> bool:
    """Whether the pipeline surely (or, as a portable one, most likely) runs on Flink."""
    name = runner(job, block)
    if name == "portablerunner":
        return portable
    return name in _FLINK


def streams(job: Job, block: Block) -> bool:
    return text(option(job, block, "streaming")) == "true"


def streaming(job: Job) -> Block | None:
    """A pipeline that says it streams, where the file makes no other: which of several a transform is part of is not known."""
    made = list(job.select("beam", ("pipeline",)))
    return made[0] if made and all(streams(job, block) for block in made) else None


_ENDLESS = ("ReadFromPubSub", "ReadFromPubSubLite", "MultipleReadFromPubSub", "ReadFromKafka", "ReadDataFromKinesis", "PeriodicImpulse")
_BOUNDED = (
    "Create",
    "ReadFromText",
    "ReadAllFromText",
    "ReadFromBigQuery",
    "ReadFromAvro",
    "ReadFromParquet",
    "ReadFromCsv",
    "ReadFromJson",
    "ReadFromJdbc",
)


def unbounded(job: Job, module: Any) -> bool | None:
    """Whether the pipeline of a Python file streams; None where the file neither says so nor reads anything."""
    limited = any(read.has_keyword("max_num_records", "max_read_time") for read in module.named("ReadFromKafka"))
    if any(streams(job, block) for block in job.select("beam", ("pipeline",))) or (module.named(*_ENDLESS) and not limited):
        return True
    return False if module.named(*_BOUNDED) or limited else None
