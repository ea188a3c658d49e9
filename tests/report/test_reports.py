"""What each format says, and that nothing scanned can act through it."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest
from rich.console import Console

import shoal.report
from shoal.report import FORMATS, Run, render
from shoal.report.layout import relative
from shoal.report.text import print_run

from .conftest import EVIL

SCHEMA = json.loads(Path(shoal.report.__file__).with_name("report.schema.json").read_text())


@pytest.mark.parametrize("format", FORMATS)
def test_no_control_character_reaches_the_reader(run: Run, format: str) -> None:
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\ud800-\udfff]", render(format, run))


@pytest.mark.parametrize("format", FORMATS)
def test_problems_stand_in_every_format(run: Run, format: str) -> None:
    shown = render(format, run)
    assert "not valid YAML" in shown and "FIFO" in shown


@pytest.mark.parametrize("format", FORMATS)
def test_same_run_same_bytes(run: Run, format: str) -> None:
    assert render(format, run) == render(format, run)


def test_text_underlines_the_value_and_names_the_other_side(run: Run) -> None:
    lines = render("text", run).splitlines()
    at = next(number for number, line in enumerate(lines) if "timeout: 1 s" in line)
    assert lines[at - 1].endswith("conf/config.yaml:4:14")
    column = lines[at].index("1 s")
    assert lines[at + 1][column : column + 3] == "^^^" and lines[at + 1].count("^") == 3
    assert any("the interval" in line for line in lines) and any("--unsafe-fixes" in line for line in lines)


def test_text_hides_silenced_findings_and_counts_them(run: Run) -> None:
    last = render("text", run).splitlines()[-1]
    assert "2 findings (1 error, 1 warning), 1 suppressed, 1 baselined, 2 problems" in last
    assert "1 too-large, 1 vendored" in last


def test_text_on_a_terminal_has_colour_and_the_same_words(run: Run) -> None:
    out = io.StringIO()
    print_run(run, Console(file=out, force_terminal=True, color_system="standard", width=80, legacy_windows=False))
    coloured = out.getvalue()
    assert "\x1b[1;31m" in coloured
    assert re.sub("\x1b\\[[0-9;]*m", "", coloured) == render("text", run)


def test_text_names_files_that_were_read_in_part(run: Run) -> None:
    assert "left out[partly-read]: A.java: line 4: …\n" in render("text", run)


def test_audit_ranks_and_counts(run: Run) -> None:
    shown = render("text", run._replace(command="audit"))
    assert shown.index("Fix these first") < shown.index("By rule") < shown.index("By engine") < shown.index("By folder")
    assert re.search(r"By engine\n +1  flink", shown)


def test_long_line_is_cut_around_the_span(run: Run) -> None:
    finding = run.findings[0]
    text = "x" * 5000 + "NEEDLE" + "y" * 5000
    place = finding.primary._replace(span=finding.primary.span._replace(start=5000, end=5006))
    decoded = run.text("conf/config.yaml")
    assert decoded
    shown = render("text", run._replace(findings=(finding._replace(places=(place,)),), text=lambda path: decoded._replace(text=text)))
    assert max(map(len, shown.splitlines())) < 260
    line, marks = next((a, b) for a, b in zip(shown.splitlines(), shown.splitlines()[1:], strict=False) if "NEEDLE" in a)
    assert marks.index("^^^^^^") == line.index("NEEDLE")


def test_json_follows_its_schema(run: Run, clean: Run) -> None:
    for each in (run, clean):
        jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(render("json", each)))


def test_json_positions_and_status(run: Run) -> None:
    first, suppressed, baselined, hostile = json.loads(render("json", run))["findings"]
    assert first["places"][0]["start"] == {"line": 4, "column": 14, "offset": 60}
    assert [place["role"] for place in first["places"]] == ["primary", "related", "covers"]
    assert (suppressed["status"], suppressed["status_reason"], baselined["status"]) == ("suppressed", "tests only", "baselined")
    assert hostile["places"][0]["path"] == EVIL
    assert hostile["places"][0]["end"]["column"] - hostile["places"][0]["start"]["column"] == len("😀 <b>")


def test_paths_are_as_seen_from_the_working_directory() -> None:
    assert relative("a/b/c.yaml", "a") == "b/c.yaml"
    assert relative("a/c.yaml", "a/b") == "../c.yaml"
    assert relative("c.yaml", "") == "c.yaml"
    assert relative("/abs/c.yaml", "a") == "/abs/c.yaml"


def test_github_annotations_cannot_be_injected(run: Run) -> None:
    lines = render("github", run).splitlines()
    commands = [line for line in lines if line.startswith("::")]
    assert [re.match(r"::(\w+) ", line).group(1) for line in commands] == ["error", "warning", "error", "error"]  # type: ignore[union-attr]
    assert all(line.count("::") >= 2 for line in commands)
    assert commands[0].startswith("::error file=conf/config.yaml,line=4,endLine=4,col=14,endColumn=16,title=checkpoint-timeout-too-short::")
    properties = commands[1].split("::")[1]
    assert "pwn" in properties and "\n" not in properties and ",::" not in commands[1]


def test_gitlab_issues(run: Run) -> None:
    issues = json.loads(render("gitlab", run))
    assert [issue["severity"] for issue in issues] == ["critical", "major", "blocker", "blocker"]
    assert issues[0]["location"] == {"path": "conf/config.yaml", "lines": {"begin": 4, "end": 4}}
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)


def test_junit_counts(run: Run, clean: Run) -> None:
    suite = ElementTree.fromstring(render("junit", run)).find("testsuite")
    assert suite is not None and (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("4", "2", "2")
    assert len(suite.findall("testcase")) == 4
    passed = ElementTree.fromstring(render("junit", clean)).find("testsuite")
    assert passed is not None and (passed.get("tests"), passed.get("failures")) == ("1", "0")


def test_markdown_is_inert(run: Run) -> None:
    table = [line for line in render("markdown", run).splitlines() if line.startswith("| ")]
    assert len(table) == 3
    for line in table:
        assert len(re.findall(r"(?<!\\)\|", line)) == 5
        assert not re.search(r"(?<![\\`])<(?:img|script)", re.sub(r"`+[^`]*`+", "", line))


def test_clean_run_says_so(clean: Run) -> None:
    assert render("text", clean) == "no findings; 4 files looked at, 2 read\n"
    assert json.loads(render("gitlab", clean)) == []
