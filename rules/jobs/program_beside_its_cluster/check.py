"""`python job.py` as the command of a service, in a compose file with a JobManager and a TaskManager."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.jobs import programs
from shoal.model import Finding

# What makes a program hand its job to a cluster although python starts it.
_TELLS = frozenset({"execution.target", "rest.address", "rest.bind-address", "jobmanager.rpc.address"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    clusters: dict[str, dict[str, str]] = {}
    for block in job.select("flink", ("cluster",)):
        clusters.setdefault(block.place.path, {})[block.trait("role")] = block.name
    makes = {block.place.path: block for block in job.select("flink", ("job",)) if block.form == "python"}
    # what `flink run` hands over
    sent = {
        entry.target for entry in job.entries if (by := job.blocks.get(entry.block)) is not None and by.trait("program").startswith("flink")
    }
    told = {setting.path for setting in job.settings if setting.key in _TELLS}
    # of a command that falls apart nobody knows what it starts
    apart = {(one.place.path, one.subject) for one in job.oddities if one.kind == "compose-command-without-shell"}
    for container, program, inside in programs.started(job):
        roles = clusters.get(container.fact.place.path, {})
        made = next((makes[path] for path in sorted(inside) if path in makes), None)
        if made is None or not {"jobmanager", "taskmanager"} <= roles.keys() or container.name in roles.values():
            continue
        if program in sent or inside & told or (container.fact.place.path, container.name) in apart:
            continue
        message = (
            f"{container.name} does not use {roles['jobmanager']} and its TaskManagers: a program that python starts runs in a small cluster inside this container, "
            f"without their slots, conf and web interface; submit it with flink run -m {roles['jobmanager']}:8081 -py {program}"
        )
        yield context.finding(message, container.fact.place, [(made, "the program's environment")])
