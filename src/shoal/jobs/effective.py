"""Which of several settings an engine uses: each engine's own order of precedence, over the blocks of a whole job."""

from __future__ import annotations

from shoal.facts import Block, Setting
from shoal.job import Job, spellings

# Flink's program changes the configuration it was given, so code comes last and wins; a SQL session's SET is such a change; -D options
# are laid over the conf file, and so is what a resource of the operator says. Spark: SparkConf in code, then submit's flags, then the defaults.
_RANKS = {
    ("flink", "job"): (60, "code"),
    ("flink", "session"): (50, "SQL SET"),
    ("flink", "command"): (40, "-D"),
    ("flink", "sessionjob"): (30, "session job"),
    ("flink", "deployment"): (20, "deployment"),
    ("flink", "service"): (15, "service"),
    ("flink", "cluster"): (10, "cluster conf"),
    ("spark", "job"): (60, "code"),
    ("spark", "session"): (50, "SQL SET"),
    ("spark", "submit"): (40, "submit --conf"),
    ("spark", "command"): (40, "submit --conf"),
    ("spark", "application"): (30, "application"),
    ("spark", "defaults"): (10, "defaults"),
    ("beam", "pipeline"): (60, "pipeline options"),
}


class Origin:
    """Where a setting comes from, in a word, and how strong that is."""

    __slots__ = ("rank", "word")

    def __init__(self, rank: int, word: str) -> None:
        self.rank = rank
        self.word = word


def origin(block: Block) -> Origin | None:
    """How strong a block's settings are for the job as a whole; None for blocks of one table, connector or client."""
    found = _RANKS.get((block.engine, block.role))
    if found is None:
        return None
    rank, word = found
    if block.role == "cluster" and block.trait("role") == "taskmanager":
        rank -= 1  # job-wide options count where the JobManager reads them
    elif block.role == "cluster" and block.form == "compose":
        rank, word = rank + 2, "FLINK_PROPERTIES"  # which the image's entry point writes over the conf file
    if block.trait("fixed") == "true":
        rank = 70  # a managed service that does as it does, whatever the code says
    return Origin(rank, word)


def origins(job: Job, engine: str, key: str) -> list[Setting]:
    """All settings of an option that apply to the whole job, the one in force first."""
    # of several spellings at one place the engine takes the newest, then the old ones in its own order
    order = {name: place for place, name in enumerate(dict.fromkeys((*spellings(engine, key), key)))}
    found = []
    for index, setting in enumerate(job.settings):
        if setting.engine == engine and setting.key in order:
            block = job.blocks.get(setting.block)
            source = origin(block) if block else None
            if source is not None:
                found.append((-source.rank, order[setting.key], -index, setting))
    return [setting for *_, setting in sorted(found, key=lambda item: item[:3])]


def effective(job: Job, engine: str, key: str) -> Setting | None:
    """The setting in force in the whole job; None when there is none, or when equally strong ones disagree."""
    found = origins(job, engine, key)
    if not found:
        return None
    top = _rank(job, found[0])
    equals = [setting for setting in found if _rank(job, setting) == top and setting.key == found[0].key]
    if any(setting.text.strip() != found[0].text.strip() for setting in equals):
        return None
    return found[0]


def _rank(job: Job, setting: Setting) -> int:
    source = origin(job.blocks[setting.block])
    return source.rank if source else 0
