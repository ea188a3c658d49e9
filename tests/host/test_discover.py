"""Which files are looked at: ignore files as git reads them, and everything a folder may hold that is no ordinary file."""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from shoal import gitignore
from shoal.classify import by_content, classify
from shoal.discover import Discovery, below, discover, slices, split
from shoal.gitignore import Chain, Ignores
from shoal.globs import matcher
from shoal.settings import Settings
from shoal.snapshot import Snapshot, unreliable
from tests.host.conftest import Shoal, write


def found(root: Path, *paths: str, settings: Settings | None = None, force_exclude: bool = False) -> Discovery:
    return discover([os.path.join(root, path) for path in paths or [""]], str(root), settings or Settings(), force_exclude)


def names(discovery: Discovery) -> list[str]:
    return [item.path for item in discovery.found]


GIT_FILES = [
    "a.yaml",
    "b.yaml",
    "keep/b.yaml",
    "build/x.yaml",
    "src/build/x.yaml",
    "docs/build/x.yaml",
    "logs/deep/er/x.yaml",
    "logs/keep.yaml",
    "sub/only/x.yaml",
    "sub/own.yaml",
    "sub/other.yaml",
    "sp ace/x.yaml",
    "#hash.yaml",
    "!bang.yaml",
    "br[ack]et.yaml",
]
GIT_IGNORES = {
    ".gitignore": "# a comment\n/b.yaml\nbuild/\n!docs/build/\nlogs/*\n!logs/keep.yaml\n\\#hash.yaml\n\\!bang.yaml\nbr\\[ack\\]et.yaml\nsp?ace/\n",
    "sub/.gitignore": "/only/\n*.yaml\n!own.yaml\n",
}


def git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, timeout=30)
    return done.stdout


def test_ignore_files_mean_what_they_mean_to_git(tmp_path: Path) -> None:
    write(tmp_path, {**dict.fromkeys(GIT_FILES, "a: 1"), **GIT_IGNORES})
    git(tmp_path, "init", "-q")
    write(tmp_path, {".git/info/exclude": "a.yaml\n"})
    wanted = git(tmp_path, "ls-files", "-z", "--others", "--exclude-standard").split("\0")
    assert names(found(tmp_path)) == sorted(name for name in wanted if name.endswith(".yaml"))
    assert len(names(found(tmp_path))) < len(GIT_FILES)


@pytest.mark.parametrize("version", ["2", "3", "worktree"])
def test_what_git_tracks_is_not_ignored(tmp_path: Path, version: str) -> None:
    root = tmp_path / "main"
    tracked = ["out/a.yaml", "out/deep/er/b.yaml", "b.yaml", "ü/c.yaml", f"{'long' * 60}/{'er' * 100}/{'path' * 50}/b.yaml"]
    others = ["out/x.yaml", "out/deep/x.yaml", "deep/out/y.yaml", "xb.yaml", "ü/b.yaml", "z/out/a.yaml", "kept.yaml"]
    ignores = {".gitignore": "out/\nb.yaml\nc.yaml\n", "out/deep/.gitignore": "# nothing\n"}
    write(root, {**dict.fromkeys(tracked, "a: 1"), **ignores})
    git(root, "init", "-q")
    git(root, "add", "-f", *tracked)
    if version == "3":
        git(root, "rm", "-q", "--cached", "ü/c.yaml")
        git(root, "add", "-f", "-N", "ü/c.yaml")  # whose entry has further flags
    if version == "worktree":
        git(root, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "all")
        git(root, "worktree", "add", "-q", str(tmp_path / "other"))
        root = tmp_path / "other"
        write(root, ignores)
    write(root, dict.fromkeys(others, "a: 1"))
    wanted = git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    assert names(found(root)) == sorted(name for name in wanted if name.endswith(".yaml"))
    assert names(found(root)) == sorted([*tracked, "kept.yaml", "xb.yaml"])
    assert names(found(root, "out/deep", force_exclude=True)) == ["out/deep/er/b.yaml"]
    assert names(found(root, "out/a.yaml", "out/x.yaml", force_exclude=True)) == ["out/a.yaml"]


def test_outside_a_checkout_nothing_is_ignored(tmp_path: Path) -> None:
    """An unpacked archive holds what was tracked, and does not say what was not."""
    write(tmp_path, {".gitignore": "*.yaml\n", "a.yaml": "", "inner/.git/HEAD": "", "inner/.gitignore": "b.yaml\n"})
    write(tmp_path, {"inner/b.yaml": "", "inner/c.yaml": ""})
    assert names(found(tmp_path)) == ["a.yaml", "inner/c.yaml"]


