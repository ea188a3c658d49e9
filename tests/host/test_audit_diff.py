"""`shoal audit diff`: two runs of the real command, and what lies between them."""

from __future__ import annotations

import json
from pathlib import Path

from .conftest import BAD, GOOD, ONLY, RULE, Shoal, write


def test_new_fixed_silenced_unchecked_remaining(shoal: Shoal, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    write(tree, {f"{name}/config.yaml": BAD for name in ("fixed", "gone-bad", "moved", "quiet")})
    assert shoal("audit", *ONLY, "--format", "json", "-o", "../old.json", cwd=tree).code == 1
    silenced = BAD.replace("# tiny", f"# shoal: ignore[{RULE}] a test cluster")
    write(
        tree,
        {
            "fixed/config.yaml": GOOD,
            "gone-bad/config.yaml": f"{BAD}x: [1\n",
            "moved/config.yaml": f"# a line more\n{BAD}",
            "quiet/config.yaml": silenced,
            "new/config.yaml": BAD,
        },
    )
    assert shoal("audit", *ONLY, "--format", "json", "-o", "../new.json", cwd=tree).code == 2
    done = shoal("audit", "diff", "old.json", "new.json", "--format", "json", "-o", "diff.json", "--format", "text")
    found = json.loads((tmp_path / "diff.json").read_text())
    groups = {name: [item["path"].split("/")[0] for item in found[name]] for name in found["summary"]}
    assert groups == {"new": ["new"], "fixed": ["fixed"], "silenced": ["quiet"], "unchecked": ["gone-bad"], "remaining": ["moved"]}
    assert done.code == 1 and done.out.splitlines()[-1] == "1 new, 1 fixed, 1 silenced, 1 no longer checked, 1 remaining"
    assert shoal("audit", "diff", "old.json", "old.json").code == 0


def test_markdown_is_inert(shoal: Shoal, tmp_path: Path) -> None:
    write(tmp_path / "tree", {"a|<script>/config.yaml": BAD})
    shoal("audit", *ONLY, "--format", "json", "-o", "../new.json", cwd=tmp_path / "tree")
    (tmp_path / "old.json").write_text(json.dumps({"version": 1, "findings": [], "problems": [], "left_out": []}))
    done = shoal("audit", "diff", "old.json", "new.json", "--format", "markdown")
    row = next(line for line in done.out.splitlines() if line.startswith("| error"))
    assert r"`a\|<script>/config.yaml:4`" in row


def test_what_is_no_report_is_refused(shoal: Shoal, tmp_path: Path) -> None:
    for text in ("", "[]", '{"version": 9}', '{"version": 1, "findings": [{}]}', "[" * 100_000):
        (tmp_path / "x.json").write_text(text)
        done = shoal("audit", "diff", "x.json", "x.json")
        assert done.code == 2 and "x.json" in done.err and "Traceback" not in done.err
    assert shoal("audit", "diff", "x.json", "x.json", "--format", "sarif").code == 2
    assert shoal("audit", "diff", "gone.json", "gone.json").code == 2
