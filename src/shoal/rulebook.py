"""The rules of a run: prepared data that loads in a few milliseconds, and checks that load when first needed.

`rulebook_build` turns the rule folders into one JSON file: when the wheel is built, or, in a checkout, once after a change.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from shoal.model import Finding, Problem
from shoal.records import NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.context import Context
    from shoal.job import Job

Check = Callable[["Job", "Context"], Iterator[Finding]]
Question = tuple[Any, ...]  # the name of a method or attribute of a job, and the method's arguments: texts, and lists of them


class Rule(NamedTuple):
    """One rule as its rule.yaml describes it. `folder` is where check.py and rule.md stand; `code` rules only look at Python source.

    `detail` is what few rules of a run are asked for, as JSON. `asks`: a job that has no answer to any of these questions holds
    nothing for the rule (`relevance.py`); None where that is not known.
    """

    id: str
    severity: str
    confidence: str
    scope: str
    engines: tuple[str, ...]
    needs: tuple[str, ...]
    use: str
    code: bool
    default: bool
    tags: tuple[str, ...]
    folder: str
    engine_folder: str
    detail: bytes
    asks: tuple[Question, ...] | None = None

    @property
    def summary(self) -> str:
        return str(_read(self.detail)["summary"])

    @property
    def versions(self) -> dict[str, str]:
        return dict(_read(self.detail)["versions"])

    @property
    def incidents(self) -> tuple[str, ...]:
        return tuple(_read(self.detail)["incidents"])

    @property
    def references(self) -> tuple[str, ...]:
        return tuple(_read(self.detail)["references"])

    @property
    def parameters(self) -> dict[str, Any]:
        return _read(self.detail)["with"]  # type: ignore[no-any-return]

    @property
    def options(self) -> dict[str, Any]:
        return _read(self.detail)["options"]  # type: ignore[no-any-return]

    @property
    def fix(self) -> str:
        return str(_read(self.detail)["fix"])


def detail_of(summary: str, parameters: dict[str, Any], fix: str = "none") -> bytes:
    """What `Rule.detail` holds of a rule that no folder describes."""
    given = {"summary": summary, "with": parameters, "options": {}, "fix": fix, "versions": {}, "incidents": [], "references": []}
    return _line(given)


def _line(data: dict[str, Any]) -> bytes:
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False).encode()


@lru_cache(maxsize=2048)
def _read(detail: bytes) -> dict[str, Any]:
    return json.loads(detail)  # type: ignore[no-any-return]


class RuleLoadError(Exception):
    """A rule's check.py or template cannot be loaded."""


class Rulebook:
    """The enabled rules. Picklable: ids and data travel to workers, code is loaded there."""

    def __init__(self, rules: Iterable[Rule], digest: str, problems: tuple[Problem, ...] = (), whole: Rulebook | None = None) -> None:
        """`whole`: the rulebook with all rules that exist, when `rules` are only some of them."""
        self.rules = tuple(rules)
        self.digest = digest
        self.problems = problems
        self.known: frozenset[str] = whole.known if whole else frozenset(rule.id for rule in self.rules)
        self.usual: frozenset[str] = whole.usual if whole else frozenset(rule.id for rule in self.rules if rule.default)
        self.engines = frozenset(engine for rule in self.rules for engine in rule.engines)
        # Whether files matter to one another: to rules over jobs, and to those over a config into which a chart's values are filled.
        self.joins = any(rule.scope != "file" or not (rule.code or rule.use == "suppression") for rule in self.rules)
        self._checks: dict[str, Check] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_checks": {}}

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __len__(self) -> int:
        return len(self.rules)

    def get(self, rule_id: str) -> Rule | None:
        return next((rule for rule in self.rules if rule.id == rule_id), None)

    def only(self, keep: Callable[[Rule], bool]) -> Rulebook:
        return Rulebook((rule for rule in self.rules if keep(rule)), self.digest, self.problems, self)

    def check(self, rule: Rule) -> Check:
        """The rule's check, loaded on first use. Raises RuleLoadError."""
        if rule.id not in self._checks:
            self._checks[rule.id] = _load_check(rule)
        return self._checks[rule.id]