PIECES = st.sampled_from(["a", "b", "ab", "*", "?", "a*", "*b", "[ab]", "**", "a?b"])
PATTERNS = st.builds(
    lambda bang, slash, pieces, end: f"{bang}{slash}{'/'.join(pieces)}{end}",
    st.sampled_from(["", "", "!"]),
    st.sampled_from(["", "/"]),
    st.lists(PIECES, min_size=1, max_size=3),
    st.sampled_from(["", "/"]),
)
PATHS = st.lists(st.sampled_from(["a", "b", "ab", "aab", "c"]), min_size=1, max_size=4).map("/".join)


@hypothesis_settings(deadline=None, max_examples=300)
@given(st.lists(PATTERNS, min_size=1, max_size=4), PATHS, st.booleans())
def test_asking_for_few_names_only_changes_no_verdict(patterns: list[str], path: str, folder: bool) -> None:
    from pathspec import GitIgnoreSpec

    wanted = GitIgnoreSpec.from_lines(patterns).check_file(f"{path}/" if folder else path).include
    parents = [path[:at] for at, char in enumerate(path) if char == "/"]
    above = [GitIgnoreSpec.from_lines(patterns).check_file(f"{parent}/").include for parent in parents]
    if not any(above):  # a folder that is ignored is never entered
        assert bool(Ignores("\n".join(patterns)).verdict(path, path.rpartition("/")[2], folder)) == bool(wanted)


def test_the_nearest_ignore_file_wins(tmp_path: Path) -> None:
    chain = Chain.top("/r").link("/r", Ignores("*.yaml")).link("/r/sub", Ignores("!x.yaml"))
    assert not chain.ignored("/r/sub/x.yaml", "x.yaml", False)
    assert chain.ignored("/r/sub/y.yaml", "y.yaml", False)


def test_an_ignore_file_that_is_broken_or_endless_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path, {".git/HEAD": "", ".gitignore": b"\xff\xfe[z-a]\n[\n/b.yaml\n!\n\\\n", "a.yaml": "", "b.yaml": "", "sub/c.yaml": ""})
    os.mkfifo(tmp_path / "sub" / ".gitignore")
    assert names(found(tmp_path)) == ["a.yaml", "sub/c.yaml"]


def test_a_folder_asked_for_by_name_is_entered_although_it_is_ignored(tmp_path: Path) -> None:
    write(tmp_path, {".git/HEAD": "", ".gitignore": "out/\n*.tmp.yaml\n", "out/a.yaml": "", "src/b.tmp.yaml": "", "src/c.yaml": ""})
    assert names(found(tmp_path)) == ["src/c.yaml"]
    assert names(found(tmp_path, "out", "src")) == ["out/a.yaml", "src/c.yaml"]
    assert names(found(tmp_path, "src/b.tmp.yaml")) == ["src/b.tmp.yaml"]
    assert names(found(tmp_path, "src/b.tmp.yaml", "out/a.yaml", "src/c.yaml", force_exclude=True)) == ["src/c.yaml"]


@pytest.mark.parametrize("ignores", ["*\n", "build/\n", "build/*\n!build/a/\n", "deep\n", ""])
@pytest.mark.parametrize("start", ["build", ""])
def test_a_walk_in_parts_comes_to_what_a_whole_one_does(tmp_path: Path, ignores: str, start: str) -> None:
    """A folder that is asked for although a checkout around it ignores it, too; and ignore files on the way."""
    files = ("build/a/deep/x.yaml", "build/a/x.yaml", "build/c/d/y.yaml", "build/c/log.yaml", "build/z.yaml", "other/e/x.yaml", "q.yaml")
    write(tmp_path, {**dict.fromkeys(files, "a: 1"), ".gitignore": ignores, "build/c/.gitignore": "log.yaml\n"})
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-f", "build/a/deep/x.yaml")
    path, root = str(tmp_path / start), str(tmp_path)
    first, rest = split(path, root, Settings(), False, 0, 1)
    parts = [first, *(below([folder], path, root, Settings(), False) for folder in rest)]
    assert rest and sorted(name for part in parts for name in names(part)) == names(found(tmp_path, start))


