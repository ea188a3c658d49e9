"""One audit on Spark: which steps run over which rows. Only the DataFrame API, so a Spark Connect session serves as well as a classic one."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from shoal.core import order
from shoal.model import Finding, LeftOut, Problem
from shoal.records import NamedTuple
from shoal.report import Positions
from shoal.spark import executor, rows
from shoal.spark.found import finding_of
from shoal.spark.plan import Plan, text_of
from shoal.spark.tables import LEFT_OUT

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

_CHECK_BYTES = 500_000  # of content in one task of the check: some tenths of a second to some seconds of work
_LEAST_BYTES = 20_000  # about what a task costs by itself
_MOST_TASKS = 20_000
_GATHERED_PORTIONS = 8
_GATHERED_FILES = 20_000
_GATHERED_BYTES = 4_000_000
_PLACE = r"^[A-Za-z][A-Za-z0-9+.-]*:(//[^/]*)?/*"  # scheme and host of a path, as Python and Java read it


class GitTree(NamedTuple):
    """A git tree of a list, where executors read it, and its share of the totals.

    `same`: it stands where an earlier run saw it, and was not read since the run `since` (empty: this one).
    """

    repo: str
    rev: str
    place: str
    same: bool
    files: int
    read: int
    bytes: int
    since: str = ""


class Totals(NamedTuple):
    """What was listed: `files` looked at, `read` of them passed the gate, with `bytes` of content in `trees` trees. `marks` stands for all of it."""

    files: int
    read: int
    bytes: int
    trees: int
    marks: int
    roots: tuple[GitTree, ...] = ()

    def same(self) -> list[tuple[str, str]]:
        """The git trees (repo, rev) that were not read."""
        return [(tree.repo, tree.rev) for tree in self.roots if tree.same]


def made(spark: SparkSession, told: Iterable[tuple[object, ...]], columns: rows.Columns) -> DataFrame:
    """A frame of a few rows. `createDataFrame` would start Python workers for them."""
    from pyspark.sql import functions as F

    text = json.dumps([dict(zip(columns, row, strict=True)) for row in told])
    found = F.explode(F.from_json(F.lit(text), f"array<{rows.ddl_of(columns)}>"))
    return spark.range(0, 1, 1, 1).select(found.alias("row")).select("row.*")


def step(frame: DataFrame, name: str, plan: Plan, columns: rows.Columns) -> DataFrame:
    """A step of the executor over every partition of a frame."""
    if name != "conclude":  # only there it matters what has changed
        plan = plan._replace(changes=None)
    return frame.mapInArrow(partial(executor.run, name, plan), rows.ddl(columns))


def cores(spark: SparkSession) -> int:
    """How many tasks can run at once. A Connect session has no context to ask; how it would cut up a range tells."""
    from pyspark.sql import functions as F

    if not is_remote(spark):
        return max(1, int(spark.sparkContext.defaultParallelism))
    return max(1, int(spark.range(10_000).select(F.spark_partition_id().alias("p")).distinct().count()))


def is_remote(spark: SparkSession) -> bool:
    """Whether the session is one of Spark Connect."""
    return ".connect." in type(spark).__module__


def in_thread(spark: SparkSession, work: Callable[..., None]) -> Callable[..., None]:
    """What does the same in another thread, where it belongs to this one's pool and group of jobs. Connect knows neither."""
    from pyspark import inheritable_thread_target

    if is_remote(spark):
        return work
    inheriting: Callable[..., Callable[..., None]] = inheritable_thread_target
    with warnings.catch_warnings():  # of tags, which only a Spark 4 that is given the session takes over
        warnings.simplefilter("ignore")
        return inheriting(work)


class Listed(NamedTuple):
    """What is near the top of a folder, in so many portions of files and unless that is `all` of it, folders that are still to be walked."""

    frame: DataFrame
    portions: int
    all: bool


def listed(spark: SparkSession, plan: Plan, keep: Callable[[DataFrame], DataFrame]) -> Listed:
    """One task lists what is near the top of a folder that the executors see: all of a small one. `keep` has them keep a frame."""
    from pyspark.sql import functions as F

    frame = keep(step(made(spark, [("", "")], rows.TREE), "list-top", plan, rows.PORTION))
    told = frame.agg(F.count("files"), F.count("folders")).first()
    assert told is not None
    return Listed(frame, told[0], not told[1])


def folder(found: Listed, plan: Plan, at_once: int) -> DataFrame:
    """The scanned files of a folder. Those of a small one go to few tasks."""
    if found.all:
        return step(found.frame.repartition(_few(found, at_once)), "scan", plan, rows.SCANNED)
    walked = step(found.frame.repartition(at_once * 4), "list-folders", plan, rows.PORTION)
    return step(walked.repartition(at_once * 4), "scan", plan, rows.SCANNED)


