"""Whatever is typed, saved, closed, written beside the editor or deleted: it shows what the command says of the same texts."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.server.client import WAIT, Editor
from tests.server.conftest import Start

INCIDENTS = Path(__file__).parents[2] / "examples" / "incidents"
Said = dict[str, list[tuple[int, str]]]  # (line, rule or kind of problem) by path


class Work:
    """A copy of the incidents' repositories, an editor in it, and the texts that are open there."""

    def __init__(self, folder: Path, editor: Editor, cache: dict[str, str], chance: random.Random) -> None:
        self._folder = folder
        self._editor = editor
        self._cache = cache
        self._chance = chance
        self._open: dict[Path, str] = {}

    def files(self) -> list[Path]:
        return sorted(path for path in self._folder.rglob("*") if path.is_file() and path.suffix not in (".md", ".toml"))

    def act(self) -> str:
        """Do one thing; returns what."""
        actions = (self.look, self.look, self.type, self.type, self.type, self.save, self.shut, self.write, self.delete, self.bring)
        action, files = self._chance.choice(actions), self.files()
        closed = [path for path in files if path not in self._open]
        given: Iterable[Path] = {self.look: closed, self.write: files, self.delete: files, self.bring: self._gone()}.get(action, self._open)
        if not (found := sorted(given)):
            return "nothing"
        path = self._chance.choice(found)
        action(path)
        return f"{action.__name__} {path.relative_to(self._folder)}"

    def look(self, path: Path) -> None:
        self._open[path] = path.read_text()
        self._editor.open(path)

    def type(self, path: Path) -> None:
        self._open[path] = self._changed(self._open[path])
        self._editor.edit(path.as_uri(), {"text": self._open[path]})

    def save(self, path: Path) -> None:
        kind = 2 if path.exists() else 1
        self._editor.save(path, self._open[path])
        self._editor.changed(path, kind=kind)

    def shut(self, path: Path) -> None:
        del self._open[path]
        self._editor.shut(path.as_uri())
        self._editor.diagnostics.pop(path.as_uri(), None)

    def write(self, path: Path) -> None:
        path.write_text(self._changed(path.read_text()))
        self._editor.changed(path)

    def delete(self, path: Path) -> None:
        path.unlink()
        self._editor.changed(path, kind=3)

    def bring(self, path: Path) -> None:
        shutil.copy(INCIDENTS / path.relative_to(self._folder), path)
        self._editor.changed(path, kind=1)

    def _gone(self) -> list[Path]:
        return [
            path for each in INCIDENTS.rglob("*.*") if each.is_file() and not (path := self._folder / each.relative_to(INCIDENTS)).exists()
        ]

    def _changed(self, text: str) -> str:
        lines = text.splitlines(keepends=True) or ["\n"]
        at, other = self._chance.randrange(len(lines)), self._chance.randrange(len(lines))
        return "".join(
            self._chance.choice(
                (
                    [*lines[:at], *lines[at + 1 :]],
                    [*lines[:at], lines[other], *lines[at:]],
                    [*lines[:at], lines[at].replace("1", "5").replace("0", "1"), *lines[at + 1 :]],
                    lines[: at + 1],
                    ["# a note\n", *lines],
                )
            )
        )

    def command(self, scratch: Path) -> Said:
        """What the command says of the texts as they stand in the editor."""
        shutil.rmtree(scratch, ignore_errors=True)
        shutil.copytree(self._folder, scratch)
        for path, text in self._open.items():
            (scratch / path.relative_to(self._folder)).write_text(text)
        done = subprocess.run(
            [Path(sys.executable).with_name("shoal"), "check", "--no-cache", "--format", "json", "."],
            cwd=scratch,
            env={**os.environ, **self._cache},
            capture_output=True,
            timeout=60,
        )
        report = json.loads(done.stdout)
        said: Said = {str(path.relative_to(self._folder)): [] for path in self._open}
        for finding in report["findings"]:
            place = finding["places"][0]
            said.setdefault(place["path"], []).append((place["start"]["line"] - 1, finding["rule"]))
        for problem in report["problems"]:
            said.setdefault(problem["path"], []).append((max(problem["line"] - 1, 0), problem["kind"]))
        return {str(path): sorted(said[str(path)]) for path in (each.relative_to(self._folder) for each in self._open)}

    def shown(self, wanted: Said) -> Said:
        """What the editor shows of the open texts, once it is what is wanted or nothing more comes."""
        end = time.monotonic() + WAIT
        while (found := self._shown()) != wanted and (left := end - time.monotonic()) > 0:
            try:
                self._editor.step(left)
            except TimeoutError:
                break
        return found

    def _shown(self) -> Said:
        found: Said = {}
        for path in self._open:
            told = self._editor.diagnostics.get(path.as_uri(), {"diagnostics": [{"range": {"start": {"line": -1}}, "code": "nothing yet"}]})
            lines = sorted((item["range"]["start"]["line"], item["code"]) for item in told["diagnostics"])
            found[str(path.relative_to(self._folder))] = lines
        return found


@pytest.mark.parametrize("seed", range(2))
def test_the_editor_shows_what_the_command_says(seed: int, start: Start, tmp_path: Path, cache: dict[str, str]) -> None:
    folder, chance = tmp_path / "work", random.Random(seed)
    shutil.copytree(INCIDENTS, folder)
    (folder / "shoal.toml").write_text("")
    work = Work(folder, start(folder), cache, chance)
    done: list[str] = []
    compared = 0
    for _ in range(15):
        done += [work.act() for _ in range(chance.choice((1, 1, 2, 3)))]
        wanted = work.command(tmp_path / "beside")
        assert work.shown(wanted) == wanted, done
        compared += sum(map(len, wanted.values()))
    assert compared > 40
