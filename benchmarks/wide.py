"""Measures the audit of a wide tree beside `ruff check --no-cache`, in one run on one machine: cold, warm, and after a change of 1 %.

    python benchmarks/wide.py FOLDER [--rounds 2] [--no-ruff] [--bare]
    python benchmarks/wide.py --wheels DIR         # the wheels of monorepo.py, unpacked side by side

FOLDER is any tree, such as one that `monorepo.py` makes. With `--bare` it is committed to a bare repository, which is audited instead, and once more after
a commit that changes 1 %. Installs shoal (from this checkout) and ruff into a virtual environment of their
own; needs a package index for that. Seconds of processor time are those of all processes together.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from monorepo import WIDE, download, unpack
from run import Place, Took, prepare


def once(action: Callable[[], object]) -> Took:
    began, before = time.perf_counter(), spent()
    action()
    return Took(time.perf_counter() - began, spent() - before)


def spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def touched(folder: Path, share: float, draw: int = 0) -> Iterator[Path]:
    """A share of the tree's Python and YAML files, spread evenly; others for each draw."""
    every = round(1 / share)
    for number, path in enumerate(sorted(path for path in folder.rglob("*") if path.suffix in (".py", ".yaml"))):
        if number % every == draw % every:
            yield path


def change(folder: Path, draw: int = 0) -> dict[Path, bytes]:
    """Add a line to 1 % of the files; returns what they held."""
    before = {path: path.read_bytes() for path in touched(folder, 0.01, draw)}
    for path, data in before.items():
        path.write_bytes(data.rstrip(b"\n") + b"\n# changed\n")
    return before


def measure(place: Place, folder: Path, rounds: int, ruff: bool) -> list[tuple[str, Took]]:
    """Seconds by what was done, the least of several rounds; rounds take turns, so that a busy machine hurts all alike.

    Each round changes another 1 % of the files, which may weigh more or less: of these, and of the cold runs they are compared with, it is the mean.
    """
    audit = ("shoal", "audit", "-q", "--format", "json", "--output", str(place.scratch / "report.json"))
    cache = place.scratch / "cache"
    best: dict[str, Took] = {}

    def note(name: str, took: Took) -> None:
        known = best.get(name, took)
        best[name] = Took(min(known.wall, took.wall), min(known.cpu, took.cpu))

    run(place, folder, *audit, "--no-cache")  # what is on the disk comes into memory
    cold: list[Took] = []
    changed: list[Took] = []
    for number in range(rounds):
        if ruff:
            note("ruff check --no-cache", once(lambda: run(place, folder, "ruff", "check", "--no-cache", "-q", "--exit-zero", ".")))
        note("shoal audit --no-cache", once(lambda: run(place, folder, *audit, "--no-cache")))
        shutil.rmtree(cache, ignore_errors=True)
        run(place, place.scratch, "shoal", "rules")
        cold.append(once(lambda: run(place, folder, *audit)))
        note("shoal audit, warm", once(lambda: run(place, folder, *audit)))
        before = change(folder, number * 37)
        time.sleep(0.1)
        changed.append(once(lambda: run(place, folder, *audit)))
        for path, data in before.items():
            path.write_bytes(data)
    for name, rounds_of in (("shoal audit, cold", cold), ("shoal audit, 1 % changed", changed)):
        best[name] = Took(*(sum(figures) / rounds for figures in zip(*rounds_of, strict=True)))
    return list(best.items())


def measure_bare(place: Place, folder: Path, rounds: int) -> list[tuple[str, Took]]:
    """The same of a bare repository that holds the tree: means of several rounds."""
    bare = place.scratch / "bare.git"
    git = ("git", f"--git-dir={bare}", f"--work-tree={folder}", "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "gc.auto=0")

    def commit() -> None:
        subprocess.run([*git, "add", "-A", "-f"], check=True)
        subprocess.run([*git, "commit", "-q", "-m", "change"], check=True)

    def audit() -> Took:
        return once(lambda: run(place, place.scratch, "shoal", "audit", "-q", "--format", "json", "--output", "report.json", str(bare)))

    subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True)
    commit()
    subprocess.run([*git, "repack", "-a", "-d", "-q"], check=True)
    took: dict[str, list[Took]] = {}
    for number in range(rounds):
        shutil.rmtree(place.scratch / "cache", ignore_errors=True)
        run(place, place.scratch, "shoal", "rules")
        took.setdefault("bare, cold", []).append(audit())
        took.setdefault("bare, warm", []).append(audit())
        before = change(folder, number * 37)
        commit()
        for path, data in before.items():
            path.write_bytes(data)
        took.setdefault("bare, 1 % changed", []).append(audit())
        commit()
    return [(name, Took(*(sum(figures) / rounds for figures in zip(*rounds_of, strict=True)))) for name, rounds_of in took.items()]


def run(place: Place, folder: Path, *command: str) -> None:
    done = subprocess.run([place.programs / command[0], *command[1:]], cwd=folder, env=place.environment, stdout=subprocess.DEVNULL)
    if done.returncode not in (0, 1, 2):
        raise SystemExit(f"{command[0]}: exit {done.returncode}")


def peak(place: Place, folder: Path) -> float:
    """The largest process of an audit, in MB."""
    code = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    command = [place.programs / "python", "-c", code, place.programs / "shoal", "audit", "-q", "--no-cache", "."]
    done = subprocess.run(command, cwd=folder, env=place.environment, capture_output=True, text=True)
    return int(done.stdout) / (1e6 if sys.platform == "darwin" else 1e3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--wheels", type=Path, help="where the wheels are, or come to be")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--no-ruff", action="store_true", help="only shoal")
    parser.add_argument("--bare", action="store_true", help="a bare repository that holds the folder")
    arguments = parser.parse_args()
    scratch = Path(tempfile.mkdtemp(prefix="shoal-bench-"))
    try:
        folder = arguments.folder
        if folder is None:
            folder = scratch / "wide"
            unpack(download(arguments.wheels or scratch / "wheels", WIDE), folder)
        place = prepare(scratch, ("ruff",))
        files = [path for path in folder.rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in files)
        python = sum(path.suffix == ".py" for path in files)
        print(
            f"{len(files):,} files, {size / 1e6:,.0f} MB, {python:,} of them Python; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
        )
        if arguments.bare:
            rows = measure_bare(place, folder.resolve(), arguments.rounds)
        else:
            rows = measure(place, folder.resolve(), arguments.rounds, not arguments.no_ruff)
        cold = next(took for name, took in rows if "cold" in name).cpu
        first = rows[0][1].cpu
        print(f"\n| | s | s of processor | × {rows[0][0]} | × cold |\n|---|---:|---:|---:|---:|")
        for name, took in rows:
            print(f"| {name} | {took.wall:.1f} | {took.cpu:.2f} | {took.cpu / first:.2f} | {took.cpu / cold:.2f} |")
        if not arguments.bare:
            print(f"\npeak memory of the largest process: {peak(place, folder):.0f} MB")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
