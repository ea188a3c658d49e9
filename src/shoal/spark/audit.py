"""One audit from beginning to end: what is read, what is reused, what is written."""

from __future__ import annotations

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack
from datetime import datetime, timezone
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from shoal.cli import UsageError
from shoal.discover import reason
from shoal.failing import Condition
from shoal.files import read_bytes
from shoal.lazy import pattern
from shoal.model import CONFIDENCES, LASTING, SEVERITIES, Finding, LeftOut, Problem
from shoal.records import NamedTuple
from shoal.report import Positions, Root
from shoal.spark import driver
from shoal.spark.plan import Plan, text_of
from shoal.spark.rows import CHECKED, TREE
from shoal.spark.tables import LEFT_OUT, READ, TABLES, Store

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


_FILE_ROWS = 50_000  # in one file of a table: not much more than writing a file costs
_FILE_BYTES = 4_000_000  # of content, of whose facts one file is made
WAVE_BYTES = 256_000_000  # of content that is checked before it is kept: what a killed audit loses at most
_REMOTE = pattern(r"[A-Za-z][A-Za-z0-9+.-]+:/")  # a scheme, `dbfs:/x` too; one letter would be a drive
_ONE_TREE = ("folder", "files")  # kinds of sources
SHOWN = 10  # findings, and problems, that come to the driver when the tables are the report


class Source(NamedTuple):
    """What is audited. `kind` is `folder` (that executors see), `files` (a folder that Spark reads), `table` or `repositories` (then `names` are those in the file)."""

    kind: str
    paths: tuple[str, ...]
    format: str = ""
    names: tuple[str, ...] = ()


class Summary(NamedTuple):
    """A run in a few numbers, counted where its rows are: findings by (state, severity) and open ones by rule, and problems.

    `first` are the findings to fix first, and the first problems. `stopping` are the open findings that meet the policy.
    """

    counts: dict[tuple[str, str], int]
    rules: dict[str, int]
    problems: int
    first: driver.Collected
    stopping: int


class Found(NamedTuple):
    """What an audit found, as reports want it."""

    findings: tuple[Finding, ...]
    problems: tuple[Problem, ...]
    left_out: tuple[LeftOut, ...]
    totals: driver.Totals
    positions: Positions
    run: str = ""
    summary: Summary | None = None
    roots: tuple[Root, ...] = ()
    changed: dict[str, tuple[int, str]] = {}  # noqa: RUF012 - never changed


def source_of(paths: list[str], table: str | None, repositories: str | None) -> Source:
    """What the command line names. Raises UsageError when it names several kinds of things."""
    remote = [path for path in paths if _REMOTE.match(path)]
    if sum(map(bool, (paths, table, repositories))) > 1:
        raise UsageError("name folders, --table or --repositories, not several of them")
    if table:
        format, colon, name = table.partition(":")
        if not colon or not name:
            raise UsageError(
                f"--table {table}: should be FORMAT:NAME, as in parquet:/data/files, delta:/data/files or iceberg:catalog.db.files"
            )
        return Source("table", (name,), format)
    if repositories:
        return Source("repositories", (repositories,), names=_names(repositories))
    if remote:
        if len(remote) != 1 or len(paths) != 1:
            raise UsageError("one remote folder at a time")
        return Source("files", tuple(remote))
    return Source("folder", tuple(paths or ["."]))


