"""`shoal audit`: the whole tree, summed up."""

from __future__ import annotations

import argparse
import os
import time

from shoal.cli import UsageError
from shoal.commands import check as checking
from shoal.commands import common, roots, trend, watching
from shoal.host import Outcome


def run(arguments: argparse.Namespace) -> int:
    began = time.monotonic()
    if arguments.paths[:1] == ["diff"] and len(arguments.paths) == 3:  # a folder of that name can be called ./diff
        from shoal.commands import audit_diff

        if arguments.report:
            raise UsageError("--report is of an audit; audit diff writes text, json and markdown")
        return audit_diff.run(arguments, *arguments.paths[1:])
    if arguments.paths[:1] == ["diff"] and not os.path.lexists("diff"):
        raise UsageError("audit diff compares two runs: shoal audit diff OLD.json NEW.json")
    if arguments.report:
        if not arguments.report.lower().endswith((".html", ".htm")):
            raise UsageError(f"--report writes a page: {arguments.report} should end in .html (other formats: --format NAME --output FILE)")
        arguments.reports = [*(arguments.reports or [("text", "")]), ("html", arguments.report)]
    common.reports_of(arguments)
    if arguments.engine == "spark":
        from shoal.commands import audit_spark

        return audit_spark.run(arguments)
    if arguments.table or arguments.repositories or arguments.tables or arguments.spark_conf:
        raise UsageError("--table, --repositories, --tables and --spark-conf go with --engine spark")
    past = trend.read(arguments.history)
    parts = roots.parts(arguments)
    done = [(part, _outcome(part, arguments)) for part in parts]
    whole = roots.together(done)
    report = common.report_of(whole.outcome, parts[0].where, whole.text, "audit", time.monotonic() - began, whole.roots, whole.changes)
    report = trend.remembered(report, past, arguments.history)
    common.publish(report, arguments)
    return checking.code(report, arguments)


def _outcome(part: roots.Part, arguments: argparse.Namespace) -> Outcome:
    if part.request is None:
        return Outcome((), part.where.problems, (), {}, 0, 0)
    return roots.known(watching.watched(part.request, part, arguments), part)
