"""What is kept: the tables of all runs, and what is known of contents.

DIR/findings|problems|jobs/run=ID/               the rows of one run, written whole by one Spark job each
DIR/files|facts/run=ID/                          what one run read: repositories that a later run takes over stand here alone
DIR/runs/run=ID/                                 one row, written last: without it the run never happened
DIR/contents/rulebook=KEY/                       what each content yields under these rules and settings, whatever run found out
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.cli import UsageError
from shoal.records import NamedTuple
from shoal.spark import rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FILES: rows.Columns = {"path": "string", "kind": "string", "size": "bigint", "digest": "string", "read": "boolean", "key": "string"}
# The kind of rows in `problems` that say what was deliberately not checked.
LEFT_OUT = "left-out"
RUNS: rows.Columns = {
    "finished": "string",
    "source": "string",
    "shoal": "string",
    "rulebook": "string",
    "files": "bigint",
    "read": "bigint",
    "bytes": "bigint",
    "trees": "bigint",
    "findings": "bigint",
    "problems": "bigint",
    "repositories": [{**rows.TREE, "since": "string", "files": "bigint", "read": "bigint", "bytes": "bigint"}],
}
# Tables that say what stands in files, whatever else there is: of a repository that has not moved they are not written again.
READ = ("files", "facts")
# The tables for people and programs; each also has `run`, by which it is partitioned, and all but `runs` have `repo` and `rev`.
TABLES: dict[str, rows.Columns] = {
    "files": {**rows.TREE, **FILES},
    "facts": {**rows.TREE, **rows.FACT},
    "findings": {**rows.TREE, **rows.FINDING},
    "problems": {**rows.TREE, **rows.PROBLEM},
    "jobs": {**rows.TREE, **rows.JOB},
    "runs": RUNS,
}


class Store(NamedTuple):
    """The folder of all tables: a local path, or whatever Spark writes to. `format` is `parquet` or `delta`."""

    spark: SparkSession
    folder: str
    format: str = "parquet"

    def path(self, table: str) -> str:
        return f"{self.folder.rstrip('/')}/{table}"

    def read(self, table: str, columns: rows.Columns, partition: str, value: str) -> DataFrame | None:
        """The rows of one partition; None when there are none yet."""
        if self.format == "parquet":
            return self._loaded(f"{self.path(table)}/{partition}={value}", columns)
        found = self._loaded(self.path(table), {**columns, partition: "string"})
        return None if found is None else found.where(found[partition] == value).drop(partition)

    def _loaded(self, path: str, columns: rows.Columns) -> DataFrame | None:
        try:
            reader = self.spark.read.format(self.format)
            found = (reader.schema(rows.ddl(columns)) if self.format == "parquet" else reader).load(path)
            found.columns  # noqa: B018 - with Connect, what is missing comes out only when something is asked for
        except Exception as error:
            if any(word in str(error) for word in ("PATH_NOT_FOUND", "DELTA_TABLE_NOT_FOUND", "is not a Delta table", "DELTA_MISSING")):
                return None
            raise
        return found

    def of_run(self, table: str, run: str) -> DataFrame:
        """The rows of a finished run."""
        found = self.read(table, TABLES[table], "run", run)
        assert found is not None, "written before the row of the run"
        return found

    def write(self, frame: DataFrame, table: str, run: str) -> None:
        """Write the rows of a run, in the place of what an attempt that was killed may have left."""
        self._write(frame, table, "run", run, "overwrite")

    def remember(self, frame: DataFrame, rulebook: str) -> None:
        """Add what was found out about contents."""
        self._write(frame, "contents", "rulebook", rulebook, "append")

    def _write(self, frame: DataFrame, table: str, partition: str, value: str, mode: str) -> None:
        from pyspark.sql import functions as F

        if self.format == "parquet":
            frame.write.mode(mode).parquet(f"{self.path(table)}/{partition}={value}")
            return
        writer = frame.withColumn(partition, F.lit(value)).write.format(self.format).mode(mode).partitionBy(partition)
        if mode == "overwrite":
            writer = writer.option("replaceWhere", f"{partition} = '{value}'")
        writer.save(self.path(table))

    def finished(self, rulebook: str) -> list[str]:
        """The finished runs under these rules and settings, the last one first."""
        if self.format == "parquet" and self._loaded(f"{self.path('contents')}/_delta_log", RUNS) is not None:
            raise UsageError(f"{self.folder} holds Delta tables: --tables-format delta")
        found = self._loaded(self.path("runs"), {**RUNS, "run": "string"})
        told = found.where(found["rulebook"] == rulebook).select("finished", "run").collect() if found is not None else ()
        return [run for _, run in sorted(told, reverse=True)]


def views(spark: SparkSession, folder: str, format: str = "parquet", run: str = "") -> str:
    """Make temporary views `files`, `facts`, `findings`, `problems`, `jobs` of one finished run (the last one) and `runs` of all. Its id."""
    from pyspark.sql import functions as F

    store = Store(spark, folder, format)

    def whole(table: str) -> DataFrame:
        reader = spark.read.format(format)
        if format == "parquet":
            reader = reader.schema(rows.ddl({**TABLES[table], "run": "string"}))
        return reader.load(store.path(table))

    runs = whole("runs")
    runs.createOrReplaceTempView("runs")
    if not run:
        last = runs.orderBy(F.col("finished").desc()).first()
        if last is None:
            raise ValueError(f"{folder} holds no finished run")
        run = last["run"]
    taken = runs.where(F.col("run") == run).select(F.explode("repositories").alias("tree")).select("tree.repo", "tree.rev", "tree.since")
    earlier = taken.where(F.col("since") != run).withColumnRenamed("since", "run")
    for table in TABLES.keys() - {"runs"}:
        found = whole(table)
        view = found.where(F.col("run") == run)
        if table in READ:
            before = found.join(F.broadcast(earlier), ["repo", "rev", "run"], "left_semi")
            view = view.unionByName(before.withColumn("run", F.lit(run)))
        view.createOrReplaceTempView(table)
    return run


def schemas() -> str:
    """The columns of every table, as the documentation shows them."""
    lines = []
    for table, columns in TABLES.items():
        lines.append(table)
        lines += [f"    {name:<14}{rows.ddl_of(kind)}" for name, kind in columns.items()]
    return "\n".join(lines)