def _names(file: str) -> tuple[str, ...]:
    try:
        text = read_bytes(file, 50_000_000).decode("utf-8", "surrogateescape")
    except OSError as error:
        raise UsageError(f"cannot read {file}: {reason(error)}") from error
    names = dict.fromkeys(line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#"))
    if not names:
        raise UsageError(f"{file} names no repositories; one path[@revision] a line")
    return tuple(names)


def shared(names: tuple[str, ...]) -> tuple[str, ...]:
    """The repositories of a list that stand in it with several revisions."""
    counts = Counter(name.rpartition("@")[0] or name for name in names)
    return tuple(name for name, count in counts.items() if count > 1)


def run(
    spark: SparkSession,
    plan: Plan,
    source: Source,
    store: Store | None,
    rulebook: str,
    wanted: bool,
    policy: tuple[Condition, ...] = (),
    known: frozenset[str] = frozenset(),
) -> Found:
    """Audit a source. `rulebook` names rules and settings; `wanted`: bring the findings here, else only count them, and those that meet the policy."""
    at_once = driver.cores(spark)
    if store:
        plan = plan._replace(tables=True)
    finished = store.finished(rulebook) if store else []
    past = _past(store, source, finished)
    with ExitStack() as kept:
        listed = driver.listed(spark, plan, lambda frame: _kept(frame, kept)) if source.kind == "folder" else None
        if listed and listed.all and store is None:
            return _collected(driver.small_folder(listed, plan, at_once), None, source)
        scanned = _kept(driver.folder(listed, plan, at_once) if listed else _scanned(spark, plan, source, at_once, past), kept)
        fresh = driver.totals(scanned, source.kind in _ONE_TREE)
        scanned = driver.gathered(scanned, fresh)
        roots = _roots(fresh, source)
        if store is None:
            results = driver.checked(driver.unique(scanned, driver.tasks(fresh, at_once)), plan)
            concluded = driver.concluded(driver.joined(scanned, results), plan, fresh, at_once)
            return _in_order(_collected(concluded, fresh, source), roots)
        totals = past.with_same(fresh) if past else fresh
        name = sha256(f"{rulebook}\n{totals.marks}".encode()).hexdigest()[:16]
        if done := name in finished:
            tables = {table: store.of_run(table, name) for table in ("findings", "problems")}
        else:
            results = _checked(store, scanned, plan, fresh, at_once)
            tables = _tables(scanned, results, plan, fresh, at_once, kept)
            if past and fresh.same():
                same = driver.made(spark, fresh.same(), TREE)
                tables |= {table: frame.unionByName(past.taken(table, same)) for table, frame in tables.items() if table not in READ}
        findings, problems = tables["findings"], tables["problems"]
        found = driver.collected(findings, problems, _name(source)) if wanted else None
        counts = _counted(found) if found else _counts(findings, problems)
        if not done:
            _write(store, tables, plan, source, totals, counts, rulebook, name)
        if found is None:
            summary = _summary(findings, problems, counts, source, _stopping(findings, policy, known))
            return Found((), (), (), totals, Positions.none(), name, summary)
        return _in_order(Found(found.findings, found.problems, found.left_out, totals, found.positions, name), roots)


def _kept(frame: DataFrame, kept: ExitStack) -> DataFrame:
    """The frame, kept by executors from when it is first worked out until the end of the audit."""
    frame = frame.persist()
    kept.callback(frame.unpersist)
    return frame


class EarlierRun(NamedTuple):
    """An earlier run over a list of repositories, of which those are taken over that stand where they stood.

    Those are not in which something went wrong that may go well now.
    `trees` are (run that read it, files, read, bytes) by (repo, rev).
    """

    store: Store
    run: str
    trees: dict[tuple[str, str], tuple[str, int, int, int]]

    def with_same(self, totals: driver.Totals) -> driver.Totals:
        """The numbers with those of the trees that are taken over."""
        roots = []
        for tree in totals.roots:
            if tree.same:
                since, files, read, size = self.trees[tree.repo, tree.rev]
                totals = totals._replace(files=totals.files + files, read=totals.read + read, bytes=totals.bytes + size)
                tree = tree._replace(files=files, read=read, bytes=size, since=since)
            roots.append(tree)
        return totals._replace(roots=tuple(roots))

    def taken(self, table: str, same: DataFrame) -> DataFrame:
        """The rows of a table that are taken over."""
        from pyspark.sql import functions as F

        return self.store.of_run(table, self.run).join(F.broadcast(same), ["repo", "rev"], "left_semi")


def _past(store: Store | None, source: Source, finished: list[str]) -> EarlierRun | None:
    from pyspark.sql import functions as F

    if store is None or source.kind != "repositories" or not finished:
        return None
    run = store.of_run("runs", finished[0]).select("repositories").first()
    kept = frozenset(finished)
    trees = {(repo, rev): (since, *numbers) for repo, rev, since, *numbers in (run and run[0]) or () if since in kept}
    wrong = store.of_run("problems", finished[0]).where(~F.col("kind").isin(LEFT_OUT, *LASTING))
    for tree in wrong.select("repo", "rev").collect():
        trees.pop(tree, None)
    return EarlierRun(store, finished[0], trees)


def _roots(totals: driver.Totals, source: Source) -> tuple[Root, ...]:
    """The git trees of a list, in its order."""
    found = {}
    for tree in totals.roots:
        told = json.loads(tree.place)
        found[text_of(tree.repo)] = Root(text_of(tree.repo), told["top"], told["commit"])
    order = {name: number for number, name in enumerate(source.names)}
    last = len(order)
    return tuple(sorted(found.values(), key=lambda root: order.get(root.name, order.get(root.name.removesuffix("@HEAD"), last))))


def _in_order(found: Found, roots: tuple[Root, ...]) -> Found:
    """As the local engine reports git trees: one after the other, as they are listed."""
    if not roots:
        return found
    order = {root.name: number for number, root in enumerate(roots)}

    def rank(path: str) -> int:
        at = path.find("/")
        while at != -1:
            if (number := order.get(path[:at])) is not None:
                return number
            at = path.find("/", at + 1)
        return -1

    return found._replace(
        findings=tuple(sorted(found.findings, key=lambda item: rank(item.primary.path))),
        problems=tuple(sorted(found.problems, key=lambda item: rank(item.path))),
        left_out=tuple(sorted(found.left_out, key=lambda item: rank(item.path))),
        roots=roots,
    )


def _tables(
    scanned: DataFrame, results: DataFrame, plan: Plan, totals: driver.Totals, at_once: int, kept: ExitStack
) -> dict[str, DataFrame]:
    """What the tables of a run are to hold of what was read in it."""
    from pyspark.sql import functions as F

    files = _kept(driver.joined(scanned, results), kept)
    concluded = _kept(driver.concluded(files, plan, totals, at_once), kept)
    left_out = driver.part(concluded, "left_out").select(
        "repo",
        "rev",
        "path",
        F.lit(LEFT_OUT).alias("kind"),
        F.concat_ws(": ", "reason", F.when(F.col("detail") != "", F.col("detail"))).alias("message"),
        F.lit(0).alias("line"),
        F.lit("").alias("help"),
    )
    return {
        "files": driver.step(scanned.where("path <> '' or about is not null"), "files", plan, TABLES["files"]),
        "facts": driver.step(files.where("packed is not null"), "facts", plan, TABLES["facts"]),
        "findings": driver.part(concluded, "finding"),
        "jobs": driver.part(concluded, "job"),
        "problems": driver.part(concluded, "problem").unionByName(left_out),
    }


def _write(
    store: Store,
    tables: dict[str, DataFrame],
    plan: Plan,
    source: Source,
    totals: driver.Totals,
    counts: Counts,
    rulebook: str,
    name: str,
) -> None:
    """Write the tables of a run, at the same time; its row in `runs` comes last. What fails is raised when all have come to their end."""
    findings = sum(counts.states.values())
    few = {"files": totals.files // _FILE_ROWS, "facts": totals.bytes // _FILE_BYTES}  # files of a table that are worth having
    write = driver.in_thread(store.spark, store.write)
    with ThreadPoolExecutor(len(tables)) as threads:
        written = [
            threads.submit(write, frame.coalesce(1 + few.get(table, (findings + totals.read) // _FILE_ROWS)), table, name)
            for table, frame in tables.items()
        ]
        wait(written)
    for table in written:
        table.result()
    row = {
        "finished": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "source": " ".join((source.format or source.kind, *source.paths)),
        "shoal": plan.version,
        "rulebook": rulebook,
        **{column: count for column, count in totals._asdict().items() if column in TABLES["runs"]},
        "findings": findings,
        "problems": counts.problems,
        "repositories": [
            {"repo": tree.repo, "rev": tree.rev, "since": tree.since or name, "files": tree.files, "read": tree.read, "bytes": tree.bytes}
            for tree in totals.roots
        ],
    }
    store.write(driver.made(store.spark, [tuple(row[column] for column in TABLES["runs"])], TABLES["runs"]), "runs", name)


def _checked(store: Store, scanned: DataFrame, plan: Plan, totals: driver.Totals, at_once: int) -> DataFrame:
    """What every content yields: what is known, and what is found out now, in waves that are each kept once they are done."""
    from pyspark.sql import functions as F

    name = plan.contents
    wanted = scanned.where("key is not null").select("key", "kind", "named", "size", "content", "settings")
    results = store.read("contents", CHECKED, "rulebook", name)
    if results is not None:
        wanted = wanted.join(results.where("sure").select("key"), "key", "left_anti")
    left = wanted.agg(F.count("*"), F.sum("size")).first()
    assert left is not None
    size = int(left[1] or 0)
    waves = max(1, -(-size // WAVE_BYTES)) if left[0] else 0
    for wave in range(waves):
        some = wanted.where(F.pmod(F.xxhash64("key"), F.lit(waves)) == wave) if waves > 1 else wanted
        contents = driver.unique(some, driver.tasks(totals._replace(read=left[0], bytes=size // waves), at_once))
        store.remember(driver.checked(contents, plan), name)
    if waves:
        results = store.read("contents", CHECKED, "rulebook", name)
    if results is None:  # nothing passed the gate, now or before
        results = driver.made(store.spark, (), CHECKED)
    # a content that went wrong before may be here twice: what is sure counts
    return results.groupBy("key").agg(F.max_by("packed", F.when(F.col("sure"), 1).otherwise(0)).alias("packed"))


class Counts(NamedTuple):
    """Findings by (state, severity), open ones by rule, and problems."""

    states: dict[tuple[str, str], int]
    rules: dict[str, int]
    problems: int


def _counts(findings: DataFrame, problems: DataFrame) -> Counts:
    from pyspark.sql import functions as F

    wrong = problems.where(F.col("kind") != LEFT_OUT).select(*(F.lit("").alias(column) for column in ("state", "severity", "rule")))
    states: Counter[tuple[str, str]] = Counter()
    rules: Counter[str] = Counter()
    told = findings.select("state", "severity", "rule").unionByName(wrong)
    for state, severity, rule, count in told.groupBy("state", "severity", "rule").count().collect():
        states[state, severity] += count
        if state == "open":
            rules[rule] += count
    count = states.pop(("", ""), 0)
    return Counts(dict(states), dict(rules), count)


def _counted(found: driver.Collected) -> Counts:
    """The same of what came here."""
    states = Counter((finding.status.state, finding.severity) for finding in found.findings)
    rules = Counter(finding.rule for finding in found.findings if finding.status.state == "open")
    return Counts(states, rules, len(found.problems))


def _stopping(findings: DataFrame, policy: tuple[Condition, ...], known: frozenset[str]) -> int:
    """How many open findings meet a policy (`failing.stopping`), told where they are: only fingerprints of the earlier run go there."""
    from pyspark.sql import functions as F

    if not policy:
        return 0
    wanted = findings.where("state = 'open'")
    new = F.lit(True)
    if any(condition.new for condition in policy):
        earlier = driver.made(
            findings.sparkSession, ((fingerprint, False) for fingerprint in known), {"fingerprint": "string", "new": "boolean"}
        )
        wanted, new = wanted.join(earlier, "fingerprint", "left"), F.col("new").isNull()
    meets = F.lit(False)
    for condition in policy:
        at_least = F.col("severity").isin(*condition.severities) & F.col("confidence").isin(*condition.confidences)
        meets = meets | (at_least & new if condition.new else at_least)
    return wanted.where(meets).count()


def _summary(findings: DataFrame, problems: DataFrame, counts: Counts, source: Source, stopping: int) -> Summary:
    from pyspark.sql import functions as F

    def rank(column: str, names: tuple[str, ...]) -> Any:
        return F.array_position(F.array(*map(F.lit, names)), F.col(column)).desc()

    order = (rank("severity", SEVERITIES), rank("confidence", CONFIDENCES), "repo", "path", "line", "rule")
    wanted = findings.where("state = 'open'").orderBy(*order).limit(SHOWN)
    wrong = problems.where(F.col("kind") != LEFT_OUT).orderBy("repo", "path", "line").limit(SHOWN) if counts.problems else None
    first = driver.collected(wanted, wrong, _name(source), ordered=True)
    return Summary(counts.states, counts.rules, counts.problems, first, stopping)


def _collected(concluded: DataFrame, totals: driver.Totals | None, source: Source) -> Found:
    found = driver.collect(concluded, _name(source))
    if totals is None:
        totals = driver.Totals(*found.totals, trees=1, marks=0)
    return Found(found.findings, found.problems, found.left_out, totals, found.positions, changed=found.changed)


def _scanned(spark: SparkSession, plan: Plan, source: Source, at_once: int, past: EarlierRun | None) -> DataFrame:
    if source.kind == "repositories":
        return driver.repositories(spark, plan, list(source.names), at_once, past.trees if past else ())
    if source.kind == "files":
        return driver.remote_folder(spark, plan, source.paths[0])
    name = source.paths[0]
    by_name = source.format == "table" or (source.format != "parquet" and "/" not in name)
    return driver.table(spark.table(name) if by_name else spark.read.format(source.format).load(name), plan)


def _name(source: Source) -> driver.Naming:
    """What a file is called in reports: by its path in the one tree, else with the repository before it."""
    if source.kind in _ONE_TREE:
        return lambda repo, rev, path: path
    return lambda repo, rev, path: (f"{repo}/{path}" if path else repo) if repo else path
