"""Files that a KafkaConnector of Strimzi takes values from, against what its KafkaConnect mounts."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context, Target
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.jobs.questions import covering
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates.common import verbatim
from shoal.templates.strimzi import workers_of
from shoal.text import MASK

# What stands in other folders may be part of the image.
_FILE = pattern(r"\$\{([\w-]+):((?:/opt/kafka/external-configuration|/mnt)/([^/:}$]+)[^:}$]*)(?::[^{}]*)?\}")
# Folders of what others are made from, which is completed before it is applied.
_KEPT = pattern(r"(?:^|/)(?:example|model|sample|template)s?/")
_OF_FILES = ("FileConfigProvider", "DirectoryConfigProvider")


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kafka-connect", ("connector",), ("manifest",)):
        workers = workers_of(job, block)
        mounts = [mount for worker in workers for mount in job.mounts if mount.block == worker.id]
        missing: dict[str, list[Setting]] = {}
        for setting in job.of(block) if workers else ():
            for provider, path, volume in _FILE.findall(setting.text):
                if _reads_files(job, workers, provider) and not covering(mounts, path) and MASK not in path:
                    missing.setdefault(volume, []).append(setting)
        there = ", ".join(sorted({mount.path.rsplit("/", 1)[-1] for mount in mounts})[:4]) or "none"
        for volume, settings in missing.items():
            message = f"the worker cannot read this: `{volume}` is no volume of the KafkaConnect {workers[0].name}, which has {there}"
            related: list[tuple[Target, str]] = [(mount, "mounted") for mount in mounts[:2]] or [(workers[0], "no volumes")]
            confidence = "low" if _KEPT.search(block.place.path) else "high" if mounts and len(workers) == 1 else ""
            first, *others = dict.fromkeys(settings)
            yield context.finding(message, first, [*related, *((one, "the same") for one in others[:5])], confidence=confidence)


def _reads_files(job: Job, workers: list[Block], provider: str) -> bool:
    """Whether a worker surely has a provider of that name, and one for files."""
    kinds = [job.written(worker, f"config.providers.{provider}.class") for worker in workers]
    return any(verbatim(kind).endswith(_OF_FILES) for kind in kinds)
