"""`shoal audit --engine spark`: the same audit, run by a Spark."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from hashlib import sha256

from shoal import baseline, failing, settings_file
from shoal.cache import key_of
from shoal.cli import CLEAN, FINDINGS, PROBLEMS, UsageError
from shoal.commands import check as checking
from shoal.commands import common, since, trend
from shoal.host import Outcome, Request, Texts
from shoal.model import SEVERITIES, Problem
from shoal.report import Past, Run, history
from shoal.report.layout import plural, severities, visible
from shoal.spark import audit
from shoal.spark.plan import Plan
from shoal.spark.session import said, session
from shoal.spark.tables import Store
from shoal.text import Decoded

# What the command line adds to the settings of every repository of a list.
_SETTINGS = ("config", "select", "ignore", "severity", "confidence", "no_cache", "changed_since")


def run(arguments: argparse.Namespace) -> int:
    """Audit on Spark and report. What Spark cannot do is a line on standard error and exit code 2."""
    began = time.monotonic()
    past = trend.read(arguments.history)
    source = audit.source_of(arguments.paths, arguments.table, arguments.repositories)
    local = source.kind == "folder"
    if source.kind == "repositories":  # each has its own settings
        file = os.path.abspath(arguments.config) if arguments.config else ""
        where = common.in_file(arguments, file, settings_file.load_file, os.getcwd())
    else:
        where = common.project(arguments, source.paths if local else ())
    text = Texts(Request((), where.root, where.settings, where.rulebook)).decoded if local else _unseen
    if where.problems:
        if arguments.tables and not arguments.reports:  # there will be no run, which must not look like one with problems in its files
            first = where.problems[0]
            raise UsageError(f"{first.path}:{first.line}: {first.message}" if first.line else f"{first.path}: {first.message}")
        return _finish(common.report_of(Outcome((), where.problems, (), {}, 0, 0), where, text, "audit"), arguments)
    book = where.rulebook.only(where.settings.ever_enabled)
    entries: baseline.Book = {}
    problems: list[Problem] = list(book.problems)
    if arguments.changed_since and (arguments.tables or source.kind not in ("folder", "repositories")):
        raise UsageError(
            "--changed-since is about git: it goes with folders and --repositories, and not with --tables, which keep whole runs"
        )
    changes = since.changes(arguments, where, source.paths) if arguments.changed_since and local else None
    if where.settings.baseline:
        if not local:
            raise UsageError("a baseline is of one project: it goes with a folder, not with tables or lists of repositories")
        entries, problem = baseline.read(where.settings.baseline)
        problems += [problem] if problem else []
    trusted = tuple(os.path.abspath(folder) for folder in arguments.rules or ())
    plan = Plan(
        where.settings,
        tuple(rule.id for rule in book),
        book.digest,
        trusted=trusted,
        paths=tuple(os.path.abspath(path) for path in source.paths) if local else (),
        root=where.root if local else "",
        force_exclude=arguments.force_exclude,
        baseline=tuple((fingerprint, entry.rule, entry.path, entry.times) for fingerprint, entry in entries.items()),
        baseline_name=os.path.basename(where.settings.baseline) if entries else "",
        several=source.kind == "table" or len(source.names) > 1,
        shared=audit.shared(source.names),
        base=os.getcwd(),
        arguments=json.dumps({**{name: getattr(arguments, name) for name in _SETTINGS}, "rules": trusted}),
        contents=key_of(book, where.settings)[:16],
        changes=changes,
    )
    policy = failing.parse(arguments.fail_on) if arguments.fail_on else ()
    try:
        with session(arguments.spark_conf or [], arguments.jobs) as spark:
            store = Store(spark, arguments.tables, arguments.tables_format) if arguments.tables else None
            key = sha256(
                f"{key_of(book, where.settings)} {plan.baseline} {plan.several} {plan.shared} {where.settings}".encode()
            ).hexdigest()
            found = audit.run(
                spark, plan, source, store, key, wanted=store is None or bool(arguments.reports), policy=policy, known=arguments.known
            )
    except (UsageError, KeyboardInterrupt):
        raise
    except Exception as error:  # everything that Spark raises; our own mistakes in executors come as its exceptions too
        if os.environ.get("SHOAL_DEBUG"):
            raise
        raise UsageError(f"Spark could not finish the audit: {said(error)}") from error
    if found.summary:
        _say(found, arguments, tuple(problems))
        return _judged(found.summary, found.totals.files, past, arguments, bool(problems))
    changed = [found.changed[name] for name in ([root.name for root in found.roots] if found.roots else [""]) if name in found.changed]
    done = Run(
        found.findings,
        (*found.problems, *problems) if found.roots else tuple(sorted({*found.problems, *problems})),
        found.left_out,
        found.totals.files,
        found.totals.read,
        where.rulebook,
        text,
        where.root,
        where.prefix if local else "",
        "audit",
        time.monotonic() - began,
        roots=found.roots,
        positions=found.positions,
        changed=sum(files for files, _ in changed) if changed else None,
        cause=next((cause for _, cause in changed if cause), ""),
    )
    return _finish(trend.remembered(done, past, arguments.history), arguments)


def _judged(summary: audit.Summary, files: int, past: tuple[Past, ...], arguments: argparse.Namespace, problems: bool) -> int:
    """The exit code of a run whose findings stay in its tables, as `check.code` has it; the run goes into the history."""
    if summary.problems or problems:
        return PROBLEMS
    count = sum(summary.rules.values())
    if arguments.history:
        trend.keep((*past, history.now(_open(summary), files)), arguments.history)
    if not count or arguments.exit_zero:
        return CLEAN
    if arguments.fail_on:
        return checking.failed(summary.stopping, count, arguments)
    return FINDINGS


def _open(summary: audit.Summary) -> dict[str, int]:
    """How many open findings there are of each severity."""
    return {severity: summary.counts.get(("open", severity), 0) for severity in SEVERITIES}


def _say(found: audit.Found, arguments: argparse.Namespace, problems: tuple[Problem, ...]) -> None:
    """A run whose findings stay in its tables: numbers, the first findings to fix, and the first problems."""
    summary, totals = found.summary, found.totals
    assert summary is not None
    counted = _open(summary)
    words = severities(counted)
    count = sum(counted.values())
    silenced = sum(summary.counts.values()) - count
    print(f"run {found.run} in {visible(arguments.tables)}")
    for finding in summary.first.findings:
        place = finding.primary
        line = summary.first.positions.ranges[place.path, place.span.start, place.span.end].line
        print(f"  {finding.severity:<8} {visible(place.path)}:{line}: {visible(finding.message)} [{finding.rule}]")
    for rule, number in sorted(summary.rules.items(), key=lambda item: (-item[1], item[0]))[:10]:
        print(f"{number:>9,}  {rule}")
    parts = [f"{plural(count, 'finding')}{f' ({words})' if words else ''}"]
    parts += [f"{silenced:,} suppressed or baselined"] if silenced else []
    parts += [plural(summary.problems + len(problems), "problem")] if summary.problems or problems else []
    trees = f" of {totals.trees:,} trees" if totals.trees > 1 else ""
    print(f"{', '.join(parts)}; {plural(totals.files, 'file')}{trees} looked at, {totals.read:,} read")
    common.complain((*summary.first.problems, *problems), "")
    if summary.problems > audit.SHOWN:
        print(f"shoal: {plural(summary.problems - audit.SHOWN, 'more problem')}: the table problems of this run has all", file=sys.stderr)


def _unseen(path: str) -> Decoded | None:
    """The text of a file that only executors see."""
    return None


def _finish(report: Run, arguments: argparse.Namespace) -> int:
    common.publish(report, arguments)
    return checking.code(report, arguments)
