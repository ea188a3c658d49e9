"""`master("local[*]")` in a program that is submitted to a cluster: what the code sets wins over the submission."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark

_CLUSTERS = {"yarn": "YARN", "k8s": "Kubernetes", "spark://": "a standalone cluster"}


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Silent where a branch sets the master, or another session of the program sets none or a different one: then somebody chooses.

    A SparkContext is the only one of its process: sessions that set no master are of it.
    """
    if job.kind != "job":
        return
    sessions = job.select("spark", ("job",), ("python", "java"))
    masters = {block.id: job.written(block, "spark.master") for block in sessions}
    for block in sessions:
        master = masters[block.id]
        if master is None or not master.known or master.sure != "sure" or not master.text.startswith("local"):
            continue
        if master.origin is not None and master.origin.path != master.path:
            continue
        beside = [masters[other.id] for other in sessions if other.place.path == block.place.path]
        alone = block.trait("class") == "SparkContext"
        if not all(other.text.startswith("local") if other is not None else alone for other in beside):
            continue
        for submission in job.select("spark", ("submit", "application")):
            cluster = _cluster(job, submission)
            if cluster and block.place.path.rsplit("/", 1)[-1] in spark.started_files(job, submission):
                told = f"{master.text} in the code wins over the submission to {cluster}"
                message = f"all the work is done in the driver, and no executor takes part: {told}"
                yield context.finding(message, master, [(submission, "submitted here")])
                break


def _cluster(job: Job, submission: Block) -> str:
    """What the submission surely goes to; empty where that is not to be seen."""
    if submission.role == "application":
        return _CLUSTERS["k8s"] if submission.form == "manifest" and submission.trait("kind") == "SparkApplication" else ""
    given = [setting for key in ("--master", "spark.master") if (setting := job.written(submission, key)) is not None]
    if not given or given[0].sure != "sure":
        return ""  # of `k8s://https://$(minikube ip):8443` the address is not known, but the kind is
    return next((name for word, name in _CLUSTERS.items() if given[0].text.startswith(word)), "")
