"""`shoal check`."""

from __future__ import annotations

import argparse
import os
import sys

from shoal import rulebook
from shoal.host import Request, Texts, check
from shoal.report import Run, render
from shoal.settings import Settings


def run(arguments: argparse.Namespace) -> int:
    request = Request(tuple(arguments.paths or ["."]), os.getcwd(), Settings(), rulebook.load())
    outcome = check(request)
    texts = Texts(request)
    report = Run(outcome.findings, outcome.problems, outcome.left_out, outcome.files, outcome.read, request.rulebook, texts.decoded, request.root)
    for name, _ in arguments.reports or [("text", "")]:
        sys.stdout.write(render(name, report))
    return 2 if report.problems else 1 if report.open else 0
