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
