"""The hooks, run by the real pre-commit in a scratch repository."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from shoal.classify import classify
from tests.host.conftest import BAD, GOOD, write

ROOT = Path(__file__).parents[2]
PRE_COMMIT = (sys.executable, "-m", "pre_commit")
HOOKS = YAML(typ="safe").load((ROOT / ".pre-commit-hooks.yaml").read_text())


def test_the_hooks_take_the_files_that_shoal_reads() -> None:
    names = [
        "flink-conf.yaml",
        "flink-conf.yaml.j2",
        "conf/FLINK-CONF.YML",
        "spark-defaults.conf",
        "spark-defaults.conf.template",
        "a/my-spark.conf",
        "Dockerfile",
        "Dockerfile.prod",
        "jobs.dockerfile",
        "mac-Dockerfile",
        "Dockerfile_flink",
        "Dockerfile-job-1.20",
        "Dockerfile-notes.md",
        "Dockerfile_job.rb",
        "Containerfile",
        "Makefile",
        "rules.mk",
        "justfile",
        "requirements.txt",
        "requirements-dev.in",
        "constraints.txt",
        "dev-requirements.txt",
        "requirements/base.txt",
        "app/Requirements/dev.in",
        "requirements/notes.md",
        "old-requirements/base.txt",
        "poetry.lock",
        "uv.lock",
        "pdm.lock",
        "pylock.toml",
        "pyproject.toml",
        "Pipfile",
        "pom.xml",
        "x.pom",
        "build.gradle",
        "build.gradle.kts",
        "libs.versions.toml",
        "build.sbt",
        "main.tf",
        "values.yaml",
        "a.yml",
        "values.yaml.tpl",
        "a.sql",
        "b.hql",
        "c.fsql",
        "d.flinksql",
        "client.properties",
        "spark.properties",
        "connector.json",
        "run.sh",
        "x.bash",
        "x.zsh",
        "x.ksh",
        "job.py",
        "job.ipynb",
        "job.yaml.example.j2",
        "README.md",
        "a.toml",
        "data.csv",
        "x.conf",
        "yaml",
        "Dockerfiles/x",
        "template.tpl",
        "my.lock",
        "x.java",
        "notes.txt",
        "prerequirements.md",
        "nginx.conf",
        "sh",
    ]
    for hook in HOOKS:
        pattern = re.compile(hook["files"])
        assert {name: bool(pattern.search(name)) for name in names} == {name: bool(classify(name)) for name in names}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q")
    return folder


def git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *identity, *arguments], cwd=folder, capture_output=True, text=True, timeout=60)


def hook(repository: Path, name: str, home: Path, *more: str) -> subprocess.CompletedProcess[str]:
    command = [*PRE_COMMIT, "try-repo", str(ROOT), name, "--verbose", *more]
    environment = {**os.environ, "PRE_COMMIT_HOME": str(home), "SHOAL_CACHE_DIR": str(home / "shoal")}
    return subprocess.run(command, cwd=repository, capture_output=True, text=True, timeout=600, env=environment)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pre-commit")


@pytest.mark.slow
def test_a_bad_commit_is_stopped_a_good_one_passes_and_the_fixing_hook_fixes(repository: Path, home: Path) -> None:
    write(repository, {"conf/config.yaml": BAD, "notes.md": "# flink\n", "tests/config.yaml": BAD})
    git(repository, "add", ".")
    bad = hook(repository, "shoal", home)
    assert bad.returncode == 1, bad.stdout + bad.stderr
    assert "error[checkpoint-timeout-too-short]" in bad.stdout and "conf/config.yaml:4:14" in bad.stdout
    assert "tests/config.yaml" not in bad.stdout, "a hint stops no commit"

    durable = "    interval: 60 s\n    dir: s3://bucket/checkpoints\n"
    write(repository, {"conf/config.yaml": GOOD.replace("    interval: 60 s\n", durable), "tests/config.yaml": "a: 1\n"})
    git(repository, "add", ".")
    good = hook(repository, "shoal", home)
    assert good.returncode == 0, good.stdout + good.stderr

    stale = "    timeout: 10 min # shoal: ignore[checkpoint-timeout-too-short] was short once\n"
    fixed = (repository / "conf/config.yaml").read_text().replace("    timeout: 10 min # tiny\n", stale)
    write(repository, {"conf/config.yaml": fixed})
    git(repository, "add", ".")
    fixing = hook(repository, "shoal-fix", home)
    assert fixing.returncode == 1 and "files were modified by this hook" in fixing.stdout, fixing.stdout + fixing.stderr
    assert (repository / "conf/config.yaml").read_text() == fixed.replace(stale, "    timeout: 10 min\n")
    git(repository, "add", ".")
    assert hook(repository, "shoal-fix", home).returncode == 0


@pytest.mark.slow
def test_a_commit_is_stopped_by_the_installed_hook(repository: Path, home: Path) -> None:
    write(repository, {"conf/config.yaml": BAD})
    config = f"repos:\n  - repo: {ROOT}\n    rev: {git(ROOT, 'rev-parse', 'HEAD').stdout.strip()}\n    hooks: [{{id: shoal}}]\n"
    write(repository, {".pre-commit-config.yaml": config})
    environment = {**os.environ, "PRE_COMMIT_HOME": str(home), "SHOAL_CACHE_DIR": str(home / "shoal")}
    subprocess.run([*PRE_COMMIT, "install"], cwd=repository, check=True, capture_output=True, timeout=60, env=environment)
    git(repository, "add", ".")
    stopped = subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-m", "x"],
        cwd=repository,
        capture_output=True,
        text=True,
        timeout=600,
        env=environment,
    )
    assert stopped.returncode == 1 and "checkpoint-timeout-too-short" in stopped.stdout + stopped.stderr
