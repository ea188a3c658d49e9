"""`shoal baseline`: accept today's findings, so that only new ones count."""

from __future__ import annotations

import argparse
import os
import sys

from shoal import baseline
from shoal.cli import CLEAN, PROBLEMS
from shoal.commands import common
from shoal.host import check
from shoal.report.layout import plural


def run(arguments: argparse.Namespace) -> int:
    where = common.project(arguments, tuple(arguments.paths))
    if where.problems:
        common.complain(where.problems, where.prefix)
        return PROBLEMS
    file = where.settings.baseline or os.path.join(where.root, baseline.FILE)
    book = None
    if os.path.lexists(file):
        book, problem = baseline.read(file)
        if problem:
            common.complain((problem,), where.prefix)
            return PROBLEMS
    outcome = check(common.request(arguments, where))
    if outcome.problems:
        common.complain(outcome.problems, where.prefix)
        print("shoal: the baseline is left as it is: a file that cannot be checked would look clean", file=sys.stderr)
        return PROBLEMS
    exists = {entry.path for entry in (book or {}).values() if os.path.lexists(os.path.join(where.root, entry.path))}
    update = baseline.update(book, outcome.findings, outcome.asked, exists, arguments.add)
    shown = os.path.relpath(file)
    if update.book != book:
        with common.writing(shown):
            baseline.write(file, update.book)
    total = sum(entry.times for entry in update.book.values())
    if book is None:
        print(f"{shown}: {plural(total, 'finding')} accepted")
    else:
        added = f"{update.new} added" if arguments.add else f"{update.new} new and not accepted" if update.new else "none added"
        print(f"{shown}: {plural(total, 'finding')}; {update.gone} gone, {added}")
        if update.new and not arguments.add:
            print("shoal: --add accepts the new ones too", file=sys.stderr)
    if not where.settings.baseline:
        print(f'shoal: to use it, say baseline = "{os.path.basename(file)}" in the settings, or --baseline {shown}', file=sys.stderr)
    return CLEAN