def test_other_peoples_folders_are_left_out_and_said_so(tmp_path: Path) -> None:
    write(tmp_path, {f"{folder}/x.yaml": "" for folder in ("node_modules/a", "vendor", ".venv", "env", "ours")})
    write(
        tmp_path,
        {
            "env/pyvenv.cfg": "",
            ".git/config.yaml": "",
            "__pycache__/x.yaml": "",
            ".ipynb_checkpoints/x.ipynb": "",
            "_freeze/x/html.json": "",
        },
    )
    discovery = found(tmp_path)
    assert names(discovery) == ["ours/x.yaml"]
    assert [(item.path, item.reason) for item in discovery.left_out] == [
        (".venv", "vendored"),
        ("env", "vendored"),
        ("node_modules", "vendored"),
        ("vendor", "vendored"),
    ]


def test_each_file_comes_once_and_in_order(tmp_path: Path) -> None:
    write(tmp_path, dict.fromkeys(["b/x.yaml", "a.yaml", "a/y.yaml", "c.yaml"], ""))
    orders = [("c.yaml", "", "b"), ("b", "b/x.yaml", "", "c.yaml"), ("",)]
    assert {tuple(names(found(tmp_path, *order))) for order in orders} == {("a.yaml", "a/y.yaml", "b/x.yaml", "c.yaml")}


def test_links_are_not_followed_and_said_so(tmp_path: Path) -> None:
    write(tmp_path, {"real/x.yaml": ""})
    (tmp_path / "real" / "loop").symlink_to(tmp_path)
    (tmp_path / "self.yaml").symlink_to("self.yaml")
    (tmp_path / "passwords.yaml").symlink_to("/etc/passwd")
    discovery = found(tmp_path)
    assert names(discovery) == ["real/x.yaml"]
    assert [(item.path, item.reason) for item in discovery.left_out] == [("passwords.yaml", "symlink"), ("self.yaml", "symlink")]


def test_what_is_no_file_is_said_and_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(os.path.relpath(tmp_path / "socket.yaml"))
    write(tmp_path, {"folder.yaml/x.yaml": ""})
    discovery = found(tmp_path)
    listener.close()
    assert names(discovery) == ["folder.yaml/x.yaml"]
    assert [(item.path, item.reason, item.detail) for item in discovery.left_out] == [
        ("pipe.yaml", "not-a-file", "a FIFO"),
        ("socket.yaml", "not-a-file", "a socket"),
    ]
    for name in ("pipe.yaml", "socket.yaml", "gone.yaml", "/dev/null", "no\0name"):
        (problem,) = found(tmp_path, name).problems
        assert problem.kind == "unreadable"


@pytest.mark.parametrize("name", [".gitignore", "conf/.gitignore", ".git/info/exclude"])
def test_an_ignore_file_that_cannot_be_read_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    git(tmp_path, "init", "-q")
    write(tmp_path, {"a.yaml": "", "conf/b.yaml": "", "conf/deep/c.yaml": "", name: "*.yaml\n"})

    def refuse(path: str, *rest: object) -> object:
        if str(path) == str(tmp_path / name):
            raise PermissionError(13, "Permission denied", path)
        return open(path, *rest)  # type: ignore[call-overload]

    monkeypatch.setattr(gitignore, "open", refuse, raising=False)
    discovery = found(tmp_path)
    assert [(problem.path, problem.kind) for problem in discovery.problems] == [(name, "unreadable")]
    assert "give the right to read it" in discovery.problems[0].help
    assert names(discovery) == ["a.yaml", "conf/b.yaml", "conf/deep/c.yaml"]


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("tests/", "a/tests/x.yaml", True),
        ("tests/", "a/tests", True),
        ("tests", "a/mytests/x", False),
        ("*.local.yaml", "a/b/x.local.yaml", True),
        ("conf/*.yaml", "conf/x.yaml", True),
        ("conf/*.yaml", "a/conf/x.yaml", False),
        ("conf/*.yaml", "conf/a/x.yaml", False),
        ("conf/**/x.yaml", "conf/a/b/x.yaml", True),
        ("conf/**/x.yaml", "conf/x.yaml", True),
        ("**/x.yaml", "a/x.yaml", True),
        ("/x.yaml", "a/x.yaml", False),
        ("a[!b]c", "abc", False),
        ("a[!b]c", "axc", True),
        ("a[", "a[", True),
        ("a[z-b]", "a[z-b]", True),
        ("a.c", "abc", False),
        ("./a", "a/x", True),
        (".", "anything/at/all", True),
    ],
)
def test_path_patterns(pattern: str, path: str, matches: bool) -> None:
    assert matcher((pattern,))(path) is matches


@given(st.text(max_size=30), st.text(max_size=30))
def test_no_pattern_is_an_error(pattern: str, path: str) -> None:
    matcher((pattern,))(path)


