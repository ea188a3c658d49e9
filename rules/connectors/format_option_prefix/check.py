"""`json.x` goes with `format`, `value.json.x` with `value.format`."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import tables


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Only the formats that the table itself names are judged."""
    for table in tables.tables(job, "kafka", "upsert-kafka"):
        plain, value = job.written(table, "format"), job.written(table, "value.format")
        if table.open or bool(plain) == bool(value) or (plain and not plain.known) or (value and not value.known):
            continue
        one = plain or value
        assert one is not None
        name = one.text.strip()
        used, wrong = (f"{name}.", f"value.{name}.") if plain else (f"value.{name}.", f"{name}.")
        for setting in job.of(table):
            if setting.key.startswith(wrong) and not setting.key.startswith(used):
                right = used + setting.key.removeprefix(wrong)
                message = f"the statement is refused: with `{one.key}` the options of {name} begin with `{used}`"
                yield context.finding(
                    message, setting, [(one, "names the format")], fixes=[context.rename(setting, right, f"write {right}", "safe")]
                )
