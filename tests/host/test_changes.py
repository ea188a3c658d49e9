"""`--changed-since`: what a change may have caused is reported, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.host.conftest import BAD, GOOD, ONLY, RULE, Ran, Shoal, write
from tests.host.test_git import commit, run

JOB = """\
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.enable_checkpointing(60000)
env.execute()
"""
OVERRIDE = "code-overrides-configuration"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """On `main`: two files with a finding each. On `work`, checked out: nothing yet."""
    folder = tmp_path / "repo"
    folder.mkdir()
    run(folder, "init", "-q")
    write(folder, {"a/config.yaml": BAD, "b/config.yaml": BAD})
    commit(folder)
    run(folder, "branch", "-M", "main")
    run(folder, "checkout", "-q", "-b", "work")
    return folder


def paths(ran: Ran) -> list[str]:
    assert ran.code in (0, 1), ran.err
    return sorted(finding["places"][0]["path"] for finding in ran.report["findings"])


def test_committed_staged_edited_and_untracked_files(shoal: Shoal, repo: Path) -> None:
    asked = ("check", *ONLY, "--changed-since", "main", "--format", "json")
    assert paths(shoal(*asked, cwd=repo)) == []
    write(repo, {"committed/config.yaml": BAD})
    commit(repo)
    write(repo, {"staged/config.yaml": BAD, "untracked/config.yaml": BAD, "ignored/config.yaml": BAD, ".gitignore": "ignored/\n"})
    run(repo, "add", "staged")
    write(repo, {"a/config.yaml": BAD + "# edited\n"})
    assert paths(shoal(*asked, cwd=repo)) == [
        "a/config.yaml",
        "committed/config.yaml",
        "staged/config.yaml",
        "untracked/config.yaml",
    ]
    assert paths(shoal("audit", *asked[1:], cwd=repo)) == paths(shoal(*asked, cwd=repo))
    assert paths(shoal(*asked, "a", cwd=repo)) == ["a/config.yaml"]
    out = shoal("check", *ONLY, "--changed-since", "main", cwd=repo).out
    assert "only what 5 changed files can have caused" in out


def test_what_others_did_meanwhile_is_not_ours(shoal: Shoal, repo: Path) -> None:
    run(repo, "checkout", "-q", "main")
    write(repo, {"b/config.yaml": BAD + "# by somebody else\n"})
    commit(repo)
    run(repo, "checkout", "-q", "work")
    write(repo, {"a/config.yaml": BAD + "# by us\n"})
    commit(repo)
    assert paths(shoal("check", *ONLY, "--changed-since", "main", "--format", "json", cwd=repo)) == ["a/config.yaml"]
    assert paths(shoal("audit", *ONLY, "--changed-since", "main", "--format", "json", "@work", cwd=repo)) == ["a/config.yaml"]


def test_a_finding_about_a_job_counts_when_another_of_its_files_changed(shoal: Shoal, repo: Path) -> None:
    """The place of the finding is the conf, which has not changed; the code that makes it wrong has."""
    write(
        repo,
        {
            "job/conf/flink-conf.yaml": "execution.checkpointing.interval: 30 s\n",
            "job/pyproject.toml": "",
            "job/main.py": JOB.replace("6", "3"),
        },
    )
    write(
        repo, {"other/conf/flink-conf.yaml": "execution.checkpointing.interval: 30 s\n", "other/pyproject.toml": "", "other/main.py": JOB}
    )
    commit(repo)
    run(repo, "branch", "-f", "main")
    write(repo, {"job/main.py": JOB})
    done = shoal("check", "--select", "all", "--changed-since", "main", "--format", "json", cwd=repo)
    found = {finding["rule"]: {place["path"] for place in finding["places"]} for finding in done.report["findings"]}
    assert OVERRIDE in found and all(path.startswith("job/") for places in found.values() for path in places)


def test_a_finding_about_a_job_counts_when_a_file_of_it_is_gone_or_says_nothing_any_more(shoal: Shoal, repo: Path) -> None:
    conf = "high-availability.type: kubernetes\nhigh-availability.storageDir: s3://ha/\nexecution.checkpointing.interval: 1 min\nexecution.checkpointing.dir: s3://c/\n"
    compose = "services:\n  jobmanager:\n    image: flink:1.20\n    command: jobmanager\n  taskmanager:\n    image: flink:1.20\n    command: taskmanager\n"
    write(
        repo,
        {"job/compose.yaml": compose, "job/conf/config.yaml": conf, "job/pyproject.toml": "[project]\nname = 'x'\n", "job/main.py": JOB},
    )
    commit(repo)
    run(repo, "branch", "-f", "main")
    asked = ("check", "--changed-since", "main", "--format", "json")
    assert paths(shoal(*asked, cwd=repo)) == []
    full = {finding["fingerprint"] for finding in shoal("check", "--format", "json", "job", cwd=repo).report["findings"]}
    for change in (lambda: (repo / "job/conf/config.yaml").unlink(), lambda: write(repo, {"job/conf/config.yaml": "a: 1\n"})):
        change()
        after = {finding["fingerprint"] for finding in shoal("check", "--format", "json", "job", cwd=repo).report["findings"]}
        said = {finding["fingerprint"] for finding in shoal(*asked, "job", cwd=repo).report["findings"]}
        assert after - full and after - full <= said


def test_problems_of_files_that_have_not_changed_are_not_ours(shoal: Shoal, repo: Path) -> None:
    write(repo, {"broken/config.yaml": "execution: [\n  checkpointing\n"})
    commit(repo)
    run(repo, "branch", "-f", "main")
    assert shoal("check", "--changed-since", "main", cwd=repo).code == 0
    write(repo, {"broken/config.yaml": "execution: {\n  checkpointing\n"})
    assert shoal("check", "--changed-since", "main", cwd=repo).code == 2


def test_a_project_that_is_a_folder_of_the_repository(shoal: Shoal, repo: Path) -> None:
    write(repo, {"b/shoal.toml": f'select = ["{RULE}"]\n', "b/config.yaml": BAD + "# edited\n", "a/config.yaml": BAD + "# edited\n"})
    assert paths(shoal("check", "--changed-since", "main", "--format", "json", cwd=repo / "b")) == ["config.yaml"]


def test_a_bare_repository(shoal: Shoal, repo: Path) -> None:
    write(repo, {"a/config.yaml": BAD + "# edited\n", "b/config.yaml": GOOD})
    commit(repo)
    run(repo.parent, "clone", "-q", "--bare", "repo", "bare.git")
    assert paths(shoal("audit", *ONLY, "--changed-since", "main", "--format", "json", "bare.git@work")) == ["a/config.yaml"]


ASKED = ("check", "--changed-since", "main", "--format", "json")
SETTINGS = "shoal.toml"


def keep(repo: Path) -> None:
    """Commit what is there, as what `main` is."""
    commit(repo)
    run(repo, "branch", "-f", "main")


def test_a_change_of_the_settings_may_have_caused_any_finding(shoal: Shoal, repo: Path) -> None:
    both = ["a/config.yaml", "b/config.yaml"]
    write(repo, {SETTINGS: f'select = ["{RULE}"]\nfail-on = ["error"]\n'})
    assert paths(shoal(*ASKED, cwd=repo)) == both  # there were none
    assert (
        "the settings have changed (shoal.toml), which can have caused all of it" in shoal("check", "--changed-since", "main", cwd=repo).out
    )
    keep(repo)
    assert paths(shoal(*ASKED, cwd=repo)) == []
    write(repo, {SETTINGS: f'# why\nfail-on = ["never"]\nselect = ["{RULE}"]\ntimeout = 20\n'})  # nothing that findings depend on
    assert paths(shoal(*ASKED, cwd=repo)) == []
    write(repo, {SETTINGS: f'select = ["{RULE}"]\n[rules.{RULE}]\nseverity = "warning"\n'})
    assert paths(shoal(*ASKED, cwd=repo)) == both
    commit(repo)
    assert paths(shoal("audit", *ASKED[1:], "@work", cwd=repo)) == both
    (repo / SETTINGS).unlink()
    commit(repo)
    assert paths(shoal(*ASKED, *ONLY, cwd=repo)) == paths(shoal("audit", *ASKED[1:], *ONLY, "@work", cwd=repo)) == both
    write(repo, {SETTINGS: f'select = ["{RULE}"]\n'})
    assert paths(shoal(*ASKED, cwd=repo)) == []


def test_settings_in_pyproject_and_those_that_they_extend(shoal: Shoal, repo: Path) -> None:
    pyproject = f"[project]\nname = 'x'\nversion = '1'\n[tool.shoal]\nselect = ['{RULE}']\nextend = 'ours/common.toml'\n"
    write(repo, {"pyproject.toml": pyproject, "ours/common.toml": "", "broken/config.yaml": "execution: [\n  checkpointing\n"})
    keep(repo)
    write(repo, {"pyproject.toml": pyproject.replace("'1'", "'2'")})
    assert paths(shoal(*ASKED, cwd=repo)) == []
    write(repo, {"ours/common.toml": "[kinds]\n'*.cfg' = 'properties'\n"})
    done = shoal(*ASKED, cwd=repo)
    assert len(done.report["findings"]) == 2 and done.code == 2 and len(done.report["problems"]) == 1


def test_settings_that_are_named_on_the_command_line(shoal: Shoal, repo: Path) -> None:
    write(repo, {"ours/lint.toml": f'select = ["{RULE}"]\n'})
    keep(repo)
    asked = (*ASKED, "--config", "ours/lint.toml")
    write(repo, {"a/config.yaml": BAD + "# edited\n", SETTINGS: 'ignore = ["all"]\n'})  # which is not read
    assert paths(shoal(*asked, cwd=repo)) == ["a/config.yaml"]
    write(repo, {"ours/lint.toml": f'select = ["{RULE}"]\nconfidence = "medium"\n'})
    assert paths(shoal(*asked, cwd=repo)) == ["a/config.yaml", "b/config.yaml"]


def test_a_finding_that_left_the_baseline_counts_and_one_that_came_into_it_does_not(shoal: Shoal, repo: Path) -> None:
    write(repo, {SETTINGS: f'select = ["{RULE}"]\nbaseline = "known.json"\n', "c/config.yaml": BAD, "d/config.yaml": BAD})
    shoal("baseline", "a", "b", cwd=repo)
    keep(repo)
    assert paths(shoal(*ASKED, cwd=repo)) == []
    (repo / "known.json").unlink()
    shoal("baseline", "b", "c", cwd=repo)
    assert paths(shoal(*ASKED, cwd=repo)) == ["a/config.yaml"]
    commit(repo)
    assert paths(shoal("audit", *ASKED[1:], "@work", cwd=repo)) == ["a/config.yaml"]


def test_findings_of_a_rule_that_changed_count(shoal: Shoal, repo: Path) -> None:
    """The project's own rules stand in the repository: one that changes may find something in any file."""
    yaml = (
        "id: {0}\nsummary: Parallelism above what our cluster has\nseverity: error\nconfidence: high\nengines: [flink]\n"
        "use: setting-forbidden\nwith:\n  engine: flink\n  keys: [execution.checkpointing.timeout]\n  message: we never set it\n"
    )
    write(
        repo,
        {
            SETTINGS: 'rule-paths = ["lint"]\nselect = ["our-first", "our-second"]\n',
            "lint/own/our_first/rule.yaml": yaml.format("our-first"),
            "lint/own/our_second/rule.yaml": yaml.format("our-second"),
            "b/config.yaml": "a: 1\n",
        },
    )
    keep(repo)
    assert [shoal(*ASKED, cwd=repo).rules, sorted(shoal("check", "--format", "json", cwd=repo).rules)] == [[], ["our-first", "our-second"]]
    write(repo, {"lint/own/our_first/rule.yaml": yaml.format("our-first").replace("never", "seldom")})
    assert shoal(*ASKED, cwd=repo).rules == ["our-first"]
    write(repo, {"lint/own/our_third/rule.yaml": yaml.format("our-third").split("use:")[0], "lint/own/our_third/check.py": ""})
    keep(repo)
    done = shoal(*ASKED, cwd=repo)
    assert done.code == 2 and [problem["kind"] for problem in done.report["problems"]] == ["rule-failed-to-load"]  # no matter since when


