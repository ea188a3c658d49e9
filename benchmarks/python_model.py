"""Measures what reading Python costs beside LibCST's own parse, which is the floor: both on one core, in one run.

    python benchmarks/python_model.py FOLDER [--rounds 3]

FOLDER is any tree of Python files, such as an unpacked wheel of apache-flink 1.20.0 (200 files, 56,000 lines). Its files are read even
where shoal would leave them out as a library's own. Shown are CPU seconds and their ratio to the parse.
"""

from __future__ import annotations

import argparse
import ast
import gc
import sys
import time
from collections.abc import Callable
from pathlib import Path

import libcst

from shoal import rulebook
from shoal.core import _holds, run
from shoal.derive import derive
from shoal.job import Job
from shoal.python import guard
from shoal.python.reader import read_source
from shoal.readers import Reading
from shoal.settings import Settings
from shoal.text import Text


def texts(folder: Path) -> list[tuple[str, str]]:
    found = []
    for path in sorted(folder.rglob("*.py")):
        try:
            found.append((str(path), path.read_bytes().decode("utf-8")))
        except UnicodeDecodeError:
            continue
    return found


def seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    gc.set_threshold(50_000, 20, 20)  # as the command does; it holds for all that is measured here
    files = texts(arguments.folder)
    rules = rulebook.load()
    settings = Settings()

    def read() -> list[Reading]:
        made = []
        for path, text in files:
            out = Reading(path, text)
            if guard.concerns(text):
                read_source(Text(text), out)
            made.append(out)
        return made

    def check() -> None:
        for path, text in files:
            out = Reading(path, text)
            if not guard.concerns(text):
                continue
            read_source(Text(text), out)
            facts = derive(out.facts)
            job = Job(facts, (path,))
            lowered = text.lower()
            held: dict[str, bool] = {}
            for rule in rules.rules:
                if rule.scope != "file" or rule.use == "suppression" or not (facts or rule.code):
                    continue
                if not rule.needs or any(_holds(lowered, need, held) for need in rule.needs):
                    run(rule, rules, job, settings, path, [], [], out)

    def parse() -> None:
        for _, text in files:
            try:
                libcst.parse_module(text)
            except Exception:
                continue

    def outline() -> None:
        for _, text in files:
            try:
                ast.parse(text)
            except (SyntaxError, ValueError):
                continue

    print(f"{len(files)} files, {sum(text.count(chr(10)) for _, text in files):,} lines")
    read()
    best: dict[str, float] = {}
    for _ in range(arguments.rounds):
        for name, work in (
            ("LibCST parse", parse),
            ("ast parse", outline),
            ("shoal, model and facts", read),
            ("shoal, with all rules", check),
        ):
            best[name] = min(best.get(name, 1e9), seconds(work))
    for name, took in best.items():
        print(f"{name:24} {took:7.2f} s   {took / best['LibCST parse']:.2f}")
    count = sum(rule.scope == "file" for rule in rules.rules)
    cost = (best["shoal, with all rules"] - best["shoal, model and facts"]) / count
    print(f"one of {count} rules costs {cost * 1e3:.1f} ms on average, {cost / best['shoal, with all rules']:.2%} of the run")
    return 0


if __name__ == "__main__":
    sys.exit(main())
