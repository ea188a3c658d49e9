"""Git repositories read without a checkout: the same findings, nothing run, nothing fetched, everything left out said."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
from pathlib import Path

import pytest

from shoal import git
from tests.host.conftest import BAD, GOOD, ONLY, RULE, Shoal, write


def run(folder: Path, *arguments: str) -> str:
    identity = {
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@example.com",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@example.com",
    }
    settings = ["-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        ["git", *settings, *arguments], cwd=folder, env={**os.environ, **identity}, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def commit(folder: Path, message: str = "change") -> str:
    run(folder, "add", "-A", "-f")
    run(folder, "commit", "-q", "--allow-empty", "-m", message)
    return run(folder, "rev-parse", "HEAD")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository whose first commit, `v1`, has a finding, and whose second has none; `bare.git` beside it is its bare copy."""
    folder = tmp_path / "repo"
    folder.mkdir()
    run(folder, "init", "-q")
    write(folder, {"conf/config.yaml": BAD, "README.md": "flink"})
    commit(folder)
    run(folder, "tag", "v1")
    write(folder, {"conf/config.yaml": GOOD})
    commit(folder)
    run(tmp_path, "clone", "-q", "--bare", "repo", "bare.git")
    return folder


def places(report: dict[str, object]) -> set[tuple[str, str]]:
    return {(place.get("root", ""), place["path"]) for finding in report["findings"] for place in finding["places"]}  # type: ignore[attr-defined]


def test_a_revision_a_bare_repository_and_a_folder_in_one_run(shoal: Shoal, repo: Path) -> None:
    write(repo.parent, {"plain/config.yaml": BAD})
    done = shoal("audit", *ONLY, "--format", "json", "repo@v1", "bare.git@v1", "bare.git", "plain", "repo")
    assert done.code == 1, done.err
    assert places(done.report) == {("repo@v1", "conf/config.yaml"), ("bare.git@v1", "conf/config.yaml"), ("", "plain/config.yaml")}
    assert len({finding["fingerprint"] for finding in done.report["findings"]}) == 3
    assert [root["name"] for root in done.report["roots"]] == ["repo@v1", "bare.git@v1", "bare.git@HEAD"]
    assert done.report["roots"][0]["commit"] == run(repo, "rev-parse", "v1")


def test_a_revision_says_what_its_checkout_says(shoal: Shoal, repo: Path) -> None:
    write(
        repo,
        {
            "vendor/config.yaml": BAD,
            "a/.gitignore": "*.yaml",
            "a/config.yaml": BAD,
            "b/flink-conf.yaml": "taskmanager.numberOfTaskSlots: x\n",
        },
    )
    write(repo, {"job/main.py": "from pyflink.datastream import StreamExecutionEnvironment\n", "shoal.toml": 'exclude = ["b"]\n'})
    commit(repo)
    run(repo, "rm", "-q", "a/.gitignore")  # what is tracked counts, whatever an ignore file says
    seen = [shoal("audit", "--format", "json", *where).report for where in (("repo@HEAD",), ("repo",))]
    for report in seen:
        report.pop("roots", None)
    text = json.dumps(seen[0]).replace('"root": "repo@HEAD", ', "").replace('"path": "', '"path": "repo/')
    assert json.loads(text) == seen[1] | {"left_out": json.loads(text)["left_out"]}
    assert {(item["path"], item["reason"]) for item in seen[0]["left_out"]} == {("vendor", "vendored")}
    assert places(seen[0]) == {("repo@HEAD", "conf/config.yaml"), ("repo@HEAD", "a/config.yaml")} or len(seen[0]["findings"]) > 0


