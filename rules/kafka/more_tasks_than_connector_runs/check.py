"""`tasks.max` of connectors that read one log, or the result of one query."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import verbatim
from shoal.templates.kafka import Amount, amount

# Their taskConfigs() throws where it is asked for more than one, SQL Server's unless it is given a list of databases.
_REFUSE = frozenset(
    {
        "io.debezium.connector.mysql.MySqlConnector",
        "io.debezium.connector.mariadb.MariaDbConnector",
        "io.debezium.connector.oracle.OracleConnector",
        "io.debezium.connector.sqlserver.SqlServerConnector",
    }
)
_ONE = frozenset({"io.debezium.connector.postgresql.PostgresConnector"})
_JDBC = frozenset({"io.confluent.connect.jdbc.JdbcSourceConnector", "io.aiven.connect.jdbc.JdbcSourceConnector"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kafka-connect", ("connector",)):
        most = _most(job, block)
        if most.setting is None or most.value is None or most.value < 2:
            continue
        made_of = job.get(block, "connector.class")
        name = verbatim(made_of)
        related = [(made_of, "the connector")] if made_of is not None else []
        shown = name.rsplit(".", 1)[-1]
        if name in _REFUSE and not (shown.startswith("SqlServer") and job.written(block, "database.names") is not None):
            message = f"no task of it starts: {shown} runs one task, and refuses {most.value} (Only a single connector task may be started)"
            yield context.finding(message, most.setting, related)
        elif name in _ONE:
            message = f"{shown} reads one replication slot in one task, whatever is asked for"
            yield context.finding(message, most.setting, related, severity="info")
        elif name in _JDBC and (query := job.written(block, "query")) is not None:
            message = f"{shown} runs a query in one task; tables are what it spreads over tasks"
            yield context.finding(message, most.setting, [(query, "the query")], severity="info")


def _most(job: Job, block: Block) -> Amount:
    """How many tasks there may be; Strimzi's field comes before an option of the same meaning."""
    field = amount(job, block, "spec.tasksMax")
    return field if field.setting is not None else amount(job, block, "tasks.max")