def test_kinds() -> None:
    kinds = {
        "flink-conf": ["flink-conf.yaml", "conf/flink-conf-prod.yml", "prod_flink-conf.yaml", "flink-conf.yaml.j2", "FLINK-CONF.YAML"],
        "spark-conf": ["spark-defaults.conf", "spark-defaults.conf.template", "my-spark.conf", "spark-env.properties"],
        "dockerfile": [
            "Dockerfile",
            "Dockerfile.prod",
            "jobs.dockerfile",
            "mac-Dockerfile",
            "Containerfile",
            "dockerfile.j2",
            "Dockerfile_flink",
            "Dockerfile-job-1.20",
            "Dockerfile-x.tmpl",
        ],
        "makefile": ["Makefile", "GNUmakefile", "rules.mk", "justfile"],
        "requirements": [
            "requirements.txt",
            "requirements-dev.txt",
            "requirements.in",
            "constraints.txt",
            "dev-requirements.txt",
            "requirements/base.txt",
        ],
        "lock": ["poetry.lock", "uv.lock", "pdm.lock", "pylock.toml", "pylock.dev.toml"],
        "toml": ["pyproject.toml", "Pipfile"],
        "pom": ["pom.xml", "x.pom"],
        "gradle": ["build.gradle", "build.gradle.kts", "libs.versions.toml", "build.sbt"],
        "terraform": ["main.tf"],
        "yaml": ["values.yaml", "a.yml", "values.yaml.tpl", "job.yaml.example.j2"],
        "sql": ["a.sql", "b.hql", "c.fsql"],
        "properties": ["client.properties"],
        "json": ["connector.json"],
        "shell": ["run.sh", "x.bash"],
        "python": ["job.py"],
        "notebook": ["job.ipynb"],
        "": [
            "README.md",
            "yaml",
            ".yaml",
            "x.template",
            "a.toml",
            "properties",
            "data.csv",
            "x.conf",
            "docs/base.txt",
            "requirements/a.md",
        ],
    }
    for kind, paths in kinds.items():
        assert {path: classify(path) for path in paths} == dict.fromkeys(paths, kind)


def test_where_the_times_of_folders_tell_nothing_they_are_listed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of an object store that a program shows as folders."""
    tree = tmp_path / "a tree"
    write(tree, {"near/config.yaml": "a: 1", "bucket/jobs/config.yaml": "a: 1"})
    mounts = tmp_path / "mounts"
    place = str(tree).replace(" ", "\\040")
    mounts.write_text(
        f"22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n90 22 0:51 / {place}/bucket rw shared:7 - fuse.gcsfuse bucket rw,user_id=0\n"
    )
    monkeypatch.setattr("shoal.discover.settling", lambda written, now: False)
    for said, again in (("/nonexistent", []), (str(mounts), ["bucket", "bucket/jobs"])):
        monkeypatch.setattr("shoal.discover.unreliable", lambda said=said: unreliable(said))
        walked = Snapshot()
        for _ in range(2):
            (found,) = slices(str(tree), str(tree), Settings(), False, 1000, lambda path, key: walked)  # noqa: B023 - used here alone
            fresh = Snapshot()
            for folder in found.folders:
                fresh.add(folder)
            walked = walked.with_(fresh, found.standing or ())
        assert sorted(folder.path for folder in found.folders) == again
        assert sorted(walked.folders) == ["", "bucket", "bucket/jobs", "near"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("from setuptools import find_packages, setup\n\nsetup(name='jobs')\n", "requirements"),
        ("try:\n    from setuptools import setup\nexcept ImportError:\n    from distutils.core import setup\nsetup()\n", "requirements"),
        ("import os, setuptools\nsetuptools.setup(name='jobs')\n", "requirements"),
        ("from confluent_kafka.admin import AdminClient\n\n\ndef setup():\n    AdminClient({})\n\n\nsetup()\n", "python"),
        ("import subprocess\n# from setuptools import setup\nsubprocess.run(['docker', 'compose', 'up'])\n", "python"),
        ("import setuptools\n\n\ndef setup():\n    print(setuptools.__version__)\n", "python"),
    ],
)
def test_a_setup_that_packages_nothing_is_a_program(text: str, kind: str) -> None:
    assert by_content("scripts/setup.py", classify("scripts/setup.py"), text.encode()) == kind


def test_a_program_called_setup_is_checked(shoal: Shoal, tmp_path: Path) -> None:
    text = "from confluent_kafka import Producer\n\nproducer = Producer({'bootstrap.servers': 'kafka:9092', 'acks': 'maybe'})\n"
    write(tmp_path, {"setup.py": text})
    assert "invalid-librdkafka-value" in shoal("check", "--format", "json").rules
