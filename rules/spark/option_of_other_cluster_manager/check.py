"""`spark.executor.memoryOverhead` on a standalone cluster, and options of YARN or Kubernetes on another one."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark

# Beginning of an option -> who reads it (docs/configuration.html of 3.5 and 4.0: "currently supported on YARN and Kubernetes").
_READ_BY = {
    "spark.executor.memoryOverhead": ("yarn", "k8s"),
    "spark.driver.memoryOverhead": ("yarn", "k8s"),
    "spark.yarn.": ("yarn",),
    "spark.kubernetes.": ("k8s",),
}
_NAMES = {"yarn": "YARN", "k8s": "Kubernetes", "spark://": "a standalone cluster"}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("spark"):
        manager = _manager(job, block)
        for setting in job.of(block) if manager else ():
            readers = next((one for key, one in _READ_BY.items() if setting.key.startswith(key)), None)
            if readers is None or manager in readers:
                continue
            message = f"{setting.key} has no effect: {' and '.join(_NAMES[one] for one in readers)} alone {'read' if len(readers) > 1 else 'reads'} it, and the master is {_NAMES[manager]}"
            yield context.finding(message, setting.key_place(), covers=[setting.place()])


def _manager(job: Job, block: Block) -> str:
    """What the application is surely sent to; empty where that is not to be seen, and for one process."""
    return next((name for name in _NAMES if spark.master_is(job, block, name)), "")
