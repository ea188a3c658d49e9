"""`snapshot.mode` against the modes of the connector's class, in all releases from 1.0 to 3.2.

Checked on the enumerations of the connectors 1.0, 1.9, 2.5, 3.0 and 3.2; a mode of any of them is taken for right.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import verbatim

_ALL = frozenset(("always", "configuration_based", "custom", "initial", "initial_only", "no_data", "when_needed"))
_HISTORY = frozenset(("recovery", "schema_only", "schema_only_recovery"))
_MODES = {
    "io.debezium.connector.postgresql.PostgresConnector": _ALL | {"exported", "never"},
    "io.debezium.connector.mysql.MySqlConnector": _ALL | _HISTORY | {"never"},
    "io.debezium.connector.sqlserver.SqlServerConnector": _ALL | _HISTORY | {"exported", "initial_schema_only"},
    "io.debezium.connector.oracle.OracleConnector": _ALL | _HISTORY | {"initial_schema_only"},
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kafka-connect", ("connector",)):
        modes = _MODES.get(verbatim(job.get(block, "connector.class")))
        mode = job.get(block, "snapshot.mode")
        if modes is None or mode is None or not mode.known or not mode.text.strip():
            continue
        name = mode.text.strip()
        if name.lower() not in modes:
            takes = ", ".join(sorted(modes - {"custom", "exported", "configuration_based"}))
            yield context.finding(f"the connector is refused: it has no snapshot mode `{name}`, but (by release) {takes}", mode)
