"""How fast and how large the language server is, driven over its pipes as an editor drives it.

`python benchmarks/server.py [--quick]` prints a table: start to first diagnostics, save to diagnostics for a Python file of 1,000 lines and
for a config, each in a workspace of its own and in one of 500 files; memory with 500 open files; memory before and after 10,000 edits. Of the
Python file one line changes before each save, as when somebody works on it, or every function, as when something rewrites it.
Times are this machine's: compare them within one run only.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.server.client import Editor

CONFIG = "execution:\n  checkpointing:\n    interval: 60 s\n    timeout: {} s\n    dir: s3://bucket/x\n"
_PAUSE = 0.4  # seconds between two saves: nobody saves faster


def job(number: int, lines: int = 1000, timeout: int = 500) -> str:
    """A Flink job of many lines: one mistake, and functions that look like everybody's."""
    head = (
        "from pyflink.common import Types\nfrom pyflink.datastream import StreamExecutionEnvironment\n"
        "from pyflink.datastream.functions import MapFunction\n\n"
        "env = StreamExecutionEnvironment.get_execution_environment()\nenv.enable_checkpointing(60000)\n"
        f"env.get_checkpoint_config().set_checkpoint_timeout({timeout})\n\n"
    )
    body = ""
    count = 0
    while (head + body).count("\n") < lines:
        body += (
            f"class Step{count}(MapFunction):\n    def __init__(self, factor={count}):\n        self.factor = factor\n\n"
            f"    def map(self, value):\n        total = value * self.factor + {number}\n        return total if total > 0 else None\n\n\n"
            f"stream{count} = env.from_collection([1, 2, 3], type_info=Types.INT()).map(Step{count}())\n\n"
        )
        count += 1
    return head + body + 'env.execute("job")\n'


def percentile(times: list[float], share: float = 0.95) -> float:
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]


def wait(editor: Editor, uri: str, version: int) -> None:
    while editor.diagnostics.get(uri, {}).get("version") != version:
        editor.step(300)


def memory(process: int) -> float:
    """Resident megabytes of a process and those it started (proportional where shared)."""
    total = 0.0
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                if int(folder.name) == process or parent == process:
                    rows = (folder / "smaps_rollup").read_text().splitlines()
                    total += next(int(row.split()[1]) for row in rows if row.startswith("Pss:")) / 1024
            except (OSError, StopIteration):
                continue
    return total


def spent(process: int) -> float:
    """Seconds of processor time of a process and those it started."""
    ticks = 0
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(folder.name) == process or int(fields[1]) == process:
                ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def workspace(files: int) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="shoal-server-"))
    (folder / ".git").mkdir()
    for number in range(files):
        place = folder / f"part{number % 20}"
        place.mkdir(exist_ok=True)
        if number % 2:
            (place / f"job{number}.py").write_text(job(number, 60))
        else:
            (place / f"flink-conf-{number}.yaml").write_text("execution.checkpointing.timeout: 1 s\nparallelism.default: 2\n")
    return folder


def first(folder: Path) -> tuple[float, float]:
    """Seconds, and seconds of processor time, from the start to the first diagnostics."""
    path = folder / "config.yaml"
    path.write_text(CONFIG.format(1))
    began = time.perf_counter()
    editor = Editor(folder, options={"typingDelay": 150})
    uri = editor.open(path)
    wait(editor, uri, 1)
    took = time.perf_counter() - began, spent(editor.process.pid)
    editor.kill()
    return took


def saves(folder: Path, path: Path, text: Callable[[int], str], count: int) -> tuple[list[float], float]:
    """Times from a save to its diagnostics, and processor time for each, the judging of whole jobs after it included.

    What the workspace holds has been looked at before.
    """
    editor = Editor(folder, options={"typingDelay": 150})
    path.write_text(text(1))
    uri = editor.open(path)
    wait(editor, uri, 1)
    editor.request("workspace/diagnostic", {"previousResultIds": []}, wait=300)  # answered once everything was looked at
    times = []
    used = 0.0
    for number in range(count + 3):
        time.sleep(_PAUSE)
        used = used if number != 3 else spent(editor.process.pid)
        version = editor.edit(uri, {"text": text(number % 7 + 1)})
        began = time.perf_counter()
        editor.save(path)
        wait(editor, uri, version)
        times.append(time.perf_counter() - began)
    time.sleep(_PAUSE)
    used = spent(editor.process.pid) - used
    editor.kill()
    return times[3:], used / count


def size(folder: Path, edits: int) -> tuple[float, float, float]:
    """Megabytes with 500 open files, then after a few edits and after many."""
    editor = Editor(folder, options={"typingDelay": 0})
    paths = sorted(path for path in folder.rglob("*") if path.suffix in (".py", ".yaml"))[:500]
    uris = [editor.open(path) for path in paths]
    for uri in uris:
        wait(editor, uri, 1)
    editor.request("workspace/diagnostic", {"previousResultIds": []}, wait=300)
    opened = memory(editor.process.pid)
    uri = next(uri for uri in uris if uri.endswith(".yaml"))
    sizes = []
    for count in (edits // 10, edits):
        version = 0
        for number in range(count):
            version = editor.edit(uri, {"text": f"execution.checkpointing.timeout: {number % 9 + 1} s\n"})
            if number % 50 == 0:
                wait(editor, uri, version)
        wait(editor, uri, version)
        sizes.append(memory(editor.process.pid))
        editor.published.clear()
    editor.kill()
    return opened, *sizes


def show(name: str, value: str, limit: str = "") -> None:
    print(f"{name:<78} {value:>24}  {limit}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer runs, 1,000 edits")
    quick = parser.parse_args().quick
    runs, count, edits = (3, 20, 1_000) if quick else (10, 50, 10_000)
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}, Python {sys.version.split()[0]}")
    alone, many = workspace(0), workspace(500)
    begun = [first(alone) for _ in range(runs)]
    wall, used = zip(*begun, strict=True)
    text = f"{statistics.median(wall):.2f} s, {percentile(list(wall)):.2f} s, {statistics.median(used):.2f} s"
    show("start to first diagnostics (median, 95 %, processor time)", text, "limit 1 s")
    for folder, where in ((alone, "alone"), (many, "in a workspace of 500 files")):
        for what, name, text_of, limit in (
            ("1,000 lines of Python, a line changed", "job.py", lambda n: job(0, 1000, 100 * n), 150),
            ("1,000 lines of Python, all of it changed", "job.py", lambda n: job(n, 1000, 100 * n), 150),
            ("a config", "config.yaml", CONFIG.format, 50),
        ):
            times, each = saves(folder, folder / name, text_of, count)
            text = f"{statistics.median(times) * 1000:.0f} ms, {percentile(times) * 1000:.0f} ms, {each * 1000:.0f} ms"
            show(f"save of {what}, {where}", text, f"limit {limit} ms")
    opened, before, after = size(many, edits)
    show("memory with 500 open files", f"{opened:.0f} MB", "limit 250 MB")
    show(f"after {edits // 10:,} and after {edits:,} further edits", f"{before:.0f} MB, {after:.0f} MB")


if __name__ == "__main__":
    main()
