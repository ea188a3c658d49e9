"""Measures the audit on Spark beside the local engine on the same tree, in one run on one machine.

    python benchmarks/spark.py FOLDER [--cores 1 2] [--what local spark stages tables fleet]

FOLDER is any tree, such as one that `monorepo.py` makes. Needs shoal[spark] and Java. For each number of cores:

local   the local engine with that many workers and nothing remembered
spark   a Spark session of that many cores, once it is up and has audited something small: its first five audits of the folder
stages  the second of two audits: what the tasks of each of its stages took
tables  with tables: a first run, a run after a change of 1 % of the files, and a run of what has not changed
fleet   each top folder as a git repository of its own, with tables: a first run, and one after a commit to 1 % of the repositories

Seconds of processor time are those of the whole process tree, the JVM included; the clock suffers from other work on the machine, processor
time less. Each configuration runs in a process of its own.
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


def warm(folder: Path) -> None:
    """Bring the files into the page cache, which a quiet machine may have emptied while a session came up."""
    pending = [str(folder)]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                else:
                    descriptor = os.open(entry.path, os.O_RDONLY)
                    os.read(descriptor, 10_000_000)
                    os.close(descriptor)


def audit(folder: Path | None, *arguments: object) -> dict[str, Any]:
    from shoal.cli import main

    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "report.json"
        if folder:
            warm(folder)
        began, before = time.perf_counter(), spent()
        main(["audit", "-q", *map(str, arguments), "--format", "json", "--output", str(file), *([str(folder)] if folder else [])])
        seconds, processor = time.perf_counter() - began, spent() - before
        found = json.loads(file.read_text())
    return {"s": seconds, "cpu": processor, "summary": found["summary"]}


def fleet(folder: Path) -> dict[str, Any]:
    """Audits of the top folders of a tree as git repositories, of which 1 % move between the two."""
    with tempfile.TemporaryDirectory() as scratch:
        tops = sorted(path for path in folder.iterdir() if path.is_dir())
        repositories = [Path(scratch) / f"{top.name}.git" for top in tops]
        for top, repository in zip(tops, repositories, strict=True):
            git("init", "-q", "--bare", str(repository))
            commit(repository, top)
        names = Path(scratch) / "list.txt"
        names.write_text("".join(f"{repository}\n" for repository in repositories))
        arguments = ("--engine", "spark", "--repositories", names, "--tables", Path(scratch) / "kept")
        taken = {f"fleet of {len(tops)}, first run with tables": audit(None, *arguments)}
        for top, repository in list(zip(tops, repositories, strict=True))[::100]:
            changed = change(top)
            commit(repository, top)
            for path, data in changed.items():
                path.write_bytes(data)
        taken["fleet, 1 % of the repositories moved"] = audit(None, *arguments)
    return taken


def commit(repository: Path, tree: Path) -> None:
    where = (f"--git-dir={repository}", f"--work-tree={tree}")
    git(*where, "add", "-A")
    git(*where, "-c", "user.name=benchmark", "-c", "user.email=benchmark@example.com", "commit", "-qm", "files")


def git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True, stdout=subprocess.DEVNULL)


def stages(folder: Path, cores: int) -> None:
    """Print what the tasks of each stage of an audit take, the second time."""
    small = Path(__file__).parent.parent / "examples" / "incidents"
    with tempfile.TemporaryDirectory() as log:
        conf = {"spark.eventLog.enabled": "true", "spark.eventLog.dir": f"file://{log}", "spark.eventLog.compress": "false"}
        conf |= {"spark.eventLog.rolling.enabled": "false"}
        audit(
            small, "--engine", "spark", "-j", cores, *(word for key, value in conf.items() for word in ("--spark-conf", f"{key}={value}"))
        )
        audit(folder, "--engine", "spark")
        began = time.time() * 1000
        took = audit(folder, "--engine", "spark")["s"]
        from pyspark.sql import SparkSession

        SparkSession.builder.getOrCreate().stop()
        events = [json.loads(line) for path in Path(log).rglob("*") if path.is_file() for line in path.read_text().splitlines()]
    tasks: dict[int, list[float]] = {}
    for event in events:
        if event["Event"] == "SparkListenerTaskEnd" and event["Task Info"]["Launch Time"] >= began:
            spent = (event["Task Info"]["Finish Time"] - event["Task Info"]["Launch Time"]) / 1000
            tasks.setdefault(event["Stage ID"], []).append(spent)
    print(f"{folder.name}: {took:.1f} s on {cores} cores\n\n| stage | tasks | s of all | s of the longest |\n|---:|---:|---:|---:|")
    for number, seconds in sorted(tasks.items()):
        if sum(seconds) >= 0.05:
            print(f"| {number} | {len(seconds)} | {sum(seconds):.2f} | {max(seconds):.2f} |")
    beside = took - sum(max(max(seconds), sum(seconds) / cores) for seconds in tasks.values())
    print(f"\nbeside tasks: {beside:.1f} s")


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
            times = ("session up", "the second time", "the third", "the fourth", "the fifth time")
            taken.update({f"Spark, {which}": audit(folder, "--engine", "spark") for which in times})
        elif what == "fleet":
            taken.update(fleet(folder))
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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cores", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--what", nargs="+", default=["local", "spark", "tables"], choices=["local", "spark", "stages", "tables", "fleet"])
    parser.add_argument("--one", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    if arguments.one == "stages":
        stages(folder, arguments.cores[0])
        return
    if arguments.one:
        one(arguments.one, folder, arguments.cores[0])
        return
    print("| cores | what | s | s of processor | files/s of processor |\n|---:|---|---:|---:|---:|")
    for cores in arguments.cores:
        for what in arguments.what:
            command = [sys.executable, __file__, str(folder), "--cores", str(cores), "--one", what]
            if what == "stages":
                subprocess.run(command, stderr=subprocess.DEVNULL, check=True)
                continue
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
