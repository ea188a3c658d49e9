"""What several job rules ask: what the code of a job is, whether it checkpoints, how sure an absence is, where its config was looked for."""

from __future__ import annotations

from collections.abc import Iterable

from shoal.classify import classify
from shoal.facts import Block, Mount, Setting
from shoal.job import Job, numbers
from shoal.jobs.effective import origin
from shoal.jobs.outside import service
from shoal.model import Place
from shoal.readers.engine_files import is_conf_path
from shoal.values import Bad, Duration
from shoal.values.flink import parse_duration

INTERVAL = "execution.checkpointing.interval"
TIMEOUT = "execution.checkpointing.timeout"
CHECKPOINT_DIR = "execution.checkpointing.dir"
SAVEPOINT_DIR = "execution.checkpointing.savepoint-dir"
STORAGE = "execution.checkpointing.storage"
RETENTION = "execution.checkpointing.externalized-checkpoint-retention"
BACKEND = "state.backend.type"
# Kinds of volumes that end with what they are mounted in.
PASSING = ("emptyDir", "ephemeral")
# Why a file belongs to a job: it starts the program, or it is a compose file of which only the master's image is known.
STARTS, MASTER = "starts it", "its Spark master"


def code_blocks(job: Job) -> list[Block]:
    """The blocks of what the program itself sets: an environment in Python, the session of a SQL script."""
    return [block for block in job.select("flink", ("job", "session")) if not block.parent or block.role == "job"]


def config_blocks(job: Job) -> list[Block]:
    """The blocks of what is set for the program: conf files, services, resources."""
    return job.select("flink", ("cluster", "deployment", "sessionjob", "service"))


def hidden(job: Job) -> bool:
    """Whether options of the whole job may be set where they cannot be seen: templates, mounted conf, arguments."""
    return bool(unseen(job))


def unseen(job: Job) -> list[Block]:
    """The blocks of which not all can be seen.

    A service whose conf folder is mounted is not taken for one when the job's conf file is at hand, nor are lines that a Dockerfile
    adds to the conf of its image: what images bring sets nothing of the kind; nor is a container whose conf folder is a config map that is at hand. An environment that a module in Python is given is all in sight where the
    module that makes it is a part of the job.
    """
    made = any(block.form == "python" and not block.open for block in job.select("flink", ("job",)))
    files = any(block.form in ("flink-conf", "flink-yaml") and not block.open for block in job.select("flink", ("cluster",)))
    return [
        block
        for block in job.select("flink")
        if block.open
        and origin(block) is not None
        and not (files and block.form == "compose")
        and not (block.form == "manifest" and _conf_at_hand(job, block))
        and not (made and block.form == "python" and block.trait("made") == "elsewhere")
        and classify(block.place.path) != "dockerfile"
    ]


def _conf_at_hand(job: Job, block: Block) -> bool:
    """Whether all that is hidden of a container is a conf folder that config maps of the project are mounted at."""
    maps = [mount.name for mount in job.mounts if mount.block == block.id and mount.kind == "configMap" and is_conf_path(mount.path)]
    whole = {other.name for other in job.select("flink", ("cluster",), ("configmap",)) if not other.open}
    return bool(maps) and whole.issuperset(maps) and block.trait("hidden") != "variables"


def only_config_unseen(job: Job, handed_on: bool = False) -> bool:
    """Whether all that cannot be seen is configuration in files of the project: something may still be missing, at low confidence.

    A program or a command that is put together as it runs may do anything, and one that is handed a configuration is handed it for a reason.
    `handed_on`: programs count as well whose classes hand their environment to one another, as far as these are parts of the job.
    """
    return all(
        block.role in ("cluster", "deployment", "sessionjob") or (handed_on and block.trait("handed-on") == "yes") for block in unseen(job)
    )


def covering(mounts: Iterable[Mount], path: str) -> list[Mount]:
    """The mounts that a path lies in, of those the deepest: several where containers mount different volumes at one place."""
    found = [mount for mount in mounts if f"{path}/".startswith(mount.path.rstrip("/") + "/")]
    deepest = max((len(mount.path.rstrip("/")) for mount in found), default=0)
    return [mount for mount in found if len(mount.path.rstrip("/")) == deepest]


def duration(setting: Setting | None) -> Duration | None:
    """A setting's length of time; None when there is none or it cannot be known."""
    if setting is None or not setting.known:
        return None
    found = parse_duration(setting.text)
    return None if isinstance(found, Bad) else found


def interval(job: Job) -> Setting | None:
    """The setting that turns checkpointing on for the job, if one surely does; a value that cannot be known counts as on."""
    found = next(iter(job.origins("flink", INTERVAL)), None)
    if found is not None and not found.known:
        return found
    length = duration(found)
    return found if length is not None and length.nanos > 0 else None


def batch(job: Job) -> bool:
    """Whether the job may run as a batch."""
    return any(setting.text.strip().lower() not in ("streaming",) for setting in job.origins("flink", "execution.runtime-mode"))


def managed(job: Job) -> bool:
    """Whether a service takes care of checkpoints and their storage, and was not told otherwise."""
    return service(job.outside).checkpoints and not any(
        block.trait("checkpointing") == "off" for block in job.select("flink", ("service",))
    )


def surely_absent(job: Job) -> str:
    """The confidence of an absence: `medium` with a cluster's config in sight, `low` without one (it may be set on a cluster elsewhere)
    and where not all of it can be seen."""
    if hidden(job):
        return "low"
    return "medium" if any(not block.open or classify(block.place.path) == "dockerfile" for block in config_blocks(job)) else "low"


def looked(job: Job, besides: Place) -> list[tuple[Place, str]]:
    """The files in which an option was looked for, for the finding to name."""
    partly = {block.place.path for block in unseen(job)}
    found = job.looked_in("flink", besides.path)[:6]
    return [(place, "not all of it can be seen" if place.path in partly else label) for place, label in found]


def submitted(job: Job) -> list[tuple[Place, str]]:
    """Where the job's code submits it, for a finding about what was not said by then."""
    return [(usage.place, "submitted here") for usage in job.usages("submits")[:3]]


def where(job: Job) -> str:
    """In words, where an option was looked for, and where it may still be."""
    files = sorted({block.place.path for block in config_blocks(job)})
    partly = sorted({block.place.path for block in unseen(job)})
    if partly:
        does = f"unless what cannot be seen of {_shown(partly)} does (a template, an env_file, envFrom, a mounted file or code that is given the environment)"
        files = [path for path in files if path not in partly]
        return f"and {_shown(files)} {'sets' if len(files) == 1 else 'set'} none, {does}" if files else does
    if not files:
        return "and no cluster configuration stands in the project"
    return f"and {_shown(files)} {'sets' if len(files) == 1 else 'set'} none"


def _shown(files: list[str]) -> str:
    return ", ".join(files[:3]) + (f" and {len(files) - 3} more" if len(files) > 3 else "")


def minor(text: str) -> tuple[int, ...]:
    """The first two numbers of a version."""
    return numbers(text)[:2]