def test_text_shows_the_source_line_and_sarif_the_revision(shoal: Shoal, repo: Path) -> None:
    out = shoal("audit", *ONLY, "repo@v1").out
    assert "--> repo@v1/conf/config.yaml:4:14" in out and "timeout: 1 s # tiny" in out
    document = json.loads(shoal("audit", *ONLY, "bare.git@v1", "--format", "sarif").out)["runs"][0]
    assert document["versionControlProvenance"][0]["revisionId"] == run(repo, "rev-parse", "v1")
    location = document["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert location == {"uri": "conf/config.yaml", "uriBaseId": "SRCROOT"}


def test_settings_and_baseline_come_from_the_revision(shoal: Shoal, repo: Path) -> None:
    write(repo, {"conf/config.yaml": BAD, "shoal.toml": f'select = ["{RULE}"]\nbaseline = "known.json"\n'})
    assert shoal("baseline", "--baseline", "known.json", cwd=repo).code == 0
    commit(repo)
    write(repo, {"shoal.toml": 'nonsense = "in the working tree only"\n'})
    done = shoal("audit", "repo@HEAD", "--format", "json")
    assert done.code == 0 and done.report["summary"]["baselined"] == 1
    run(repo, "rm", "-q", "--cached", "known.json")
    run(repo, "commit", "-q", "-m", "gone")
    assert shoal("audit", "repo@HEAD").code == 2
    commit(repo)
    done = shoal("audit", "repo@HEAD")
    assert done.code == 2 and "nonsense" in done.out and "repo@HEAD/shoal.toml" in done.out


def test_a_folder_of_a_repository_at_a_revision(shoal: Shoal, repo: Path) -> None:
    write(repo, {"team/conf/config.yaml": BAD, "other/config.yaml": BAD})
    commit(repo)
    done = shoal("audit", *ONLY, "repo/team@HEAD", "--format", "json")
    assert places(done.report) == {("repo/team@HEAD", "team/conf/config.yaml")}
    write(repo, {"shoal.toml": "disable = ['checkpoint-timeout-too-short']\n"})
    commit(repo)
    assert not shoal("audit", *ONLY, "repo/team@HEAD", "--format", "json").rules, "settings above the folder hold for it"


def test_what_is_no_ordinary_file_is_said(shoal: Shoal, repo: Path, tmp_path: Path) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 12\n"
    write(repo, {"big.yaml": "# flink\n" * 300_000, "data.json": pointer})
    (repo / "link.yaml").symlink_to("conf/config.yaml")
    (repo / "link.txt").symlink_to("README.md")
    run(repo, "submodule", "add", "-q", str(tmp_path / "bare.git"), "libs/other")
    commit(repo)
    said = {(item["path"], item["reason"]) for item in shoal("audit", "repo@HEAD", "--format", "json").report["left_out"]}
    assert said == {("big.yaml", "too-large"), ("data.json", "lfs-pointer"), ("link.yaml", "symlink"), ("libs/other", "submodule")}
    here = {(item["path"], item["reason"]) for item in shoal("audit", "repo", "--format", "json").report["left_out"]}
    assert ("repo/data.json", "lfs-pointer") in here


def test_objects_that_are_not_there_are_problems_and_are_not_fetched(shoal: Shoal, repo: Path, tmp_path: Path) -> None:
    run(repo, "config", "uploadpack.allowFilter", "true")
    run(tmp_path, "clone", "-q", "--bare", "--filter=blob:none", f"file://{repo}", "partial.git")
    done = shoal("audit", "partial.git", "--format", "json")
    assert done.code == 2
    assert [(problem["path"], problem["root"], problem["kind"]) for problem in done.report["problems"]] == [
        ("conf/config.yaml", "partial.git@HEAD", "unreadable")
    ]
    assert "lacks object" in done.report["problems"][0]["message"]
    run(tmp_path, "clone", "-q", "--bare", "--filter=tree:0", f"file://{repo}", "treeless.git")
    done = shoal("audit", "treeless.git")
    assert done.code == 2 and "treeless.git@HEAD: the repository is a partial clone" in done.out


@pytest.mark.parametrize("what", ["repo@nonsense", "repo@--help", "plain@HEAD", "repo@HEAD:conf", "empty.git"])
def test_no_such_revision_or_repository_is_a_problem(shoal: Shoal, repo: Path, what: str) -> None:
    write(repo.parent, {"plain/config.yaml": GOOD})
    run(repo.parent, "init", "-q", "--bare", "empty.git")
    done = shoal("audit", what, environment={"GIT_CEILING_DIRECTORIES": str(repo.parent)})
    assert done.code == 2 and f"problem[unreadable]: {what}" in done.out and "Traceback" not in done.err


def test_names_with_an_at_sign(shoal: Shoal, repo: Path) -> None:
    repo.rename(repo.parent / "a@b")
    done = shoal("audit", *ONLY, "a@b@HEAD@{0}", "a@b@v1", "--format", "json")
    assert [root["name"] for root in done.report["roots"]] == ["a@b@HEAD@{0}", "a@b@v1"] and len(done.rules) == 1


def test_nothing_that_a_repository_configures_is_run(shoal: Shoal, repo: Path) -> None:
    trap = repo.parent / "trap"
    script = f"touch {trap}; cat"
    for name in (
        "filter.x.smudge",
        "filter.x.clean",
        "diff.x.textconv",
        "core.fsmonitor",
        "core.pager",
        "core.sshCommand",
        "diff.external",
    ):
        run(repo, "config", name, script)
    write(repo, {".gitattributes": "* filter=x diff=x\n"})
    for hook in ("post-checkout", "post-index-change", "reference-transaction"):
        path = repo / ".git" / "hooks" / hook
        path.write_text(f"#!/bin/sh\ntouch {trap}\n")
        path.chmod(0o755)
    assert shoal("audit", *ONLY, "repo@v1").code == 1
    assert not trap.exists()


def test_a_second_run_remembers_by_content(shoal: Shoal, repo: Path) -> None:
    for folder in range(30):
        write(repo, {f"many/{folder}/config.yaml": BAD})
    commit(repo)
    first = shoal("audit", *ONLY, "repo@HEAD", "--format", "json")
    assert len(first.rules) == 30
    assert shoal("audit", *ONLY, "repo@HEAD", "--format", "json").out == first.out
    write(repo, {"many/7/config.yaml": GOOD})
    commit(repo)
    assert len(shoal("audit", *ONLY, "repo@HEAD", "--format", "json").rules) == 29


def test_of_a_commit_that_is_remembered_only_what_differs_is_listed(shoal: Shoal, repo: Path, tmp_path: Path) -> None:
    """The commands that git is given are written down on their way to it."""
    write(repo, {f"many/{folder}/config.yaml": BAD if folder % 2 else "a: 1\n" for folder in range(30)})
    commit(repo)
    log, real = tmp_path / "log", shutil.which("git")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/git").write_text(f'#!/bin/sh\necho "$*" >> "{log}"\nexec "{real}" "$@"\n')
    (tmp_path / "bin/git").chmod(0o755)
    environment = {"PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"}

    def asked() -> list[str]:
        log.write_text("")
        done = shoal("audit", *ONLY, "repo@HEAD", "--format", "json", environment=environment)
        assert done.out == shoal("audit", *ONLY, "repo@HEAD", "--format", "json", "--no-cache").out
        return log.read_text().splitlines()

    def everything(commands: list[str]) -> bool:
        return any("ls-tree -z -l --full-tree" in command and " -r" in command for command in commands)

    assert everything(asked())
    assert not everything(asked()), "the commit is the same"
    write(repo, {"many/8/config.yaml": BAD, "many/8/new/config.yaml": BAD})
    run(repo, "rm", "-q", "many/9/config.yaml")
    commit(repo)
    commands = asked()
    listed = [command for command in commands if "ls-tree" in command]
    assert not everything(commands) and any(command.endswith("-- many/8/new/ many/9/") for command in listed), (
        "many/8 stands, but for a file"
    )


def test_a_tree_gives_paths_and_bytes_and_can_be_sent_to_another_process(repo: Path) -> None:
    tree = git.Tree(str(repo), "v1")
    assert dict(tree.read(lambda path: path.endswith(".yaml"))) == {"conf/config.yaml": BAD.encode()}
    sent = pickle.loads(pickle.dumps(tree))
    assert [path for path, _ in sent.read(lambda path: True)] == ["README.md", "conf/config.yaml"]
    assert list(tree.read(lambda path: True, limit=10)) == [("README.md", b"flink")]
    assert [(item.path, item.reason) for item in tree.left_out] == [("conf/config.yaml", "too-large")]
    tree.close()
    sent.close()


def test_more_files_than_fit_into_a_pipe(repo: Path) -> None:
    expected = {f"{number}.txt": (f"{number}\n" * number).encode() for number in range(700)}
    write(repo, expected)  # type: ignore[arg-type]
    commit(repo)
    tree = git.Tree(str(repo))
    assert dict(tree.read(lambda path: path.endswith(".txt"))) == expected
    tree.close()


def test_who_stops_reading_halfway_leaves_nothing_for_the_next(repo: Path) -> None:
    write(repo, {f"{number:03}.txt": f"{number}" for number in range(300)})
    commit(repo)
    tree = git.Tree(str(repo))
    for _ in zip(tree.read(lambda path: path.endswith(".txt")), range(3), strict=False):
        pass
    assert tree.content("007.txt") == b"7"
    tree.close()


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="children are counted in /proc")
def test_few_repositories_are_held_open(repo: Path, tmp_path: Path) -> None:
    """Each takes a process and two descriptors, and a list names thousands."""
    trees = [git.Tree(str(repo)) for _ in range(100)]
    first = trees[0].read(lambda path: True)
    assert next(first) == ("README.md", b"flink")
    for _ in range(2):
        assert {tree.content("README.md") for tree in trees[1:]} == {b"flink"}
    assert 1 < _waiting(repo) <= 33
    assert [path for path, _ in first] == ["conf/config.yaml"]
    # one that nobody holds any more is closed, too
    del trees, first
    assert _waiting(repo) == 0
    for _ in range(5):
        git.Tree(str(repo)).content("README.md")
    assert _waiting(repo) == 0


def _waiting(repo: Path) -> int:
    """How many git processes of this one wait to be asked for a file of a repository."""
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    commands = [Path("/proc", child, "cmdline").read_bytes() for child in children]
    return sum(b"cat-file" in command and os.fsencode(repo) in command for command in commands)


def test_repositories_side_by_side_are_no_one_project(shoal: Shoal, tmp_path: Path) -> None:
    """The only cluster's config is for the code of a monorepo, and for none of another repository."""
    job = "from pyflink.datastream import StreamExecutionEnvironment\nenv = StreamExecutionEnvironment.get_execution_environment()\nenv.execute()\n"
    write(tmp_path, {"clicks/job.py": job, "platform/conf/flink-conf.yaml": "jobmanager.rpc.address: jobmanager\n"})
    assert "platform/conf/flink-conf.yaml  the nearest config" in shoal("jobs").out
    run(tmp_path / "platform", "init", "-q")
    run(tmp_path / "clicks", "init", "-q")
    assert "the nearest config" not in shoal("jobs").out
    # a submodule is a part of what is around it
    run(tmp_path, "init", "-q")
    assert "platform/conf/flink-conf.yaml  the nearest config" in shoal("jobs").out
