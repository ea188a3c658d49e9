"""What needs no Spark: contents checked once for many paths, texts in columns, what is imported when."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import rulebook
from shoal.discover import Found, discover
from shoal.settings import Override, Settings
from shoal.spark import checking
from shoal.spark.plan import STAND_IN, Plan, checked_as, column, key_of, relocate, shown_of, text_of
from tests.spark.conftest import ROOT, make_tree


@given(st.text(alphabet=st.characters(), max_size=40))
def test_any_text_fits_into_a_column(text: str) -> None:
    held = column(text)
    assert text_of(held) == text
    held.encode()


def test_a_content_is_checked_once_whatever_folder_it_stands_in(tmp_path: Path) -> None:
    """What is found under the stand-in path is, once relocated, what is found at the real path."""
    tree = make_tree(tmp_path)
    book = rulebook.load()
    plan = Plan(Settings(), tuple(rule.id for rule in book), book.digest)
    moved = 0
    for item in discover((str(tree),), str(tree), plan.settings).found:
        data = (tree / item.path).read_bytes()
        shown = checked_as(item.path, plan.settings)
        moved += shown != item.path
        there = checking.examined(item, data, plan)
        here = checking.examined(Found(shown, item.kind, item.stamp, item.named), data, plan)
        assert json.loads(relocate(json.dumps(here), shown, item.path)) == json.loads(json.dumps(there)), item.path
    assert moved > 100


def test_where_the_folder_tells_the_whole_path_counts() -> None:
    assert checked_as("a/b/c/d.yaml", Settings()) == f"{STAND_IN}/c/d.yaml"
    assert checked_as("python/pyflink/util/x.py", Settings()) == "python/pyflink/util/x.py"
    assert checked_as("a/b/c/d.yaml", Settings(overrides=(Override(("a/",), ignore=("all",)),))) == "a/b/c/d.yaml"
    assert shown_of(key_of("digest", "yaml", True, "a/b:c")) == "a/b:c"


@pytest.mark.parametrize("module", ["shoal.cli", "shoal.host", "shoal.commands.check", "shoal.commands.audit", "shoal.spark.executor"])
def test_nothing_but_the_driver_imports_pyspark(module: str) -> None:
    code = f"import sys, {module}; sys.exit(any(name in sys.modules for name in ('pyspark', 'pyarrow', 'pandas')))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


def test_without_pyspark_or_java_it_is_said_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "flink-conf.yaml").write_text("restart-strategy: none\n")
    for name in ("pyspark", "pyarrow"):
        blocked = f"import sys; sys.modules[{name!r}] = None; from shoal.cli import main; sys.exit(main(['audit', '--engine', 'spark', {str(tmp_path)!r}]))"
        done = subprocess.run([sys.executable, "-c", blocked], capture_output=True, text=True)
        assert done.returncode == 2 and "pip install 'shoal[spark]'" in done.stderr and "Traceback" not in done.stderr
    done = subprocess.run(
        [sys.executable, "-m", "shoal", "audit", "--engine", "spark", str(tmp_path)],
        capture_output=True,
        text=True,
        env={"PATH": str(tmp_path), "PYTHONPATH": str(ROOT / "src"), "HOME": str(tmp_path)},
    )
    assert done.returncode == 2 and "needs Java" in done.stderr and "Traceback" not in done.stderr
