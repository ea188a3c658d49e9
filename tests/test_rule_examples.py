"""Every rule's page is its test: blocks marked bad, good and fixed in rule.md, with `# expect: <id>` on the offending lines."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from shoal import rulebook_build
from shoal.across import tell
from shoal.classify import classify
from shoal.core import check_source, conclude
from shoal.model import Edit, FileResult, Finding, Source, Told
from shoal.rulebook import Rule, Rulebook, from_json
from shoal.settings import Settings
from shoal.text import Lines

RULES = Path(__file__).parents[1] / "rules"
BUILT = rulebook_build.build(RULES)
RULEBOOK = from_json(BUILT, RULES)
NAMES = {
    "yaml": "config.yaml",
    "sql": "job.sql",
    "properties": "client.properties",
    "ini": "client.ini",
    "python": "job.py",
    "java": "Job.java",
    "sh": "run.sh",
    "json": "connector.json",
    "dockerfile": "Dockerfile",
    "txt": "requirements.txt",
    "xml": "pom.xml",
    "toml": "pyproject.toml",
    "conf": "spark-defaults.conf",
    "kotlin": "build.gradle.kts",
    "groovy": "build.gradle",
    "make": "Makefile",
    "hcl": "main.tf",
    "yml": "docker-compose.yml",
}
FENCE = re.compile(r"(?ms)^```(\w+) (bad|good|fixed)((?: \S+=\S+)*)[ \t]*\n(.*?)^```[ \t]*$")
EXPECT = re.compile(r"[ \t]*(?:#|--|//) expect: ([\w-]+(?:, ?[\w-]+)*)[ \t]*$")


class Example(NamedTuple):
    rule: Rule
    verdict: str
    path: str
    text: str
    expected: dict[str, list[int]]
    number: int
    safety: str


def examples(rule: Rule) -> list[Example]:
    page = Path(rule.folder, "rule.md").read_text(encoding="utf-8")
    found = []
    for number, (language, verdict, extra, body) in enumerate(FENCE.findall(page), 1):
        attributes = dict(part.split("=", 1) for part in extra.split())
        expected: dict[str, list[int]] = {}
        lines = []
        for line_number, line in enumerate(body.splitlines(), 1):
            if match := EXPECT.search(line):
                for name in re.split(r", ?", match.group(1)):
                    expected.setdefault(name, []).append(line_number)
                line = line[: match.start()]
            lines.append(line)
        path = attributes.get("path", NAMES[language])
        found.append(Example(rule, verdict, path, "\n".join(lines) + "\n", expected, number, attributes.get("fix", "")))
    return found


def cases(rule: Rule) -> list[Path]:
    """The small projects of a rule about several files."""
    folder = Path(rule.folder, "cases")
    return sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []


CASES = [(rule, case) for rule in RULEBOOK for case in cases(rule)]
ALL = [example for rule in RULEBOOK for example in examples(rule)]


def check(example: Example) -> list[Finding]:
    """Findings of the example's own rule, as a user who runs only that rule sees them."""
    source = Source(example.path, classify(example.path), example.text.encode())
    assert source.kind, f"no reader for {example.path}"
    own, settings = RULEBOOK.only(lambda rule: rule.id == example.rule.id or rule.use == "suppression"), Settings(select=(example.rule.id,))
    if example.rule.use == "suppression":  # judged only where every rule that a comment names was run
        own, settings = RULEBOOK, Settings()
    result = check_source(source, own, settings)
    findings, problems = conclude([result], own, settings, {example.path: example.text})
    assert not problems
    return [finding for finding in findings if finding.rule == example.rule.id]


def apply(text: str, edits: list[Edit]) -> str:
    for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):
        text = text[: edit.span.start] + edit.new_text + text[edit.span.end :]
    return text


def named(example: Example) -> str:
    return f"{example.rule.id}-{example.number}-{example.verdict}"


