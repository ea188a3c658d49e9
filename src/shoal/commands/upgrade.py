"""`shoal upgrade --to flink-2.3`: what a move to another version needs, as findings whose fixes make it."""

from __future__ import annotations

import argparse
import re
import sys
import time

from shoal import catalogue
from shoal.catalogue import Catalogue
from shoal.cli import UsageError
from shoal.commands import check as checking
from shoal.commands import common
from shoal.host import Outcome, Request, Texts, check
from shoal.job import numbers
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.report import Run
from shoal.report.layout import plural
from shoal.rulebook import Rule, Rulebook

# Rules of the usual rulebook that speak about versions: judged as if the new version were in use, they say what has to change.
_RULES = {
    "flink": (
        "option-of-other-flink-version",
        "deprecated-option",
        "removed-state-backend-shortcut",
        "per-job-mode-removed",
        "conf-file-not-read",
        "connector-for-other-flink-version",
        "flink-version-unsupported-by-beam",
        "pyflink-api-not-in-version",
        "table-option-newer-than-flink",
    ),
    "spark": ("option-of-other-spark-version", "deprecated-spark-option", "kafka-source-for-other-spark"),
    "kafka": ("option-of-other-kafka-version", "option-of-other-connect-version", "deprecated-kafka-option", "deprecated-connect-option"),
}
_TABLE = {"flink": "flink", "spark": "spark", "kafka": "kafka-consumer"}
# Under which names a file speaks of the engine: a pom may name the clients alone.
_ENGINES = {"kafka": ("kafka", "kafka-clients", "kafka-connect")}
_VERSION = pattern(r"the version|the engine|(?:Flink|Spark|Kafka) [0-9.]+")
_OWN = (
    ("pins", "version-to-raise", "What names the version", "info", "high"),
    ("values", "value-not-taken-any-more", "A value that the new version refuses", "error", "high"),
    ("defaults", "default-that-changes", "A default that changes and is relied on", "info", "medium"),
    ("state", "state-of-other-major-version", "State that no edit brings along", "warning", "medium"),
)


def run(arguments: argparse.Namespace) -> int:
    began = time.monotonic()
    engine, version = target(arguments.to)
    arguments.reports = common.reports_of(arguments)
    arguments.unsafe_fixes = True  # to move is what is asked for; each edit is still read and judged again before it counts
    where = common.project(arguments, tuple(arguments.paths))
    if where.problems:
        outcome = Outcome((), where.problems, (), {}, 0, 0)
        empty = Request((), where.root, where.settings, where.rulebook)
        return _finish(common.report_of(outcome, where, Texts(empty).decoded, "upgrade"), arguments)
    rulebook = rules(where.rulebook, engine, version)
    settings = where.settings._replace(select=("all",), ignore=(), extend_select=(), overrides=(), baseline="", assume=(engine, version))
    where = where._replace(settings=settings, rulebook=rulebook)
    request = Request(tuple(arguments.paths or ["."]), where.root, settings, rulebook, None, arguments.jobs, not arguments.no_cache)
    outcome, texts = check(request), Texts(request)
    fixable = sum(any(fix.edits for fix in finding.fixes) for finding in outcome.findings)
    by_hand = len(outcome.findings) - fixable
    if arguments.fix or arguments.diff:
        from shoal.commands import fixing

        fixed = fixing.fix(outcome, request, where, arguments)
        if fixed.stop is not None:
            return fixed.stop
        outcome, texts = fixed.outcome, fixed.texts
    outcome = outcome._replace(findings=tuple(map(_plain, outcome.findings)))
    report = common.report_of(outcome, where, texts.decoded, "upgrade", time.monotonic() - began)
    code = _finish(report, arguments)
    if not (arguments.fix or arguments.quiet):
        changes = f"{plural(fixable, 'change')} that --fix makes, {by_hand} to make or look at by hand"
        print(f"shoal: to {engine.capitalize()} {version}: {changes}", file=sys.stderr)
    return code


def _finish(report: Run, arguments: argparse.Namespace) -> int:
    common.publish(report, arguments)
    return checking.code(report, arguments)


def _plain(finding: Finding) -> Finding:
    """Without the places that say the version, which is not there yet; and --fix makes all that can be made."""
    fixes = tuple(fix._replace(safety="safe") for fix in finding.fixes[:1])
    return finding._replace(
        fixes=fixes, places=tuple(place for place in finding.places if place.role != "related" or not _VERSION.fullmatch(place.label))
    )


def target(text: str) -> tuple[str, str]:
    """Engine and minor version of `flink-2.3`. Raises UsageError."""
    found = re.fullmatch(r"(flink|spark|kafka)[-=: @]v?(\d+\.\d+)(?:\.\d+)*", text.strip().lower())
    if not found:
        raise UsageError(f"--to {text!r}: say flink-2.3, spark-4.0 or kafka-4.0")
    engine, version = found.group(1), found.group(2)
    table: Catalogue = catalogue.load(_TABLE[engine])
    if version not in table.versions:
        oldest, newest = table.versions[0], table.versions[-1]
        beyond = "; a newer shoal may know it" if numbers(version) > numbers(newest) else ""
        raise UsageError(f"--to {text!r}: {engine.capitalize()} {oldest} to {newest} are known{beyond}")
    return engine, version


def rules(whole: Rulebook, engine: str, version: str) -> Rulebook:
    """The rules that say what a move needs: those about versions, and the ones that only a move has."""
    chosen = [rule for rule in whole.rules if rule.id in _RULES[engine]]
    if engine == "kafka":  # a client without a version of its own comes with somebody's connector: none is to be assumed
        chosen = [rule._replace(options={}) for rule in chosen]
    for what, name, summary, severity, confidence in _OWN:
        parameters = {"what": what, "engine": engine, "to": version}
        own = Rule(
            name, summary, severity, confidence, "job", _ENGINES.get(engine, (engine,)), {}, (), (), (), "upgrade", parameters, {}, "safe", False, True, (), "", engine
        )  # fmt: skip
        chosen.append(own)
    return Rulebook(chosen, f"{whole.digest} to {engine} {version}", whole.problems, whole)
