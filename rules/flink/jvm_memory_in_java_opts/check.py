"""`-Xmx`, `-XX:MaxDirectMemorySize` or `-XX:MaxMetaspaceSize` in the Java options of a JobManager or TaskManager.

The scripts start `java $JVM_ARGS $FLINK_ENV_JAVA_OPTS`: what Flink works out comes first, and the JVM goes by the last.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding

_LIMIT = pattern(r"""(?<![^\s"'])-((?:Xmx|XX:MaxDirectMemorySize=|XX:MaxMetaspaceSize=)\d[^\s"']*)""")
_PARTS = {
    "Xmx": ("heap", {"taskmanager": "taskmanager.memory.task.heap.size", "jobmanager": "jobmanager.memory.heap.size"}),
    "XX:MaxDirectMemorySize": (
        "direct memory",
        {"taskmanager": "taskmanager.memory.task.off-heap.size", "jobmanager": "jobmanager.memory.off-heap.size"},
    ),
    "XX:MaxMetaspaceSize": (
        "metaspace",
        {"taskmanager": "taskmanager.memory.jvm-metaspace.size", "jobmanager": "jobmanager.memory.jvm-metaspace.size"},
    ),
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink", ("cluster", "deployment", "command")):
        for process in ("all", "jobmanager", "taskmanager"):
            options = job.get(block, f"env.java.opts.{process}")
            limit = _LIMIT.search(options.text) if options is not None and options.known else None
            if options is None or limit is None:
                continue
            name = limit.group(1)
            part, instead = next(told for start, told in _PARTS.items() if name.startswith(start))
            ways = " or ".join(way for who, way in instead.items() if process in ("all", who))
            message = f"-{name} comes after what Flink works out for the {part}, and Java goes by the last: the process no longer fits the memory it was given ({ways} sets the {part})"
            if process == "all" and part == "heap":
                message = f"-{name} comes after the heap that Flink works out for each process, and Java goes by the last: JobManager and TaskManagers all get this one, whatever memory they were given ({ways} sets the heap)"
            yield context.finding(message, options)
