"""Measures the audit on Spark beside the local engine on the same tree, in one run on one machine.

    python benchmarks/spark.py FOLDER [--cores 1 2] [--no-tables]

FOLDER is any tree, such as one that `monorepo.py` makes. Needs shoal[spark] and Java. For each number of cores: the local engine with that many
workers and nothing remembered; a Spark session of that many cores, once it is up and has audited something small; with tables, a first run, a run
after a change of 1 % of the files, and a run of what has not changed. Seconds of processor time are those of the whole process tree, the JVM
included; the clock suffers from other work on the machine, processor time less. Each configuration runs in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from wide import change

TICKS = os.sysconf("SC_CLK_TCK")


def stat(pid: int) -> tuple[int, float]:
    """(parent, seconds of processor time with those of children that have ended)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[1]), sum(map(int, fields[11:15])) / TICKS


def tree_of(top: int) -> dict[int, float]:
    """Seconds by process, of a process and all below it."""
    found: dict[int, tuple[int, float]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                found[int(name)] = stat(int(name))
            except (OSError, IndexError):
                continue
    kept = {top}
    while more := {pid for pid, (parent, _) in found.items() if parent in kept} - kept:
        kept |= more
    return {pid: found[pid][1] for pid in kept if pid in found}


def spent() -> float:
    return sum(tree_of(os.getpid()).values())


def resident() -> tuple[float, float]:
    """Peak resident memory in MB of this process and of the JVM below it."""

    def peak(pid: int) -> float:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))

    jvm = [pid for pid in tree_of(os.getpid()) if b"java" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0]]
    return peak(os.getpid()), max(map(peak, jvm), default=0.0)


def audit(folder: Path, *arguments: object) -> dict[str, Any]:
    from shoal.cli import main

    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "report.json"
        began, before = time.perf_counter(), spent()
        main(["audit", "-q", *map(str, arguments), "--format", "json", "--output", str(file), str(folder)])
        seconds, processor = time.perf_counter() - began, spent() - before
        found = json.loads(file.read_text())
    return {"s": seconds, "cpu": processor, "summary": found["summary"]}


def one(what: str, folder: Path, cores: int) -> None:
    """Measure one configuration in this process; prints JSON."""
    taken: dict[str, Any] = {}
    if what == "local":
        taken["local, nothing remembered"] = audit(folder, "--no-cache", "-j", cores)
    else:
        small = Path(__file__).parent.parent / "examples" / "incidents"
        began, before = time.perf_counter(), spent()
        audit(small, "--engine", "spark", "-j", cores)
        taken["Spark, start and a first small audit"] = {"s": time.perf_counter() - began, "cpu": spent() - before}
        if what == "spark":
            taken["Spark, session up"] = audit(folder, "--engine", "spark")
        else:
            with tempfile.TemporaryDirectory() as kept:
                taken["Spark, first run with tables"] = audit(folder, "--engine", "spark", "--tables", kept)
                changed = change(folder)
                try:
                    taken["Spark, 1 % changed"] = audit(folder, "--engine", "spark", "--tables", kept)
                finally:
                    for path, data in changed.items():
                        path.write_bytes(data)
                taken["Spark, nothing changed"] = audit(folder, "--engine", "spark", "--tables", kept)
        python, jvm = resident()
        taken["memory"] = {"driver": python, "jvm": jvm}
    print(json.dumps(taken))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cores", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--no-tables", action="store_true")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    if arguments.one:
        one(arguments.one, folder, arguments.cores[0])
        return
    print("| cores | what | s | s of processor | files/s of processor |\n|---:|---|---:|---:|---:|")
    for cores in arguments.cores:
        for what in ("local", "spark") + (() if arguments.no_tables else ("tables",)):
            command = [sys.executable, __file__, str(folder), "--cores", str(cores), "--one", what]
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
            found = json.loads(done.stdout.splitlines()[-1])
            memory = found.pop("memory", None)
            for name, took in found.items():
                files = took["summary"]["files"] if "summary" in took else 0
                rate = f"{files / took['cpu']:,.0f}" if files else ""
                print(f"| {cores} | {name} | {took['s']:.1f} | {took['cpu']:.1f} | {rate} |", flush=True)
            if memory:
                print(f"| {cores} | peak memory: {memory['driver']:.0f} MB driver's Python, {memory['jvm']:.0f} MB JVM | | | |", flush=True)


if __name__ == "__main__":
    main()
