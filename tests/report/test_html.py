"""The page for people: what stands in it, who owns what, and that nothing scanned becomes markup."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from shoal.model import Place, Problem, Span
from shoal.report import Past, Run, render
from shoal.report.html import FIRST, embedded
from shoal.report.html.owners import owners_of
from shoal.report.html.trend import trend
from shoal.text import decode
from tests.host.conftest import BAD, GOOD, ONLY, RULE, Shoal, shoal, write  # noqa: F401 - a fixture

SCRIPT = "<script>document.title='pwned'</script>"


def many(run: Run, count: int, files: int = 500) -> Run:
    """A run of many findings in many folders, with hostile names and texts among them."""
    text = decode(f"# {SCRIPT}\nexecution:\n  timeout: 1 s 😀 </script><!--\n".encode())
    start = text.text.index("1 s")
    owners = decode(b"* @everybody\n/team1/ @team/one\n")
    template = run.findings[0]
    severities, confidences = ("error", "warning", "info"), ("high", "medium", "low")
    findings = tuple(
        template._replace(
            rule=(RULE, "deprecated-option", "made-up-rule")[number % 3],
            message=f"finding number{number} {SCRIPT if number == 7 else ''}",
            severity=severities[number % 3],
            confidence=confidences[number // 3 % 3],
            places=(Place(f"team{number % 7}/{SCRIPT if number == 8 else 'conf'}/{number % files}.yaml", Span(start, start + 5)),),
            fingerprint=f"{number:020x}",
        )
        for number in range(count)
    )
    return run._replace(
        findings=findings,
        command="audit",
        text=lambda path: owners if path == "CODEOWNERS" else None if path.endswith("CODEOWNERS") else text,
    )


class Page(HTMLParser):
    """The elements of a page, the ids and where links and sources go."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.data = ""
        self._in = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._in = dict(attrs).get("id") or ""

    def handle_data(self, data: str) -> None:
        if self._in == "data":
            self.data, self._in = data, ""

    def count(self, tag: str) -> int:
        return sum(name == tag for name, _ in self.tags)


def test_page_stands_alone(run: Run) -> None:
    page = Page(render("html", many(run, 20)))
    for _, attributes in page.tags:
        assert "src" not in attributes and "style" not in attributes and not any(name.startswith("on") for name in attributes)
        assert (attributes.get("href") or "#").startswith("#")
    policy = next(attributes["content"] for tag, attributes in page.tags if tag == "meta" and "http-equiv" in attributes)
    assert policy and policy.startswith("default-src 'none';") and "unsafe" not in policy


def test_nothing_scanned_becomes_markup(run: Run) -> None:
    plain, hostile = Page(render("html", many(run, 7))), Page(render("html", many(run, 20)))
    assert plain.count("script") == hostile.count("script") == 2 and hostile.count("img") == 0
    assert json.loads(hostile.data)["texts"].count(f"# {SCRIPT}") == 1


def test_embedded_json_cannot_end_its_element() -> None:
    hostile = "</script><!--<script>&\u2028\u2029 😀"
    text = embedded([hostile])
    assert not re.search("[<>&\u2028\u2029]", text) and json.loads(text) == [hostile]


def test_without_scripts_the_first_findings_are_listed(run: Run) -> None:
    text = render("html", many(run, FIRST + 20))
    assert Page(text).count("article") == FIRST and f"only the first {FIRST} of 120" in text
    assert text.index("finding number0 ") < text.index("finding number1 ")  # errors first
    assert "<mark>1 s 😀</mark>" in text


def test_marks_are_counted_as_scripts_count(run: Run) -> None:
    data: dict[str, Any] = json.loads(Page(render("html", many(run, 1))).data)
    lines = data["rows"][0][7][0][4]
    number, at, start, end = next(line for line in lines if len(line) == 4)
    units = data["texts"][at].encode("utf-16-le")
    assert number == 3 and units[2 * start : 2 * end].decode("utf-16-le") == "1 s 😀"


def test_related_places_problems_and_fixes_stand_in_the_page(run: Run) -> None:
    text = render("html", run)
    for words in ("the interval", "<mark>60 s</mark>", "shoal check --fix --unsafe-fixes", "is a FIFO", "&lt;script&gt;alert(1)"):
        assert words in text
    assert "tests only" not in text  # silenced findings are counted, not listed


def test_many_problems_do_not_push_down_what_matters_first(run: Run) -> None:
    broken = tuple(Problem(f"a{number}.yaml", "unparsable", "not valid YAML", 3) for number in range(1200))
    page = render("html", run._replace(problems=broken))
    before, _, after = page.partition("<details><summary>1,196 more</summary>")
    assert "a3.yaml" in before and "a4.yaml" not in before and "a4.yaml" in after
    assert '<p class="printed">and 1,196 more</p>' in after


def test_one_of_a_kind_is_said_as_one(run: Run) -> None:
    page = render("html", many(run, 1))
    assert "<title>shoal audit: 1 finding</title>" in page and "1 finding, 1 error" in page
    assert not re.search(r"\b1 (?:findings|errors|more rules)\b", page)


def test_clean_page(clean: Run) -> None:
    page = render("html", clean)
    assert "Nothing was found" in page and "<article" not in page


