"""A constant of another Python file: what the editor shows follows it, saved or not."""

from __future__ import annotations

from pathlib import Path

from tests.server.conftest import PYTHON, RULE, SETTINGS, Start


def test_a_constant_of_another_file_counts_as_it_stands_in_the_editor(start: Start, tmp_path: Path) -> None:
    (tmp_path / "shoal.toml").write_text(SETTINGS)
    (tmp_path / "job.py").write_text("from conf import TIMEOUT\n" + PYTHON.replace("(500)", "(TIMEOUT)"))
    (tmp_path / "conf.py").write_text("TIMEOUT = 500\n")
    editor = start(tmp_path)
    code = editor.open(tmp_path / "job.py")
    (found,) = editor.until(code, RULE)
    assert found["range"]["start"] == {"line": 4, "character": len("env.get_checkpoint_config().set_checkpoint_timeout(")}
    conf = editor.open(tmp_path / "conf.py")
    editor.edit(conf, {"text": "TIMEOUT = 600_000\n"})
    assert editor.until(code) == []
    editor.edit(conf, {"text": "TIMEOUT = 600\n"})
    editor.until(code, RULE)
    editor.edit(code, {"text": PYTHON.replace("(500)", "(600000)")})
    assert editor.until(code) == []
