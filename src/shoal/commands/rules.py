"""`shoal rules`: list the rules."""

from __future__ import annotations

import argparse
import sys

from shoal.cli import CLEAN, PROBLEMS
from shoal.commands import common


def run(arguments: argparse.Namespace) -> int:
    where = common.project(arguments, ())
    chosen = bool(arguments.select or arguments.ignore)
    listed = [rule for rule in where.rulebook if not chosen or where.settings.ever_enabled(rule)]
    if arguments.format == "json":
        import json

        entries = [
            {
                "id": rule.id,
                "summary": rule.summary,
                "severity": rule.severity,
                "confidence": rule.confidence,
                "scope": rule.scope,
                "engines": rule.engines,
                "versions": rule.versions,
                "incidents": rule.incidents,
                "fix": rule.fix,
                "tags": rule.tags,
                "default": rule.default,
                "enabled": where.settings.ever_enabled(rule),
                "options": rule.options,
                "references": rule.references,
            }
            for rule in listed
        ]
        sys.stdout.write(json.dumps({"version": 1, "rules": entries}, indent=1) + "\n")
    else:
        wide = max((len(rule.id) for rule in listed), default=0)
        for folder in sorted({rule.engine_folder for rule in listed}):
            print(folder)
            for rule in listed:
                if rule.engine_folder == folder:
                    marks = (
                        ["off"] * (not where.settings.ever_enabled(rule))
                        + ["fix"] * (rule.fix == "safe")
                        + ["unsafe fix"] * (rule.fix == "unsafe")
                    )
                    print(f"  {rule.id:<{wide}}  {rule.severity:<7}  {rule.summary}{f' ({chr(44).join(marks)})' if marks else ''}")
            print()
        print(f"{len(listed)} rules; `shoal explain RULE` says more")
    problems = (*where.problems, *where.rulebook.problems)
    common.complain(problems, where.prefix)
    return PROBLEMS if problems else CLEAN
