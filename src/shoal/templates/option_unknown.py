"""A key that no version of the program that reads the block knows."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.model import CONFIDENCES, Edit, Finding, Fix
from shoal.templates.common import TEXT, TEXTS, blocks, schema
from shoal.templates.explain import Meant, accepts, explain, made_up, of_registry, swapped
from shoal.templates.kafka import is_option
from shoal.templates.options import Reader, judged, reader_of, whole

PARAMETERS = schema(
    ["message"],
    message=TEXT,
    readers=TEXTS,
    exempt=TEXTS,
    confidence={"enum": ["low", "medium", "high"]},
)

# Written by the entry point of the stock image itself, and copied from there.
_HARMLESS = frozenset({"query.server.port"})
# What Flink's SQL client before 1.15 takes for properties of the session (its YAML environment names them so): no option of Flink's itself.
_SESSION = frozenset({"execution.result-mode", "execution.max-table-result-rows", "execution.time-characteristic", "execution.planner"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    """`readers`: which programs' blocks are meant (all those of the engine); `exempt`: keys never reported; `confidence`: the least reported.

    The message may use {key} and {why}, which says what may be meant. An unknown key that nothing explains is not reported, but with low
    confidence where nobody else has options.
    """
    parameters = context.parameters
    exempt = _HARMLESS | set(parameters.get("exempt", ()))
    least = CONFIDENCES.index(parameters.get("confidence", "low"))
    for block in blocks(job, context):
        reader = reader_of(job, block)
        if reader is None or reader.name not in parameters.get("readers", (reader.name,)):
            continue
        options = list(judged(job, block))
        own = block.engine == "flink" and block.form in ("json", "yaml") and _own_names(job, block, reader) > 2
        if block.engine in ("flink", "spark"):  # what stands there for a key need not look like one
            for setting in job.of(block):
                meant = swapped(block, setting, reader) if setting not in options else None
                if meant is not None:
                    yield _finding(job, context, block, setting, reader, meant)
        for setting in options:
            if block.engine == "flink" and block.form == "sql" and setting.key in _SESSION:
                continue
            known = reader.known(setting.key) and made_up(block.engine, setting.key) is None
            if setting.key in exempt or (known and (reader.name != "librdkafka" or of_registry(block, setting.key) is None)):
                continue
            if reader.name == "librdkafka" and (
                is_option(setting.key) or ("_" in setting.key and reader.known(setting.key.replace("_", ".")))
            ):
                continue  # the Java client's, or spelt as kafka-python does: option-of-other-kafka-client
            if block.engine == "kafka" and block.form == "yaml" and "_" in setting.key and "." not in setting.key:
                continue  # a program's own name beside Kafka's, or one for a Python client
            meant = explain(block, setting, reader)
            if block.engine == "beam" and meant is not None:
                meant = _in_beam(block, setting, reader, meant)
            if meant is not None and own:
                meant = meant._replace(confidence="low")  # a map that a program reads by itself, before it hands Flink's part of it on
            if meant is not None and CONFIDENCES.index(meant.confidence) >= least:
                yield _finding(job, context, block, setting, reader, meant)


def _own_names(job: Job, block: Block, reader: Reader) -> int:
    """How many names of a map are single words that are none of its options."""
    return sum("." not in setting.key and not reader.known(setting.key) for setting in job.of(block))


def _finding(job: Job, context: Context, block: Block, setting: Setting, reader: Reader, meant: Meant) -> Finding:
    why = f"; {meant.why}" if meant.why else ""
    message = context.parameters["message"].format(key=setting.key, why=why, reader=reader.name)
    fixes: list[Fix] = []
    if meant.value is not None:
        if whole(setting) and job.written(block, meant.keys[0]) is None:
            edits = (Edit(setting.path, setting.key_span, meant.keys[0]), Edit(setting.path, setting.value_span, meant.value))
            fixes = [Fix("swap key and value", "unsafe", edits)]
    elif len(meant.keys) == 1 and job.get(block, meant.keys[0]) is None and _takes(block, setting, reader, meant.keys[0]):
        fixes = [context.rename(setting, meant.keys[0], f"rename it to {meant.keys[0]}", "unsafe")]
    return context.finding(message, setting.key_place(label=setting.key), confidence=meant.confidence, fixes=fixes, covers=[setting])


def _in_beam(block: Block, setting: Setting, reader: Reader, meant: Meant) -> Meant | None:
    """Of Java's spellings the catalogue has those of the Flink runner alone; and until 2.66 Python's parser took what an option begins with for it."""
    abbreviates = any(key.startswith(setting.key) for key in meant.keys) and (reader.version is None or reader.version.below("2.66"))
    foreign = block.trait("language") == "java" and any("_" in key for key in meant.keys)
    return None if abbreviates or foreign else meant


def _takes(block: Block, setting: Setting, reader: Reader, key: str) -> bool:
    """Whether the value may stay as it is under the other key."""
    option = reader.option(key, reader.at)
    return option is not None and "<" not in key and (not setting.known or accepts(block.engine, option, setting.text) is not False)
