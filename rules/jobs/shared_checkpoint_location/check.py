"""The same `checkpointLocation` in two writers: one path, or one constant of another module."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates import spark

_REMOTE = pattern(r"[a-z][a-z0-9+.-]*://|/", re.IGNORECASE)
# `CHECKPOINT_ORDERS`, `Config.CHECKPOINT_ORDERS`: whatever it is, it is one path for all who import it.
_CONSTANT = pattern(r"(?:[A-Za-z_]\w*\.)*[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Between two files only where the path is absolute: relative ones are relative to wherever each job is started."""
    modules = _modules(job)
    seen: dict[str, list[tuple[Setting, Block]]] = {}
    for setting in job.settings:
        block = job.blocks.get(setting.block)
        if block is None or (block.engine, block.role) != ("spark", "writer") or setting.key.lower() != "checkpointlocation":
            continue
        location = setting.text.strip().rstrip("/")
        if not setting.known:
            module = modules.get(setting.path, {}).get(location.partition(".")[0])
            if module is None or not _CONSTANT.fullmatch(location):
                continue
            location = f"{location} of {module}"
        others = seen.setdefault(location, [])
        first = next((found for found in others if found[1].id != block.id and _meet(job, found, (setting, block))), None)
        others.append((setting, block))
        if first is None:
            continue
        inside = first[0].path == setting.path
        message = (
            f"two queries keep their progress in {location}: the second one fails with a concurrent update of the log, or goes on where the other one "
            "had been and skips its own data"
        )
        again = _started_again(job, first[1], block) if inside else _versions(job, first[1], block)
        confidence = "low" if again else "" if inside else "medium"
        yield context.finding(message, setting, [(first[0], "the same location")], confidence=confidence)


def _modules(job: Job) -> dict[str, dict[str, str]]:
    """By file, the modules that names were taken from, as they are written there."""
    found: dict[str, dict[str, str]] = {}
    for usage in job.usages("import"):
        module, _, names = usage.detail.partition(":")
        found.setdefault(usage.place.path, {}).update(dict.fromkeys(names.split(",") if names else [module], module))
    return found


def _meet(job: Job, one: tuple[Setting, Block], other: tuple[Setting, Block]) -> bool:
    """Whether both may run: not the arms of one condition, not two spellings of one query."""
    (first, first_block), (second, second_block) = one, other
    if first.value_span == second.value_span and first.path == second.path:
        return False  # a constant that both reach; a loop or helper that makes one query after the other
    if first.path == second.path:
        apart = "branch" in (first.sure, second.sure)
    elif first_block.name and first_block.name == second_block.name and not _two_topics(job, first_block, second_block):
        apart = True
    else:
        apart = first.known and (not _REMOTE.match(first.text.strip()) or _copies(job, first_block, second_block))
    # One query that is started again into the same folder, or written down twice, as a script and its notebook, is one.
    return not apart and not _one_target(job, first_block, second_block)


def _one_target(job: Job, first: Block, second: Block) -> bool:
    """Whether both write to one folder, table or topic, as far as one can tell: in another file, what reads the same may well be the same."""
    elsewhere = first.place.path != second.place.path
    for key in ("path", "table", "topic"):
        targets = [target for block in (first, second) if (target := spark.option(job, block, key)) is not None]
        if len(targets) == 2 and len({target.text for target in targets}) == 1 and all(target.known or elsewhere for target in targets):
            return True
    return False


def _two_topics(job: Job, first: Block, second: Block) -> bool:
    """Whether queries of one name write to topics of two names: they are not one query that is written down twice."""
    topics = [spark.option(job, block, "topic") for block in (first, second)]
    return len({topic.text for topic in topics if topic is not None and topic.known}) == 2


def _versions(job: Job, first: Block, second: Block) -> bool:
    """Whether the functions of two files are given batches of the same sources, or both print the rows: one of the files may be a later
    version of the other, or the one that goes on where the other was stopped."""
    sources = []
    for block in (first, second):
        readers = [one for one in job.select("spark", ("reader",)) if one.place.path == block.place.path]
        sources.append(sorted((one.traits, _written(job, one)) for one in readers))
    nowhere = first.trait("foreachBatch") == "true" or first.trait("format") == "console"
    return nowhere and first.traits == second.traits and bool(sources[0]) and sources[0] == sources[1]


def _started_again(job: Job, first: Block, second: Block) -> bool:
    """Whether the first may have been stopped, and the second be the same query once more."""
    return second.trait("after") == "stop" and _written(job, first) == _written(job, second)


def _written(job: Job, block: Block) -> list[tuple[str, str]]:
    return sorted((setting.key.lower(), str(setting.value)) for setting in job.of(block))


def _copies(job: Job, first: Block, second: Block) -> bool:
    """Whether two files of one name hold the same query: a script and a copy of it in the folder that is deployed."""
    names = {block.place.path.rsplit("/", 1)[-1] for block in (first, second)}
    return len(names) == 1 and _written(job, first) == _written(job, second) and first.traits == second.traits