@pytest.mark.parametrize(
    ("owners", "path", "expected"),
    [
        ("* @all\n/jobs/ @org/jobs # not @commented\n", "jobs/a/b.yaml", ("@org/jobs",)),
        ("* @all\n/jobs/ @org/jobs\n", "other/jobs/b.yaml", ("@all",)),
        ("*.sql @a b@example.org\n", "x/y.sql", ("@a", "b@example.org")),
        ("docs/* @docs\n", "docs/deep/x.md", ()),
        ("* @all\n/free/\n", "free/x.yaml", ()),
        ("[Data][2] @data\nsql/\nconf/ @conf\n^[Other]\nrest/\n", "sql/x.sql", ("@data",)),
        ("[Data][2] @data\nsql/\nconf/ @conf\n^[Other]\nrest/\n", "rest/x.sql", ()),
        ("a\\ b/ @space\n", "a b/c.yaml", ("@space",)),
        ("[z @broken\n* @all\n", "x", ("@all",)),
        ("* @all\n" + "*/" * 40 + "x @slow\n", "a/" * 60 + "y", ("@all",)),
        ("", "x", ()),
    ],
)
def test_owners(run: Run, owners: str, path: str, expected: tuple[str, ...]) -> None:
    read = run._replace(text=lambda name: decode(owners.encode()) if name == ".github/CODEOWNERS" else None)
    assert owners_of(read)(path) == expected


def test_audit_writes_the_page_beside_the_summary(shoal: Shoal, tmp_path: Path) -> None:  # noqa: F811
    write(tmp_path, {"conf/config.yaml": BAD, ".github/CODEOWNERS": "conf/ @streams\n"})
    done = shoal("audit", *ONLY, "--report", "audit.html")
    assert done.code == 1 and "Fix these first" in done.out
    page = (tmp_path / "audit.html").read_text()
    assert RULE in page and "@streams" in page
    assert shoal("audit", *ONLY, "--format", "html").out == page


def test_report_must_be_a_page(shoal: Shoal) -> None:  # noqa: F811
    done = shoal("audit", "--report", "audit.pdf")
    assert done.code == 2 and ".html" in done.err


def test_missing_packages_are_named_before_anything_is_checked(tmp_path: Path) -> None:
    code = "import sys; sys.modules['jinja2'] = None; from shoal.cli import main; sys.exit(main(['audit', '--report', 'a.html']))"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "jinja2" in done.stderr and "pip install 'shoal[report]'" in done.stderr
    assert not done.stdout and not list(tmp_path.iterdir())


def test_the_runs_of_a_history_are_drawn_and_this_one_is_added(shoal: Shoal, tmp_path: Path) -> None:  # noqa: F811
    write(tmp_path, {"a/config.yaml": BAD, "b/config.yaml": BAD})
    asked = ("audit", *ONLY, "--report", "audit.html", "--history", "runs.jsonl", "a", "b")
    shoal(*asked)
    assert "Over time" not in (tmp_path / "audit.html").read_text()  # one run is no trend
    write(tmp_path, {"b/config.yaml": GOOD})
    shoal(*asked)
    page = (tmp_path / "audit.html").read_text()
    assert "Open findings of 2 runs, from 2 to 1" in page and page.count(": 2 errors, 0 warnings, 0 notes</title>") == 1
    lines = [json.loads(line) for line in (tmp_path / "runs.jsonl").read_text().splitlines()]
    assert [(line["errors"], line["files"]) for line in lines] == [(2, 2), (1, 2)]


def test_runs_that_did_not_see_everything_are_not_kept(shoal: Shoal, tmp_path: Path) -> None:  # noqa: F811
    write(tmp_path, {"a/config.yaml": BAD})
    assert shoal("audit", *ONLY, "--history", "runs.jsonl", "a", "gone.yaml").code == 2
    assert not (tmp_path / "runs.jsonl").exists()


@pytest.mark.parametrize("text", ["nonsense", "{}", '{"time": "x", "errors": 1, "warnings": 1, "notes": 1, "files": 1}', "\xff\xfe"])
def test_a_history_that_is_none_is_left_alone(shoal: Shoal, tmp_path: Path, text: str) -> None:  # noqa: F811
    write(tmp_path, {"a/config.yaml": BAD, "runs.jsonl": text})
    done = shoal("audit", *ONLY, "--history", "runs.jsonl", "a")
    assert done.code == 2 and "is not a history of shoal" in done.err and not done.out
    assert (tmp_path / "runs.jsonl").read_text() == text


def test_bars_fill_the_drawing_and_end_where_they_should() -> None:
    runs = tuple(Past(f"2026-01-{day:02}T00:00:00Z", day, 2, 1, 10) for day in range(1, 31))
    found = trend(runs)
    assert found and len(found.bars) == 30 and found.highest == 33
    for bar in found.bars:
        assert bar.x >= 0 and bar.x + bar.width <= found.width
        assert all(y >= 18 - 0.2 and y + tall <= found.floor + 0.2 for _, y, tall in bar.parts)
    assert trend(runs[:1]) is None and len((trend(runs * 4) or found).bars) == 60
