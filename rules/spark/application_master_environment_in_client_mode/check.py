"""`spark.yarn.appMasterEnv.X` where the driver is not in the application master: what is submitted without `--deploy-mode cluster`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding

_PREFIX = "spark.yarn.appMasterEnv."
_MODES = ("--deploy-mode", "spark.submit.deployMode")
# What the container of the application master itself is started with, or needs.
_OF_CONTAINER = ("YARN_", "HADOOP_", "SPARK_", "JAVA_", "LD_LIBRARY_PATH", "CLASSPATH", "PATH", "KRB5")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Silent where anything of the job asks for cluster mode, or for what cannot be seen."""
    modes = [setting for block in job.blocks.values() if block.engine == "spark" for setting in job.of(block) if setting.key in _MODES]
    if any(not setting.known or setting.text != "client" for setting in modes):
        return
    for block in job.select("spark", ("submit",), ("command",)):
        if block.trait("platform") not in ("", "dataproc"):
            continue
        hosted = block.trait("platform") == "dataproc"
        if not hosted and not _on_yarn(job, block):
            continue
        set_here = [one for one in job.of(block) if one.key.startswith(_PREFIX) and not one.key[len(_PREFIX) :].startswith(_OF_CONTAINER)]
        if not set_here:
            continue
        why = next((mode for mode in modes if mode.block == block.id), None)
        first, names = set_here[0], ", ".join(setting.key[len(_PREFIX) :] for setting in set_here)
        message = (
            f"the driver has no {names} from here: in client mode, which is the default, it is a process of its own, and "
            "spark.yarn.appMasterEnv reaches the application master alone"
        )
        related = [*((one.key_place(), "this one neither") for one in set_here[1:]), *(((why, "client mode"),) if why is not None else ())]
        # an export in the script that calls spark-submit reaches its driver; none reaches the driver of a job of Dataproc
        yield context.finding(message, first.key_place(), related, confidence="medium" if hosted else "low", covers=set_here)


def _on_yarn(job: Job, block: Block) -> bool:
    master = job.get(block, "--master") or job.get(block, "spark.master")
    return master is not None and master.known and master.text.startswith("yarn") and master.text != "yarn-cluster"
