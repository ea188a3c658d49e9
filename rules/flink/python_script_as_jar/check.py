"""`spec.job` of a Flink resource that is to run a Python script: the script in the jar's place, or another class of Flink's Python than the driver.

Of these classes PythonDriver alone reads `-py`; PythonGatewayServer, which PyFlink starts for a script that runs already, looks for the variable that names
its port file, and fails without it (flink-python, 1.12 to 2.1).
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding

_PACKAGE = "org.apache.flink.client.python."
_DRIVER = f"{_PACKAGE}PythonDriver"


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("flink", ("deployment", "sessionjob")):
        jar, entry = job.written(block, "spec.job.jarURI"), job.written(block, "spec.job.entryClass")
        named = entry.text.strip() if entry is not None and entry.known else ""
        if entry is not None and named.startswith(_PACKAGE) and named != _DRIVER:
            message = f"the job does not start: {named.removeprefix(_PACKAGE)} runs no script, and reads none of the args that name one; {_DRIVER} does"
            yield context.finding(message, entry)
            continue
        if jar is None or not jar.text.strip().lower().endswith(".py") or (entry is None and block.open):
            continue
        if entry is None or (named and named != _DRIVER):
            message = f"the job does not start: Flink opens this as a jar and looks for a main class in it; scripts are run by entryClass {_DRIVER} with `-py` among its args"
            yield context.finding(message, jar, [(entry, "which is looked for in it")] if entry is not None else [])
