"""A rule is not asked about a job that answers like an empty one: that must lose nothing, and spare most of the work."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from shoal import rulebook_build
from shoal.context import Context
from shoal.core import check_source, grouped
from shoal.derive import derive
from shoal.job import Job
from shoal.model import Finding, Source
from shoal.relevance import questions
from shoal.rulebook import Check, Rulebook, built_in_folder, from_json
from shoal.settings import Settings
from tests.test_rule_examples import classify, examples

BUILT = rulebook_build.build(built_in_folder())
RULEBOOK = from_json(BUILT, built_in_folder())
NOTHING = Rulebook((), "")
# Where Python is read LibCST is needed, and a YAML parser where YAML is: not where a wheel is built.
WITHOUT_PARSERS = """
import json, sys
for name in ("libcst", "_ruamel_yaml", "ruamel.yaml.cyaml", "tree_sitter", "tree_sitter_java", "hcl2", "rich", "pathspec"):
    sys.modules[name] = None
from shoal import rulebook_build
from shoal.rulebook import built_in_folder
built = rulebook_build.build(built_in_folder())
print(json.dumps([[rule["id"], rule["asks"] and [built["questions"][number] for number in rule["asks"]]] for rule in built["rules"]]))
"""


def jobs() -> Iterator[Job]:
    """What every fifth rule's examples are about: files by themselves, and the jobs and projects that they make."""
    everything = RULEBOOK.only(lambda rule: rule.use == "suppression" or rule.scope != "file")
    for rule in RULEBOOK.rules[::5]:
        for example in examples(rule):
            source = Source(example.path, classify(example.path), example.text.encode())
            result = check_source(source, everything, Settings())
            yield Job(derive([fact for fact in result.facts if type(fact).__name__ != "Suppression"]), (example.path,))  # type: ignore[arg-type]
            yield from grouped([result], Settings(), None, [])


def test_what_is_spared_would_have_found_nothing() -> None:
    spared = asked = 0
    for job in jobs():
        for rule in RULEBOOK:
            if rule.asks is None or (rule.scope, job.kind) not in (
                ("file", "file"),
                ("job", "job"),
                ("job", "cluster"),
                ("project", "project"),
            ):
                continue
            if job.answers(rule.asks):
                asked += 1
            else:
                spared += 1
                assert list(RULEBOOK.check(rule)(job, Context(rule))) == [], (rule.id, job.paths)
    assert spared > 5 * asked > 1000


def test_of_nearly_all_rules_it_is_known() -> None:
    unknown = [rule.id for rule in RULEBOOK if rule.asks is None and not rule.code and rule.use != "suppression"]
    assert len(unknown) < 0.02 * len(RULEBOOK), unknown


def test_a_wheel_is_built_without_the_parsers() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_PARSERS], capture_output=True, text=True, check=True)
    import json

    here = [[rule["id"], rule["asks"] and [BUILT["questions"][number] for number in rule["asks"]]] for rule in BUILT["rules"]]
    assert json.loads(done.stdout) == json.loads(json.dumps(here))


def asked(check: Check, scope: str = "job") -> tuple[object, ...] | None:
    rule = next(rule for rule in RULEBOOK if rule.scope == scope and not rule.code)
    return questions(rule, check)


def test_each_question_is_noted_once() -> None:
    def check(job: Job, context: Context) -> Iterator[Finding]:
        if job.usages("a") or job.select("flink", forms={"compose", "b"}) or job.usages("a") or job.settings:
            yield context.finding("found", next(iter(job.blocks.values())))

    assert asked(check) == (("usages", "a"), ("select", "flink", [], ["b", "compose"]), ("settings",))


def test_what_differs_by_the_kind_of_job_is_asked_of_each() -> None:
    def check(job: Job, context: Context) -> Iterator[Finding]:
        job.statements("insert" if job.kind == "cluster" else "select")
        return iter(())

    assert asked(check) == (("statements", "select"), ("statements", "insert"))


def of_options(job: Job, context: Context) -> Iterator[Finding]:
    return iter(job.usages("a") if context.options["x"] else ())  # type: ignore[arg-type]


def of_options_by_get(job: Job, context: Context) -> Iterator[Finding]:
    return iter(job.usages("a") if context.options.get("x") else ())  # type: ignore[arg-type]


def of_module(job: Job, context: Context) -> Iterator[Finding]:
    return iter(job.usages("a") if context.module is None else ())  # type: ignore[arg-type]


def always(job: Job, context: Context) -> Iterator[Finding]:
    yield context.finding("found", job)  # type: ignore[arg-type]


def nothing(job: Job, context: Context) -> Iterator[Finding]:
    return iter(())


def of_objects(job: Job, context: Context) -> Iterator[Finding]:
    return iter(job.version("flink", next(iter(job.blocks.values()), object())) and ())  # type: ignore[arg-type]


@pytest.mark.parametrize("check", [of_options, of_options_by_get, of_module, always, nothing, of_objects])
def test_what_hangs_on_anything_else_is_always_asked(check: Check) -> None:
    assert asked(check) is None


def test_rules_of_others_are_not_run_while_they_are_prepared(tmp_path: object) -> None:
    from pathlib import Path

    folder = Path(str(tmp_path), "rules", "flink", "my_rule")
    folder.mkdir(parents=True)
    (folder / "rule.yaml").write_text("id: my-rule\nsummary: A rule of somebody else\nseverity: info\nconfidence: low\nengines: [flink]\n")
    mark = Path(str(tmp_path), "run")
    (folder / "check.py").write_text(f"open({str(mark)!r}, 'w').close()\ndef check(job, context): return job.usages('a')\n")
    built = rulebook_build.build(folder.parents[1])
    assert [rule["asks"] for rule in built["rules"]] == [None]
    assert not mark.exists()