def _load_check(rule: Rule) -> Check:
    try:
        if rule.use:
            return import_module(f"shoal.templates.{rule.use.replace('-', '_')}").check  # type: ignore[no-any-return]
        from importlib.util import module_from_spec, spec_from_file_location

        path = os.path.join(rule.folder, "check.py")
        spec = spec_from_file_location(f"shoal_rule_{rule.id.replace('-', '_')}", path)
        if spec is None or spec.loader is None:
            raise RuleLoadError(f"{path} cannot be loaded")
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.check  # type: ignore[no-any-return]
    except RuleLoadError:
        raise
    except (Exception, SystemExit) as error:
        raise RuleLoadError(f"{type(error).__name__}: {error}") from error


def built_in_folder() -> Path:
    """Where the built-in rules stand: in the wheel, or in the checkout of an editable install."""
    from pathlib import Path  # 3 ms that a run without it saves

    return Path(_built_in())


def built_in(rule: Rule) -> bool:
    """Whether shoal brings the rule, so that its mistakes are ours."""
    return not rule.folder or rule.folder.startswith(_built_in() + os.sep)


def packaged() -> bool:
    """Whether the built-in rules come with an installed package, which does not change without its version changing."""
    return os.path.basename(_built_in()) == "_rules"


def _built_in() -> str:
    here = os.path.dirname(os.path.abspath(__file__))
    packaged = os.path.join(here, "_rules")
    return packaged if os.path.isdir(packaged) else os.path.join(os.path.dirname(os.path.dirname(here)), "rules")


def load(folder: str = "") -> Rulebook:
    """The rulebook of a folder of rules (the built-in ones), rebuilt when a rule in it is newer than the prepared file.

    Those of the wheel are prepared with it.
    """
    folder = folder or _built_in()
    prepared = os.path.join(folder, "rulebook.json")
    if not (folder == _built_in() and os.path.isfile(prepared)):
        from pathlib import Path

        from shoal import rulebook_build

        try:
            prepared = str(rulebook_build.refresh(Path(folder)))
        except OSError:  # nowhere to keep it
            return from_json(rulebook_build.build(Path(folder)), folder)
    with open(prepared, "rb") as file:
        return _book(file.read(), folder)


def from_json(data: dict[str, Any], folder: str | Path) -> Rulebook:
    """The rulebook that `rulebook_build.build` gives."""
    return _book(written(data), folder)


# What of a rule every run asks for, in the order of `Rule`.
_ROW = ("id", "severity", "confidence", "scope", "engines", "needs", "use", "code", "default", "tags", "folder", "asks")
_DETAIL = ("summary", "with", "options", "fix", "versions", "incidents", "references")


def written(data: dict[str, Any]) -> bytes:
    """The prepared file of what `rulebook_build.build` gives: a line with all that every run needs, and a line for each rule with the rest."""
    rules = data["rules"]
    head = _line({**data, "rules": [[rule[name] for name in _ROW] for rule in rules]})
    return b"\n".join((head, *(_line({name: rule[name] for name in _DETAIL}) for rule in rules)))


def _book(data: bytes, folder: str | Path) -> Rulebook:
    head, *details = data.split(b"\n")
    known = json.loads(head)
    asked = [_question(question) for question in known["questions"]]
    rules = []
    for row, detail in zip(known["rules"], details, strict=True):
        id, severity, confidence, scope, engines, needs, use, code, default, tags, place, asks = row
        rules.append(
            Rule(
                id,
                severity,
                confidence,
                scope,
                tuple(engines),
                tuple(needs),
                use,
                code,
                default,
                tuple(tags),
                f"{folder}/{place}",
                place.partition("/")[0],
                detail,
                None if asks is None else tuple([asked[number] for number in asks]),
            )
        )
    return Rulebook(rules, known["digest"], tuple(Problem(*problem) for problem in known["problems"]))


def _question(question: list[Any]) -> Question:
    return tuple(tuple(part) if isinstance(part, list) else part for part in question)