def test_every_rule_loads() -> None:
    assert BUILT["problems"] == []


@pytest.mark.parametrize("rule", RULEBOOK.rules, ids=lambda rule: rule.id)
def test_page_is_complete(rule: Rule) -> None:
    page = Path(rule.folder, "rule.md").read_text(encoding="utf-8")
    titles = re.findall(r"(?m)^#+ (.+)$", re.sub(r"(?ms)^```.*?^```", "", page))
    assert titles == [rule.id, "What it finds", "Why it hurts", "Bad", "Good", "How to fix", "When to ignore"]
    verdicts = {example.verdict for example in examples(rule)}
    verdicts |= {"good" if case.name.startswith("good-") else "bad" for case in cases(rule)}
    assert {"bad", "good"} <= verdicts
    assert ("fixed" in verdicts) == (rule.fix != "none")


@pytest.mark.parametrize("example", [example for example in ALL if example.verdict == "bad"], ids=named)
def test_bad_example_is_found(example: Example) -> None:
    lines = Lines(example.text)
    found = sorted({lines.line(finding.primary.span.start) for finding in check(example) if finding.status.state == "open"})
    assert found == example.expected.get(example.rule.id), [finding.message for finding in check(example)]


@pytest.mark.parametrize("example", [example for example in ALL if example.verdict in ("good", "fixed")], ids=named)
def test_good_example_is_clean(example: Example) -> None:
    assert [finding.message for finding in check(example) if finding.status.state == "open"] == []


@pytest.mark.parametrize("example", [example for example in ALL if example.verdict == "fixed"], ids=named)
def test_fix_of_bad_example_gives_fixed_one(example: Example) -> None:
    before = next(other for other in reversed(ALL[: ALL.index(example)]) if other.rule is example.rule and other.verdict == "bad")
    edits = [edit for finding in check(before) if finding.fixes for edit in finding.fixes[0].edits]
    assert edits, "no fix is offered"
    assert apply(before.text, list(dict.fromkeys(edits))) == example.text


def looked_at(texts: dict[str, str], rules: Rulebook, settings: Settings) -> list[FileResult]:
    """The files of a project, each looked at again when others say something about it."""
    told: dict[str, Told | None] = dict.fromkeys(texts)
    results: dict[str, FileResult] = {}
    while told:
        for path, what in told.items():
            results[path] = check_source(Source(path, classify(path), texts[path].encode()), rules, settings, what)._replace(told=what)
        told = {path: what for path, what in tell(results, settings).items() if path in texts}
    return list(results.values())


@pytest.mark.parametrize(("rule", "case"), CASES, ids=lambda value: value.name if isinstance(value, Path) else value.id)
def test_case_is_judged_as_marked(rule: Rule, case: Path) -> None:
    """A case is a project: findings of the case's own rule stand on the marked lines, and nowhere in a case that is called good."""
    own = RULEBOOK.only(lambda other: other.id == rule.id)
    settings = Settings(select=(rule.id,))
    texts: dict[str, str] = {}
    expected: list[tuple[str, int]] = []
    # Who compiles the folder of rules leaves bytecode in the cases too.
    for path in sorted(path for path in case.rglob("*") if path.is_file() and path.parent.name != "__pycache__"):
        shown = path.relative_to(case).as_posix()
        lines = []
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if match := EXPECT.search(line):
                assert match.group(1) == rule.id
                expected.append((shown, number))
                line = line[: match.start()]
            lines.append(line)
        texts[shown] = "\n".join(lines) + "\n"
    findings, problems = conclude(looked_at(texts, own, settings), own, settings, texts)
    assert not problems
    found = [
        (finding.primary.path, Lines(texts[finding.primary.path]).line(finding.primary.span.start), finding.message) for finding in findings
    ]
    assert sorted({(path, line) for path, line, _ in found}) == sorted(expected), found
    assert bool(expected) != case.name.startswith("good-")