def _few(found: Listed, at_once: int) -> int:
    return max(1, min(at_once * 4, found.portions // _GATHERED_PORTIONS))


def small_folder(found: Listed, plan: Plan, at_once: int) -> DataFrame:
    """What is concluded (`rows.CONCLUDED`) of a folder all of which is listed, with the fewest jobs and shuffles."""
    tasks = _few(found, at_once)
    checked = step(found.frame.repartition(tasks), "scan-and-check", plan, rows.JOINED)
    return step(checked.repartition(1) if tasks > 1 else checked, "conclude", plan, rows.CONCLUDED)


def repositories(spark: SparkSession, plan: Plan, names: Iterable[str], at_once: int, known: Iterable[tuple[str, str]] = ()) -> DataFrame:
    """The scanned files of git repositories that the executors see: each is listed by one task, and read in portions by many.

    `known` are the trees (`repo`, `rev`) of an earlier run: of one that stands at the same commit there is one row that says so.
    """
    commits = {text_of(repo): rev for repo, rev in known}  # by `git.named`
    told = [(name, commits.get(name, commits.get(f"{name.rstrip('/')}@HEAD"))) for name in names]
    asked = made(spark, told, rows.ASKED).repartition(min(len(told), at_once * 4), "repo")
    listed = step(asked, "list-repository", plan, rows.PORTION)
    return step(listed.repartition(at_once * 4), "scan", plan, rows.SCANNED)


def table(frame: DataFrame, plan: Plan) -> DataFrame:
    """The scanned rows of a frame with `path` and `content`, and `repo` and `rev` where there are several trees."""
    from pyspark.sql import functions as F

    limit = plan.settings.max_file_size
    has = {name.lower() for name in frame.columns}
    size = F.col("length") if "length" in has else F.length("content")
    wanted = frame.select(
        (F.col("repo").cast("string") if "repo" in has else F.lit("")).alias("repo"),
        (F.col("rev").cast("string") if "rev" in has else F.lit("")).alias("rev"),
        F.col("path").cast("string").alias("path"),
        size.cast("bigint").alias("size"),
        F.when(size <= limit, F.col("content").cast("binary")).alias("content"),
    )
    return step(wanted, "scan-contents", plan, rows.SCANNED)


def remote_folder(spark: SparkSession, plan: Plan, folder: str) -> DataFrame:
    """The scanned files of a folder that Spark reads, with paths relative to it. What is larger than settings allow is not fetched."""
    from pyspark.sql import functions as F

    limit = plan.settings.max_file_size
    # Spark passes over names that begin with `_` or `.`, `__init__.py` among them, unless it is told which instead (Spark 4.3 and later can be)
    reader = spark.read.format("binaryFile").option("recursiveFileLookup", "true").option("ignoredPathSegmentRegex", "^[.]git$")
    found = reader.load(folder)
    path, start = F.regexp_replace("path", _PLACE, ""), start_of(folder)
    relative = F.when(path.startswith(start), F.substring(path, len(start) + 1, 1_000_000)).otherwise(F.regexp_extract(path, "[^/]*$", 0))
    # names alone are not fetched with what the files hold, so this is but a look at the listing
    marks = found.where(F.regexp_extract("path", "[^/]*$", 0) == "pyvenv.cfg").select(relative.alias("relative")).collect()
    plan = plan._replace(environments=tuple(sorted(row["relative"].rpartition("/")[0] for row in marks)))
    small = found.where(F.col("length") <= limit).select(relative.alias("path"), "length", "content")
    large = found.where(F.col("length") > limit).select(relative.alias("path"), "length", F.lit(None).cast("binary").alias("content"))
    return table(small.unionByName(large), plan)


def start_of(folder: str) -> str:
    """How paths in a remote folder begin, without scheme and host (`hdfs:///x` may come back with the host): up to the first glob."""
    path = re.sub("/+", "/", re.sub(_PLACE, "", folder)).rstrip("/")
    plain = re.split(r"[*?\[{\\]", path)[0]
    if plain != path:
        path = plain.rpartition("/")[0]
    return path + "/" if path else ""


def totals(scanned: DataFrame, one: bool) -> Totals:
    """What was listed, and the sum of the marks of all files: what the trees hold, in one number. `one`: there is only one tree."""
    from pyspark.sql import functions as F

    read = F.col("key").isNotNull()
    keys = ("repo", "rev")
    trees = scanned.groupBy(*(() if one else keys)).agg(
        *(F.max(key).alias(key) for key in keys if one),
        F.sum("files").alias("files"),
        F.count_if(read).alias("read"),
        F.coalesce(F.sum(F.when(read, F.col("size"))), F.lit(0)).alias("bytes"),
        F.sum(F.col("mark").cast("decimal(38,0)")).alias("marks"),
        F.max("place").alias("place"),
        F.coalesce(F.max("same"), F.lit(False)).alias("same"),
    )
    root = F.when(F.col("place").startswith("{"), F.struct("repo", "rev", "place", "same", "files", "read", "bytes"))
    found = trees.agg(
        F.sum("files"), F.sum("read"), F.sum("bytes"), F.count("files"), F.sum("marks").cast("string"), F.collect_list(root)
    ).first()
    assert found is not None
    *numbers, roots = found
    files, count, size, number, marks = (int(value or 0) for value in numbers)
    return Totals(files, count, size, number, marks, tuple(GitTree(*root) for root in roots))


def gathered(scanned: DataFrame, total: Totals) -> DataFrame:
    """The same in fewer partitions, where there is little: a task costs as much as some thousand rows."""
    return scanned.coalesce(_partitions(total))


def _partitions(total: Totals) -> int:
    return 1 + total.files // _GATHERED_FILES + total.bytes // _GATHERED_BYTES


def tasks(total: Totals, at_once: int) -> int:
    """Tasks for a check of so many bytes: enough for all cores to end together, few enough not to cost more than the work."""
    enough = max(min(at_once * 2, total.bytes // _LEAST_BYTES), total.bytes // _CHECK_BYTES)
    return max(1, min(_MOST_TASKS, total.read, enough))


def unique(scanned: DataFrame, partitions: int) -> DataFrame:
    """Each content once, spread by what it is known by."""
    wanted = scanned.where("key is not null").select("key", "kind", "named", "content", "settings")
    return wanted.repartition(partitions, "key").dropDuplicates(["key"])


def checked(contents: DataFrame, plan: Plan) -> DataFrame:
    return step(contents, "check", plan, rows.CHECKED)


def joined(scanned: DataFrame, results: DataFrame) -> DataFrame:
    """Everything that matters to a tree: every path with what its content yields, and the names of the others."""
    from pyspark.sql import functions as F

    known = results.where("packed != ''").select("key", "packed")
    columns = [*rows.JOINED]
    others = scanned.where("key is null and same is null").withColumn("packed", F.lit(None).cast("string")).select(*columns)
    return scanned.where("key is not null").join(known, "key", "left").select(*columns).unionByName(others)


def concluded(files: DataFrame, plan: Plan, total: Totals, at_once: int) -> DataFrame:
    """What whole trees yield (`rows.CONCLUDED`): each tree is one task's."""
    trees = max(1, min(total.trees - len(total.same()), at_once * 4))
    together = files.coalesce(1) if trees == _partitions(total) == 1 else files.repartition(trees, "repo", "rev")
    return step(together.sortWithinPartitions("repo", "rev"), "conclude", plan, rows.CONCLUDED)


def part(found: DataFrame, what: str) -> DataFrame:
    """The rows of one kind out of what was concluded, with the columns of its table."""
    return found.where(f"what = '{what}'").select("repo", "rev", f"{what}.*")


# -- back into findings -----------------------------------------------------------------------------------------------------------------------


class Collected(NamedTuple):
    """What was found, as the reports want it. Positions were worked out where the contents are. `changed`: (files, cause) by tree.

    `totals`: files looked at, files read and bytes of these, of what came out of `concluded`.
    """

    findings: tuple[Finding, ...]
    problems: tuple[Problem, ...]
    left_out: tuple[LeftOut, ...]
    positions: Positions
    changed: dict[str, tuple[int, str]]
    totals: tuple[int, int, int] = (0, 0, 0)


# (repository, revision, path) to what a file is called in reports.
Naming = Callable[[str, str, str], str]


def collect(found: DataFrame, name: Naming) -> Collected:
    """Fetch what was concluded. `name(repo, rev, path)` is what a file is called in reports."""
    kept = found.where("what in ('finding', 'problem', 'left_out', 'changed', 'totals')").drop("job")
    return _together(((row["what"], row, row[row["what"]]) for row in kept.collect()), name)


def collected(findings: DataFrame, problems: DataFrame | None, name: Naming, ordered: bool = False) -> Collected:
    """The same out of the tables. `ordered`: findings stay in the order of their rows."""
    told = [("finding", row, row) for row in findings.collect()]
    told += [
        ("problem" if row["kind"] != LEFT_OUT else "left_out", row, row) for row in (problems.collect() if problems is not None else ())
    ]
    return _together(told, name, ordered)


def _together(told: Iterable[tuple[str, Row, Row]], name: Naming, ordered: bool = False) -> Collected:
    findings: list[Finding] = []
    problems: list[Problem] = []
    left_out: list[LeftOut] = []
    positions = Positions.none()
    changed: dict[str, tuple[int, str]] = {}
    totals = [0, 0, 0]
    for what, tree, row in told:

        def called(path: str, tree: Row = tree) -> str:
            return name(text_of(tree["repo"]), tree["rev"], text_of(path))

        if what == "finding":
            findings.append(finding_of(row, called, positions))
        elif what == "problem":
            problems.append(Problem(called(row["path"]), row["kind"], text_of(row["message"]), row["line"], text_of(row["help"])))
        elif what == "totals":
            totals = [count + more for count, more in zip(totals, row, strict=True)]
        elif what == "changed":
            changed[called("")] = (row["files"], row["cause"])
        elif "message" in row:
            why, _, detail = text_of(row["message"]).partition(": ")
            left_out.append(LeftOut(called(row["path"]), why, detail))
        else:
            left_out.append(LeftOut(called(row["path"]), row["reason"], text_of(row["detail"])))
    if not ordered:
        findings.sort(key=order)
    files, read, size = totals
    return Collected(tuple(findings), tuple(sorted(set(problems))), tuple(sorted(set(left_out))), positions, changed, (files, read, size))