def test_no_filter_that_a_repository_configures_is_run(shoal: Shoal, repo: Path) -> None:
    trap = repo.parent / "trap"
    write(repo, {".gitattributes": "* filter=x diff=x\n"})
    commit(repo)
    for name in ("filter.x.smudge", "filter.x.clean", "filter.x.process", "diff.x.textconv", "core.fsmonitor", "diff.external"):
        run(repo, "config", name, f"touch {trap}; cat")
    write(repo, {"a/config.yaml": BAD.replace("tiny", "TINY")})
    assert paths(shoal("check", *ONLY, "--changed-since", "main", "--format", "json", cwd=repo)) == ["a/config.yaml"]
    assert not trap.exists()


@pytest.mark.parametrize("revision", ["nonsense", "--help", "HEAD:a"])
def test_an_unknown_revision_or_no_repository_is_a_usage_error(shoal: Shoal, repo: Path, revision: str) -> None:
    done = shoal("check", f"--changed-since={revision}", cwd=repo)
    assert done.code == 2 and "--changed-since" in done.err and "Traceback" not in done.err and not done.out
    write(repo.parent, {"plain/config.yaml": BAD})
    done = shoal("check", "--changed-since", "main", cwd=repo.parent / "plain", environment={"GIT_CEILING_DIRECTORIES": str(repo.parent)})
    assert done.code == 2 and "not a git repository" in done.err
