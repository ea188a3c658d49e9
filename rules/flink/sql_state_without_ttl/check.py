"""Joins and aggregations without a window, in scripts that never let state go."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting, Statement
from shoal.job import Job
from shoal.jobs import questions
from shoal.model import Finding
from shoal.templates import tables
from shoal.text import MASK

_WORDS = {
    "regular-join": "the join keeps every row of both sides",
    "group-by": "the aggregation keeps an entry for every key it ever saw",
    "select-distinct": "DISTINCT keeps every row it ever saw",
    "aggregate-distinct": "the DISTINCT aggregate keeps every value it ever saw",
    "row-number": "the ranking keeps rows of every key it ever saw",
}
_ONE_END = (
    "on one end of the windows, and not on window_start and window_end, the join is none of windows, and keeps every row of both sides"
)
# Values of Paimon's scan.mode after which a streaming read goes on with what is committed next.
_FOLLOWS = ("latest", "latest-full", "from-timestamp", "from-snapshot", "from-snapshot-full")
# Catalogs whose tables a streaming job reads for ever, unless it is told otherwise.
_FOLLOWED = frozenset({"paimon", "fluss"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    modes = {mode.text.strip().lower() for mode in job.origins("flink", "execution.runtime-mode")}
    lives = job.origins("flink", "table.exec.state.ttl")
    if any(not _for_ever(life) for life in lives) or "batch" in modes:
        return
    hidden = questions.hidden(job)
    kinds = {block.trait("type") for block in job.select("flink", ("catalog",))}
    followed_all = "streaming" in modes and bool(kinds) and kinds <= _FOLLOWED
    connected = {tables.short(block.name) for block in tables.tables(job) if block.trait("connector")}
    streams = {tables.short(block.name) for block in job.select("flink", ("table",)) if tables.never_ends(job, block)}
    copied = {
        tables.short(block.name)
        for block in job.select("flink", ("table",))
        if (kind := block.trait("connector") or "").endswith("-cdc") or kind == "upsert-kafka"
    }
    followed = {tables.short(hint.name) for hint in tables.tables(job, hints=True) if _follows(job, hint, "streaming" in modes)}
    fed = {tables.short(usage.detail) for usage in job.usages("stream-view")} if tables.reads_stream(job) else set()
    timed = {tables.short(block.name) for block in job.select("flink", ("table",)) if block.trait("has-watermark")}
    named = [block for block in tables.tables(job) if MASK in block.name]
    statements = job.statements()
    views = {tables.short(fact.target): fact for fact in statements if fact.kind == "create-view"}
    used: set[str] = set()
    told: set[tuple[str, int]] = set()  # a statement that a program makes with several names is one
    for statement in statements:
        if statement.kind == "insert":
            used |= tables.behind(statement, views)
    for statement in statements:
        view = statement.kind == "create-view" and tables.short(statement.target) in used
        if not (view or statement.kind in ("insert", "select")) or "state-ttl-hint" in statement.features:
            continue
        reads = tables.behind(statement, views)
        # equal time attributes bound each other: an interval join, whose state goes with time
        bounds = ("regular-join",) if "times-join" in statement.features and reads & timed else ()
        feature = next((one for one in _WORDS if one in statement.features and one not in bounds and not _windowed(one, statement)), "")
        # names that a program puts in: whichever they are, the tables of such names are streams
        put_in = bool(named) and all(MASK in name for name in reads) and all(tables.never_ends(job, one) for one in named)
        streamed = reads & (streams | followed | fed) or (followed_all and reads - connected)
        at = (statement.place.path, statement.place.span.start)
        if feature and (streamed or put_in) and at not in told:
            told.add(at)
            # what a program makes of a query, and how many keys there are to rank, or rows in a lake's table, is not to be seen
            unsure = hidden or lives or statement.kind == "select" or feature == "row-number" or put_in or not reads & streams
            # what follows a table holds as many rows as that has, and a time to live drops rows that still stand there
            bounded = bool(reads & streams) and reads & (streams | followed) <= copied and not followed_all and not reads & fed
            grows = "grows with the tables that are followed" if bounded else "grows without end"
            kept = "is 0, which keeps it" if lives else "is not set (its default keeps state forever)"
            keeps = tables.keeping(job, statement, feature)
            what = _ONE_END if feature == "regular-join" and "one-end-join" in statement.features else _WORDS[feature]
            yield context.finding(
                f"state {grows}: {what}, and table.exec.state.ttl {kept}",
                statement.place,
                [*([(keeps, "this keeps it")] if keeps else []), *lives, *questions.looked(job, statement.place)],
                confidence="low" if unsure or bounded else "",
            )


def _for_ever(life: Setting) -> bool:
    """Whether a retention is the one that keeps state for ever."""
    length = questions.duration(life)
    return length is not None and not length.nanos


def _windowed(feature: str, statement: Statement) -> bool:
    """Whether the state is a window's, which goes with the window, or of a handful of keys."""
    if feature == "group-by":
        return "few-groups" in statement.features or "window-tvf" in statement.features
    if feature == "row-number":
        return "window-tvf" in statement.features
    return feature == "aggregate-distinct" and "windowed-group-by" in statement.features and "group-by" not in statement.features


def _follows(job: Job, hint: Block, streaming: bool) -> bool:
    """Whether a hint makes a lake's table one that is read for ever: Iceberg's and Hudi's say so, Paimon's follow it where the job streams."""
    if hint.trait("hint") != "true":
        return False
    if any(tables.text(job.written(hint, key)) == "true" for key in ("streaming", "read.streaming.enabled")):
        return True
    return streaming and tables.text(job.written(hint, "scan.mode")) in _FOLLOWS
