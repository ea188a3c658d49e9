"""What an audit says on a terminal while it runs: how far it is, and the findings in files as they are found."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.host.conftest import BAD, ONLY, Shoal, write
from tests.host.test_git import commit, run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
# Six of these are enough work for findings to be shown while it is done.
FILLER = "# filler\n" * 200_000


class Watched(NamedTuple):
    """A run on a terminal: the lines that stay, escape sequences with text among them, and the report."""

    code: int
    raw: str
    report: dict[str, Any]

    @property
    def lines(self) -> list[str]:
        """The lines of findings, in their order of place."""
        return sorted(
            line for line in re.split(r"[\r\n]+", re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.raw)) if re.search(r":\d+:\d+: ", line)
        )


def watch(folder: Path, *arguments: str) -> Watched:
    """Run an audit with standard error on a terminal."""
    import pty
    import threading

    main, other = pty.openpty()
    seen = bytearray()

    def read() -> None:
        while True:
            try:
                data = os.read(main, 65536)
            except OSError:
                return
            if not data:
                return
            seen.extend(data)

    reader = threading.Thread(target=read)
    reader.start()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "160"}
    command = [sys.executable, "-m", "shoal", "audit", "--no-cache", *arguments, "--format", "json"]
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=other, env=environment, timeout=120)
    os.close(other)
    reader.join()
    os.close(main)
    return Watched(done.returncode, seen.decode("utf-8", "replace"), json.loads(done.stdout))


def test_it_says_how_far_it_is_and_shows_no_findings_of_a_small_tree(tmp_path: Path) -> None:
    write(tmp_path, {f"{number}/config.yaml": BAD for number in range(30)})
    done = watch(tmp_path, *ONLY)
    assert done.code == 1 and done.report["summary"]["open"] == 30
    assert "30 of 30 files, 0 of 0 MB, 30 findings" in done.raw and done.lines == []


def test_findings_in_files_are_shown_as_the_report_will_have_them(shoal: Shoal, tmp_path: Path) -> None:
    """Severities and thresholds of the settings, suppressions and the baseline count; what is found in a job comes with the report."""
    job = "from pyflink.datastream import StreamExecutionEnvironment\n\nenv = StreamExecutionEnvironment.get_execution_environment()\n"
    write(
        tmp_path,
        {
            **{f"{name}/config.yaml": BAD + FILLER for name in ("a", "b", "hidden")},
            **{f"clean/{name}/config.yaml": FILLER for name in "abc"},
            "known/config.yaml": BAD,
            "tests/config.yaml": BAD,
            "agreed/config.yaml": BAD.replace("# tiny", "# shoal: ignore[checkpoint-timeout-too-short] agreed"),
            "ev\x1b[31mil/config.yaml": BAD,
            "job/conf/flink-conf.yaml": "execution.checkpointing.interval: 30 s\n",
            "job/pyproject.toml": "",
            "job/main.py": job + "env.enable_checkpointing(60000)\nenv.execute()\n",
        },
    )
    shoal("baseline", *ONLY, "--baseline", ".shoal-baseline.json", "known")
    settings = (
        'baseline = ".shoal-baseline.json"\n[rules.checkpoint-timeout-too-short]\nseverity = "warning"\n'
        '[[overrides]]\npaths = ["hidden/"]\nseverity = "error"\n'
    )
    write(tmp_path, {"shoal.toml": settings})
    done = watch(tmp_path, "--select", "checkpoint-timeout-too-short,code-overrides-configuration")
    words = "warning [checkpoint-timeout-too-short]"
    names = ("a", "b", "ev\\x1b[31mil", "tests")
    assert [line.partition(" checkpoint")[0] for line in done.lines] == sorted(f"{name}/config.yaml:4:14: {words}" for name in names)
    assert "ev\x1b[31mil" not in done.raw and "what counts is the report at the end" in done.raw
    opened = [finding for finding in done.report["findings"] if finding["status"] == "open"]
    assert sorted({finding["rule"] for finding in opened}) == ["checkpoint-timeout-too-short", "code-overrides-configuration"]
    assert sum(finding["rule"] == "checkpoint-timeout-too-short" for finding in opened) == len(done.lines)


def test_only_what_changes_can_have_caused_is_shown_and_in_a_git_tree_under_its_name(tmp_path: Path) -> None:
    run(tmp_path, "init", "-q")
    write(tmp_path, {f"{name}/config.yaml": BAD + FILLER for name in "abcdef"})
    commit(tmp_path)
    write(tmp_path, {"b/config.yaml": BAD.replace("tiny", "small") + FILLER})
    commit(tmp_path)
    for paths, name in ((), ""), (("@HEAD",), "@HEAD/"):
        done = watch(tmp_path, *ONLY, "--changed-since", "HEAD~1", *paths)
        assert [line.partition(" ")[0] for line in done.lines] == [f"{name}b/config.yaml:4:14:"]


def test_more_findings_than_anybody_reads_are_not_all_shown(tmp_path: Path) -> None:
    services = "".join(f"---\n{BAD}" for _ in range(20))
    write(
        tmp_path, {f"{number}/config.yaml": services for number in range(70)} | {f"big{number}/config.yaml": FILLER for number in range(6)}
    )
    done = watch(tmp_path, *ONLY)
    assert done.report["summary"]["open"] > 1_100
    assert 1_000 < len(done.lines) < 1_100 and "and more, in the report at the end" in done.raw
