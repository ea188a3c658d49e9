"""Measures shoal beside its peers, in one run on one machine: figures are worth something as ratios only.

    python benchmarks/run.py [--files 10000] [--keep FOLDER]

Installs shoal (from this checkout) and yamllint into a virtual environment of their own; needs a package index for that.
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
import venv
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))
from trees import big_yaml, yaml_tree

ROOT = Path(__file__).parents[1]
CONFIG = "execution:\n  checkpointing:\n    interval: 60 s\n    timeout: 1 s\n    dir: s3://bucket/checkpoints\nstate:\n  backend:\n    type: rocksdb\n"
READ = """\
import sys, time
from shoal.model import Source
from shoal.readers import read
data = open(sys.argv[1], "rb").read()
read(Source("warm-up.yaml", "yaml", data[:2000]))
began = time.perf_counter()
read(Source("big.yaml", "yaml", data))
print(len(data) / (time.perf_counter() - began) / 1e6)
"""
COMPOSE = """\
import sys, time
from ruamel.yaml import YAML
data = open(sys.argv[1]).read()
began = time.perf_counter()
for node in YAML(typ="rt", pure=True).compose_all(data):
    pass
print(len(data) / (time.perf_counter() - began) / 1e6)
"""


class Place(NamedTuple):
    """Where everything is: the programs, a scratch folder, and the environment they run in."""

    programs: Path
    scratch: Path
    environment: dict[str, str]

    def run(self, *command: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        program = str(self.programs / command[0]) if (self.programs / command[0]).exists() else command[0]
        done = subprocess.run([program, *command[1:]], cwd=cwd or self.scratch, env=self.environment, capture_output=True, text=True)
        if done.returncode not in (0, 1):
            raise SystemExit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr}")
        return done


class Took(NamedTuple):
    """Seconds on the clock, and of processor time in all processes: the latter suffers less from what else the machine does."""

    wall: float
    cpu: float


def best(action: Callable[[], object], times: int) -> Took:
    """The least of several runs: the others measure what else the machine did."""
    least = Took(float("inf"), float("inf"))
    for _ in range(times):
        began, before = time.perf_counter(), _spent()
        action()
        least = Took(min(least.wall, time.perf_counter() - began), min(least.cpu, _spent() - before))
    return least


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def prepare(scratch: Path, peers: tuple[str, ...] = ("yamllint",)) -> Place:
    home = scratch / "venv"
    venv.create(home, with_pip=True)
    programs = home / ("Scripts" if os.name == "nt" else "bin")
    subprocess.run([programs / "python", "-m", "pip", "install", "-q", str(ROOT), *peers], check=True)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SHOAL"))}
    place = Place(programs, scratch, {**environment, "SHOAL_CACHE_DIR": str(scratch / "cache")})
    subprocess.run([programs / "python", "-m", "compileall", "-q", str(home)], check=False, capture_output=True)
    return place


def one_file(place: Place) -> list[tuple[str, Took]]:
    folder = place.scratch / "one"
    folder.mkdir()
    (folder / "config.yaml").write_text(CONFIG)
    commands = {
        "python -c pass": ("python", "-I", "-c", "pass"),
        "python -c 'import ruamel.yaml'": ("python", "-I", "-c", "import ruamel.yaml"),
        "yamllint config.yaml": ("yamllint", "config.yaml"),
        "shoal check config.yaml": ("shoal", "check", "config.yaml"),
        "shoal check --format json config.yaml": ("shoal", "check", "--format", "json", "config.yaml"),
    }
    return [(name, best(lambda command=command: place.run(*command, cwd=folder), 20)) for name, command in commands.items()]


def tree(place: Place, files: int) -> list[tuple[str, Took]]:
    folder = place.scratch / "tree"
    size = yaml_tree(folder, files, 0.02)
    print(f"tree: {files} YAML files, {size / 1e6:.1f} MB, 2 % of them FlinkDeployments", file=sys.stderr)
    share = place.scratch / "share"
    yaml_tree(share, files // 20, 0.02)
    time.sleep(0.1)
    rows = [
        ("grep -rliE 'flink|spark|kafka|beam'", best(lambda: place.run("grep", "-rliE", "flink|spark|kafka|beam", ".", cwd=folder), 3)),
        (f"yamllint on {files // 20} of the files", best(lambda: place.run("yamllint", "-d", "relaxed", ".", cwd=share), 1)),
        ("shoal, nothing remembered, -j 1", best(lambda: place.run("shoal", "check", "--no-cache", "-j", "1", cwd=folder), 3)),
        ("shoal, nothing remembered", best(lambda: place.run("shoal", "check", "--no-cache", cwd=folder), 5)),
    ]

    def cold() -> None:
        shutil.rmtree(place.scratch / "cache", ignore_errors=True)
        place.run("shoal", "check", cwd=folder)

    rows.append(("shoal, first run, remembering", best(cold, 3)))
    rows.append(("shoal, second run", best(lambda: place.run("shoal", "check", cwd=folder), 10)))
    return rows


def reader(place: Place) -> list[tuple[str, float]]:
    path = place.scratch / "big.yaml"
    path.write_bytes(big_yaml(1_900_000))
    speeds = []
    for name, code in (("shoal's YAML reader", READ), ("ruamel.yaml, pure, compose alone", COMPOSE)):
        speeds.append((name, max(float(place.run("python", "-c", code, str(path)).stdout) for _ in range(3))))
    return speeds


def memory(place: Place) -> float:
    """The largest process of a run over big files, in MB."""
    folder = place.scratch / "many"
    for index in range(40):
        (folder / str(index)).mkdir(parents=True)
        (folder / str(index) / "big.yaml").write_bytes(big_yaml(1_900_000 if index < 4 else 300_000))
    code = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    peak = int(place.run("python", "-c", code, str(place.programs / "shoal"), "check", "--no-cache", str(folder)).stdout)
    return peak / (1e6 if sys.platform == "darwin" else 1e3)


def table(title: str, rows: list[tuple[str, Took]], against: int) -> None:
    print(f"\n| {title} | s | s of processor | × {rows[against][0]} |\n|---|---:|---:|---:|")
    for name, took in rows:
        print(f"| {name} | {took.wall:.3f} | {took.cpu:.3f} | {took.cpu / rows[against][1].cpu:.2f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--keep", type=Path, help="use this folder and leave it there")
    arguments = parser.parse_args()
    scratch = arguments.keep or Path(tempfile.mkdtemp(prefix="shoal-bench-"))
    scratch.mkdir(parents=True, exist_ok=True)
    try:
        place = prepare(scratch)
        print(
            f"{place.run('shoal', '--version').stdout.strip()}, Python {sys.version.split()[0]}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
        )
        table("one config file, whole process", one_file(place), 1)
        table(f"{arguments.files} YAML files, 2 % streaming", tree(place, arguments.files), 0)
        print("\n| reading YAML | MB/s |\n|---|---:|")
        for name, speed in reader(place):
            print(f"| {name} | {speed:.2f} |")
        print(f"\npeak memory of the largest process over 18 MB of streaming configs: {memory(place):.0f} MB")
    finally:
        if not arguments.keep:
            shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
