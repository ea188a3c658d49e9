"""`spark.driver.memory` and the like on the session's builder, where spark-submit or an operator has started the driver already."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark

# What only the launcher reads: the size and the command line of the driver's JVM, and what is downloaded for its class path.
_START = {
    "spark.driver.memory": "the driver's memory is fixed",
    "spark.driver.cores": "the driver's cores are fixed",
    "spark.driver.memoryOverhead": "the driver's memory is fixed",
    "spark.driver.extraJavaOptions": "the driver's JVM runs",
    "spark.driver.defaultJavaOptions": "the driver's JVM runs",
    "spark.driver.extraClassPath": "the driver's class path is fixed",
    "spark.driver.extraLibraryPath": "the driver's library path is fixed",
    "spark.submit.deployMode": "the application has been submitted",
    "spark.jars.packages": "packages have been resolved",
    "spark.jars.excludes": "packages have been resolved",
    "spark.jars.repositories": "packages have been resolved",
}
# Maps of Spark options under any name, which the code itself may read.
_MAPS = ("values", "yaml", "json")
# The same as flags of spark-submit.
_FLAGS = {
    "spark.driver.memory": "--driver-memory",
    "spark.driver.cores": "--driver-cores",
    "spark.driver.extraJavaOptions": "--driver-java-options",
    "spark.driver.extraClassPath": "--driver-class-path",
    "spark.driver.extraLibraryPath": "--driver-library-path",
    "spark.submit.deployMode": "--deploy-mode",
    "spark.jars.packages": "--packages",
    "spark.jars.excludes": "--exclude-packages",
    "spark.jars.repositories": "--repositories",
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Silent where nothing shows that the code is submitted: started as a plain program it launches the JVM with these options."""
    if job.kind != "job":
        return
    submissions = (block for block in job.select("spark", ("submit", "application")) if block.role == "submit" or block.form not in _MAPS)
    submitted = next((block for block in submissions if _of_this(job, block)), None)
    if submitted is None:
        return
    for block in job.select("spark", ("job",), ("python", "java")):
        master = job.written(block, "spark.master")
        if master is not None and master.text.startswith("local"):
            continue  # a test or a demo, which plain Python starts as well
        for setting in job.of(block):
            why = _START.get(setting.key)
            flag = _FLAGS.get(setting.key, "")
            if why and job.written(submitted, setting.key) is None and (not flag or job.written(submitted, flag) is None):
                message = f"{setting.key} has no effect here: {why} before this line runs, it belongs with the submission"
                yield context.finding(message, setting.key_place(label=setting.key), [(submitted, "submitted here")], covers=[setting])


def _of_this(job: Job, submission: Block) -> bool:
    """Not one that names another program: its script is in the job for the versions that it speaks of."""
    names = spark.started_files(job, submission)
    return not names or any(path.rsplit("/", 1)[-1] in names for path in job.paths)
