"""`spark.executor.memoryOverhead` on a standalone cluster, and options of YARN or Kubernetes on another one."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark

_CLUSTERS = ("yarn", "k8s", "spark://")
# Beginning of an option -> who reads it (docs/configuration.html of 3.5 and 4.0: "currently supported on YARN and Kubernetes").
_READ_BY = {
    "spark.executor.memoryOverhead": ("yarn", "k8s"),
    "spark.driver.memoryOverhead": ("yarn", "k8s"),
    "spark.yarn.": ("yarn",),
    "spark.kubernetes.": ("k8s",),
    "spark.executor.memory": _CLUSTERS,
    "spark.executor.cores": _CLUSTERS,
    "spark.executor.instances": _CLUSTERS,
    "--executor-memory": _CLUSTERS,
    "--executor-cores": _CLUSTERS,
    "--num-executors": _CLUSTERS,
}
_NAMES = {"yarn": "YARN", "k8s": "Kubernetes", "spark://": "a standalone cluster", "local": "local"}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("spark"):
        manager = _manager(job, block)
        for setting in job.of(block) if manager else ():
            readers = next((one for key, one in _READ_BY.items() if setting.key.startswith(key)), None)
            if readers is None or manager in readers:
                continue
            if readers == ("k8s",) and block.role == "application":
                continue  # an operator makes the driver's pod of them, whatever master the driver then turns to
            if readers == _CLUSTERS:
                why = "the master is local, and one process does everything with what the driver is given"
            else:
                alone = " and ".join(_NAMES[one] for one in readers)
                why = f"{alone} alone {'read' if len(readers) > 1 else 'reads'} it, and the master is {_NAMES[manager]}"
            # what stands in code may be meant for the day it runs elsewhere
            sure = "low" if manager == "local" and block.form == "python" else ""
            yield context.finding(f"{setting.key} has no effect: {why}", setting.key_place(), confidence=sure, covers=[setting])


def _manager(job: Job, block: Block) -> str:
    """What the application is surely sent to; empty where that is not to be seen."""
    return next((name for name in _NAMES if spark.master_is(job, block, name)), "")
