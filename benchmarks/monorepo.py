"""Makes a synthetic monorepo of realistic proportions: services of many teams whose code is that of well-known packages, and among them
some streaming jobs. The same files for the same number and the same wheels.

    python benchmarks/monorepo.py FOLDER [--files 10000|100000|1000000] [--wheels DIR]

The wheels come from the configured package index (`pip download --no-deps`), once, into DIR. Of every 100 files about 78 are Python, 16 YAML
and JSON, the rest build files, scripts and texts; one service in fifty is a Flink job. A third of the code are exact copies, as in real
monorepos; the rest is told apart by a last line. 1,000,000 files take about 7 GB.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from trees import FLINK, PIPELINE, SERVICE

WHEELS = (
    "ansible",
    "apache-airflow-core",
    "apache-superset",
    "dagster",
    "django",
    "google-cloud-compute",
    "homeassistant",
    "pandas",
    "sympy",
    "transformers",
)
WIDE = (*WHEELS, "ansible-core", "apache-beam")  # of the tree of wheels: with a package that is all about streaming, too
_MOST_BYTES = 60_000
_PER_SERVICE = 40
_EVERY = 50
_TAILS = {".py": "# ", ".yaml": "# ", ".yml": "# ", ".sh": "# ", ".toml": "# ", ".sql": "-- "}
_KEPT = (".py", ".yaml", ".yml", ".json", ".sh", ".toml", ".sql", ".md", ".txt", ".j2", ".cfg", ".js", ".html")
_JOB = """\
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaSource
from pyflink.common import WatermarkStrategy
from pyflink.common.serialization import SimpleStringSchema


def main():
    env = StreamExecutionEnvironment.get_execution_environment()
    source = (
        KafkaSource.builder()
        .set_bootstrap_servers("kafka-1:9092,kafka-2:9092,kafka-3:9092")
        .set_topics("{name}")
        .set_group_id("{team}-{name}")
        .set_starting_offsets(KafkaOffsetsInitializer.committed_offsets())
        .set_value_only_deserializer(SimpleStringSchema())
        .build()
    )
    env.from_source(source, WatermarkStrategy.no_watermarks(), "{name}").map(str.upper).print()
    env.execute("{name}")


if __name__ == "__main__":
    main()
"""
_PROJECT = '[project]\nname = "{name}"\nversion = "1.{number}.0"\ndependencies = ["requests>=2.31"]\n'
_VALUES = "replicaCount: {number}\nimage:\n  repository: registry.example.com/{team}/{name}\n  tag: 1.{number}.0\nresources:\n  limits:\n    memory: 512Mi\n"
_DOCKERFILE = 'FROM python:3.12-slim\nCOPY . /app\nRUN pip install /app\nCMD ["python", "-m", "{name}"]\n'


def download(folder: Path, wheels: tuple[str, ...] = WHEELS) -> list[Path]:
    """These wheels, fetched where they are not there yet; one that the index does not have is passed over."""
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for wheel in wheels:
        start = f"{wheel.replace('-', '_')}-"
        if not any(path.name.lower().startswith(start) for path in folder.glob("*.whl")):
            command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "-d", str(folder)]
            if subprocess.run([*command, wheel]).returncode:
                print(f"{wheel}: not to be had, left away", file=sys.stderr)
        found += [path for path in folder.glob("*.whl") if path.name.lower().startswith(start)]
    return sorted(found)


def unpack(wheels: list[Path], folder: Path) -> int:
    """The wide tree: every wheel in a folder of its own. Returns the number of files."""
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder / wheel.name.partition("-")[0])
    return sum(path.is_file() for path in folder.rglob("*"))


def code(wheel: Path) -> Iterator[tuple[str, bytes]]:
    """(name, content) of the files of a wheel, round and round."""
    archive = zipfile.ZipFile(wheel)
    names = [
        info.filename
        for info in archive.infolist()
        if info.filename.endswith(_KEPT) and 0 < info.file_size <= _MOST_BYTES and ".dist-info/" not in info.filename
    ]
    while names:
        for name in names:
            yield name, archive.read(name)


def services(wheels: list[Path]) -> Iterator[tuple[str, bytes]]:
    """(path, content) of files without end, service by service; the code of one comes from one wheel."""
    chance = random.Random(20260102)
    sources = [code(wheel) for wheel in wheels]
    for index in count():
        values = {"team": f"team-{index % 97:02}", "name": f"service-{index:06}", "number": chance.randint(1, 9)}
        folder = f"{values['team']}/{values['name']}"
        own = {"pyproject.toml": _PROJECT, "Dockerfile": _DOCKERFILE, "deploy/pipeline.yaml": PIPELINE, "deploy/deployment.yaml": SERVICE}
        own |= {f"deploy/values-{name}.yaml": _VALUES for name in ("dev", "staging", "prod")}
        if index % _EVERY == 7:
            own |= {"deploy/flink.yaml": FLINK, "job/main.py": _JOB}
        for name, template in own.items():
            yield f"{folder}/{name}", template.format(**values).encode()
        source = chance.choice(sources)
        for number in range(chance.randint(_PER_SERVICE // 2, _PER_SERVICE * 3 // 2)):
            name, data = next(source)
            mark = _TAILS.get(Path(name).suffix)
            if mark and number % 3:
                data = data.rstrip(b"\n") + f"\n{mark}{values['name']}\n".encode()
            yield f"{folder}/src/{'/'.join(name.split('/')[-4:])}", data


def write(folder: Path, files: int, wheels: list[Path]) -> tuple[int, int]:
    """Write the tree; returns how many files and bytes."""
    seen: set[str] = set()
    known: set[str] = set()
    size = 0
    for path, data in services(wheels):
        if path in seen:
            continue
        seen.add(path)
        parent = path.rpartition("/")[0]
        if parent not in known:
            (folder / parent).mkdir(parents=True, exist_ok=True)
            known.add(parent)
        (folder / path).write_bytes(data)
        size += len(data)
        if len(seen) >= files:
            break
    return len(seen), size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--wheels", type=Path, help="where the wheels are, or come to be (default: wheels beside FOLDER)")
    arguments = parser.parse_args()
    wheels = download(arguments.wheels or arguments.folder.parent / "wheels")
    if not wheels:
        raise SystemExit("no wheels")
    files, size = write(arguments.folder, arguments.files, wheels)
    print(f"{files:,} files, {size / 1e6:,.0f} MB in {arguments.folder}")


if __name__ == "__main__":
    main()
