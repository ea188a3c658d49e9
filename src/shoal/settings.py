"""What a run is asked to do: `[tool.shoal]` in pyproject.toml or `shoal.toml`, and what the command line adds.

`settings_file` finds, reads and validates the file; this module is the plain data and the questions put to it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from shoal.classify import classify
from shoal.globs import matcher
from shoal.model import CONFIDENCES, SEVERITIES, Finding
from shoal.readers import READERS
from shoal.records import NamedTuple
from shoal.rulebook import Rule

MAX_FILE_SIZE = 2_000_000
SECONDS_PER_FILE = 30.0
# Tests, their resources, benchmarks, and the programs that a documentation shows: what stands there is short-lived by intent, so nothing found in it is more than a hint.
TEST_PATHS = (
    "test/",
    "tests/",
    "testing/",
    "testdata/",
    "test-data/",
    "test_data/",
    "test-resources/",
    "fixtures/",
    "__fixtures__/",
    "__tests__/",
    "e2e/",
    "e2e-test/",
    "e2e-tests/",
    "e2e_test/",
    "e2e_tests/",
    "integ/",
    "integration-test/",
    "integration-tests/",
    "integration_test/",
    "integration_tests/",
    "benchmark/",
    "benchmarks/",
    "docs_src/",
    "conftest.py",
    "test_*.py",
    "*_test.py",
    "*Test.java",
    "*Tests.java",
    "*IT.java",
)


class Override(NamedTuple):
    """Settings for some paths. `select` and `ignore` come after the general ones; later overrides win over earlier ones."""

    paths: tuple[str, ...]
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: str = ""
    confidence: str = ""
    rules: dict[str, dict[str, Any]] = {}  # noqa: RUF012 - never changed


class Settings(NamedTuple):
    """What a run was asked to do. Picklable.

    `select`, `extend_select` and `ignore` hold rule ids, globs over ids (`kafka-*`), `engine:<name>`, `tag:<name>` or `all`.
    `rules` maps a rule id to its options (and `severity`). `kinds` are pairs of glob and kind that come before the classifier.
    Path patterns count from the project's root. `jobs` are the declared jobs, as in the file.
    `assume` is an engine and the version that is judged instead of the one in use (`shoal upgrade`); no file sets it.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    severity: str = "info"
    confidence: str = "low"
    exclude: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    max_file_size: int = MAX_FILE_SIZE
    timeout: float = SECONDS_PER_FILE
    baseline: str = ""
    fail_on: str = ""
    rule_paths: tuple[str, ...] = ()
    rule_packages: tuple[str, ...] = ()
    test_paths: tuple[str, ...] = TEST_PATHS
    kinds: tuple[tuple[str, str], ...] = ()
    rules: dict[str, dict[str, Any]] = {}  # noqa: RUF012 - never changed
    overrides: tuple[Override, ...] = ()
    jobs: tuple[dict[str, Any], ...] = ()
    assume: tuple[str, str] | tuple[()] = ()

    def kind(self, path: str) -> str:
        """The kind of file a path is, as the settings or else its name say."""
        for pattern, kind in self.kinds:
            if matcher((pattern,))(path):
                return kind
        kind = classify(path)
        return kind if kind in READERS else ""

    def enabled(self, rule: Rule, path: str) -> bool:
        """Whether a rule is to run for a path."""
        on = self._chosen(rule)
        for override in self.overrides:
            if (override.select or override.ignore) and matcher(override.paths)(path):
                on = (on or means(override.select, rule)) and not means(override.ignore, rule)
        return on

    def ever_enabled(self, rule: Rule) -> bool:
        """Whether a rule may run for some path."""
        return self._chosen(rule) or any(means(override.select, rule) for override in self.overrides)

    def _chosen(self, rule: Rule) -> bool:
        if self.ignore and means(self.ignore, rule):
            return False
        if self.select:
            return means(self.select, rule) or means(self.extend_select, rule)
        return rule.default or means(self.extend_select, rule)

    def options(self, rule_id: str, path: str) -> dict[str, Any]:
        """The user's options for a rule at a path."""
        found = dict(self.rules.get(rule_id, {}))
        for override in self.overrides:
            if rule_id in override.rules and matcher(override.paths)(path):
                found |= override.rules[rule_id]
        found.pop("severity", None)
        return found

    def adjust(self, finding: Finding) -> Finding:
        """The finding with the user's severity for its rule and path; in test resources, and by what they say alone, with low confidence."""
        path = finding.primary.path
        severity = self.rules.get(finding.rule, {}).get("severity", finding.severity)
        for override in self.overrides:
            if finding.rule in override.rules and matcher(override.paths)(path):
                severity = override.rules[finding.rule].get("severity", severity)
        is_test = matcher(self.test_paths)
        elsewhere = [place.path for place in finding.places if place.role == "related" and place.path != path]
        by_tests = is_test(path) or (bool(elsewhere) and all(map(is_test, elsewhere)))
        confidence = "low" if by_tests else finding.confidence
        if (severity, confidence) == (finding.severity, finding.confidence):
            return finding
        return finding._replace(severity=severity, confidence=confidence)

    def reports(self, finding: Finding) -> bool:
        """Whether a finding is at or above the wanted severity and confidence."""
        severity, confidence = self.severity, self.confidence
        for override in self.overrides:
            if (override.severity or override.confidence) and matcher(override.paths)(finding.primary.path):
                severity, confidence = override.severity or severity, override.confidence or confidence
        return SEVERITIES.index(finding.severity) >= SEVERITIES.index(severity) and CONFIDENCES.index(
            finding.confidence
        ) >= CONFIDENCES.index(confidence)


def means(names: tuple[str, ...], rule: Rule) -> bool:
    """Whether one of the names (see `Settings`) means this rule."""
    return bool(names) and _means(names, rule.id, rule.engines, rule.tags)


@lru_cache(maxsize=4096)
def _means(names: tuple[str, ...], rule_id: str, engines: tuple[str, ...], tags: tuple[str, ...]) -> bool:
    for name in names:
        if name in (rule_id, "all"):
            return True
        what, _, value = name.partition(":")
        if (what == "engine" and value in engines) or (what == "tag" and value in tags):
            return True
        if ("*" in name or "?" in name) and matcher((name,))(rule_id):
            return True
    return False
