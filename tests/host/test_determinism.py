"""The same bytes give the same report: whatever the number of workers, the order of the arguments, and what is remembered."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice, pairwise, product
from pathlib import Path

import pytest

from shoal import rulebooks
from shoal.cache import key_of
from shoal.cli import main
from shoal.files import read_bytes
from shoal.settings import Settings
from tests.host.conftest import BAD, GOOD, RULE, Shoal, with_rulebook, write

FILES: dict[str, str | bytes] = {
    **{f"team{n % 7}/job{n}/conf/config.yaml": BAD if n % 3 else GOOD for n in range(120)},
    **{f"team{n % 7}/job{n}/client.properties": f"bootstrap.servers=kafka:9092\nacks=0\nretries={n}\n" for n in range(60)},
    **{
        f"team{n % 7}/job{n}/job.sql": "SET 'execution.checkpointing.timeout' = '5 s'; -- shoal: ignore[checkpoint-timeout-too-short] x\n"
        for n in range(60)
    },
    **{f"other/{n}.yaml": f"a: {n}\n" for n in range(200)},
    "broken/config.yaml": "flink: [\n",
    "link/README": "",
}


COMPOSE = """\
services:
  jobmanager:
    image: flink:1.18
    command: jobmanager
    environment:
      FLINK_PROPERTIES: |
        execution.checkpointing.timeout: 5 s
  taskmanager:
    image: flink:1.18
    command: taskmanager
"""


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True, timeout=30)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    write(tmp_path, FILES)
    return tmp_path


def test_workers(shoal: Shoal, tree: Path) -> None:
    outputs = {shoal("check", "--format", "json", "--no-cache", "-j", str(count)).out for count in (1, 2, 5)}
    assert len(outputs) == 1 and len(outputs.pop()) > 10_000


TWO_CONSUMERS = """\
import asyncio

from aiokafka import AIOKafkaConsumer


async def consume(consumer, pool):
    batch = []
    async for message in consumer:
        batch.append(message.value)
        if len(batch) >= 500:
            rows = batch.copy()
            batch.clear()
            await pool.executemany("INSERT INTO prices VALUES ($1)", rows)


async def main(pool):
    temperatures = AIOKafkaConsumer("temperatures", bootstrap_servers="broker:9092", group_id="temperatures")
    prices = AIOKafkaConsumer("prices", bootstrap_servers="broker:9092", group_id="prices")
    await temperatures.start()
    await prices.start()
    await asyncio.gather(consume(temperatures, pool), consume(prices, pool))
"""


def test_one_place_for_two_reasons(tmp_path: Path) -> None:
    write(tmp_path, {"ingest.py": TWO_CONSUMERS})
    outputs = set()
    for seed in range(6):  # texts are hashed anew in each process
        command = [sys.executable, "-m", "shoal", "check", "--no-cache", "--format", "json", "."]
        environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
        outputs.add(subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60, check=False).stdout)
    (output,) = outputs
    findings = [finding for finding in json.loads(output)["findings"] if finding["rule"] == "consumer-commits-before-processing"]
    assert [[place["start"]["line"] for place in finding["places"][:2]] for finding in findings] == [[9, 17]]


def test_few_files_here_and_many_in_workers(shoal: Shoal, tree: Path) -> None:
    report = shoal("check", "--format", "json", "--no-cache").report
    one = "team1/job1"
    alone = shoal("check", "--format", "json", "--no-cache", one).report
    assert alone["findings"] == [finding for finding in report["findings"] if finding["places"][0]["path"].startswith(one + "/")]


def test_a_part_is_checked_as_in_the_whole(shoal: Shoal, tmp_path: Path) -> None:
    """A file's job is read too: what its config says counts, though only the script was asked for."""
    sql = "CREATE TABLE s (a STRING) WITH ('connector' = 'filesystem', 'path' = '/x', 'format' = 'json');\nINSERT INTO s SELECT a FROM t;\n"
    write(
        tmp_path, {"job/docker-compose.yml": COMPOSE, "job/sql/job.sql": sql, "job/broken.yaml": "flink: [\n", "job/conf/config.yaml": BAD}
    )
    whole = shoal("check", "--format", "json").report
    assert whole["summary"]["problems"] == 1
    for name in ("job/sql/job.sql", "job/docker-compose.yml", "job/conf"):
        part = shoal("check", "--format", "json", name).report
        assert part["findings"] == [
            finding
            for finding in whole["findings"]
            if any(place["path"].startswith(name) for place in finding["places"] if place["role"] != "covers")
        ]
        assert part["problems"] == [] and part["summary"]["files"] == 1
    piped = shoal("check", "--format", "json", "--stdin-filename", "job/sql/job.sql", stdin=sql.encode()).report
    assert piped["findings"] == shoal("check", "--format", "json", "job/sql/job.sql").report["findings"]


def test_order_of_arguments(shoal: Shoal, tree: Path) -> None:
    names = sorted(os.listdir(tree))
    outputs = set()
    for seed in range(3):
        random.Random(seed).shuffle(names)
        outputs.add(shoal("check", "--format", "json", "--no-cache", *names).out)
    assert outputs == {shoal("check", "--format", "json", "--no-cache").out}


def test_cache(shoal: Shoal, tree: Path) -> None:
    fresh = shoal("check", "--format", "json", "--no-cache").out
    assert [shoal("check", "--format", "json").out for _ in range(3)] == [fresh] * 3
    changed = tree / "team1/job1/conf/config.yaml"
    info = changed.stat()
    changed.write_text(changed.read_text().replace("1 s", "2 s"))  # as long as before
    os.utime(changed, ns=(info.st_atime_ns, info.st_mtime_ns))
    again = shoal("check", "--format", "json").out
    assert again != fresh and again == shoal("check", "--format", "json", "--no-cache").out
    changed.unlink()
    assert shoal("check", "--format", "json").out == shoal("check", "--format", "json", "--no-cache").out


def test_a_cache_for_other_settings_is_not_used(shoal: Shoal, tree: Path) -> None:
    shoal("check", "--format", "json")
    write(tree, {"shoal.toml": 'severity = "error"\n[rules.checkpoint-timeout-too-short]\nwarn-below = "20 min"\nerror-below = "15 min"\n'})
    done = shoal("check", "--format", "json", "--select", "checkpoint-timeout-too-short")
    assert done.out == shoal("check", "--format", "json", "--select", "checkpoint-timeout-too-short", "--no-cache").out
    assert len(done.rules) == 120


def test_a_cache_that_is_broken_is_not_used(tree: Path, tmp_path_factory: pytest.TempPathFactory, shoal: Shoal) -> None:
    cache = tmp_path_factory.mktemp("own")
    environment = {"SHOAL_CACHE_DIR": str(cache)}
    fresh = shoal("check", "--format", "json", environment=environment).out
    (file,) = cache.glob("results-*.lines")
    good = file.read_bytes()
    head, _, lines = good.partition(b"\n")
    for bad in (
        b"",
        b"[",
        head,
        head.replace(b"[", b"[1,", 1) + lines,
        good[: len(good) // 2],
        good.replace(b"\t", b"\t\t"),
        good.replace(b"\t", b" "),
        good.replace(b'{"', b'{"x":1,"'),
        good.replace(b":[[", b":[7,["),
    ):
        file.write_bytes(bad)
        assert bad != good and shoal("check", "--format", "json", environment=environment).out == fresh
    (walk,) = cache.glob("folders-*")
    good = walk.read_bytes()
    head, _, columns = good.partition(b"\n")
    for bad in (
        b"",
        b"[",
        head,
        head.replace(b"[2,", b"[1,", 1) + b"\n" + columns,
        good[:-1],
        good[: len(good) // 2],
        good[:-9] + b"\0" * 9,
    ):
        walk.write_bytes(bad)
        assert bad != good and shoal("check", "--format", "json", environment=environment).out == fresh
    (tree / "alone").mkdir()
    write(tree / "alone", {"shoal.toml": "", "config.yaml": BAD})  # a project of one folder
    alone = [shoal("check", "--format", "json", cwd=tree / "alone", environment=environment).out for _ in range(3)]
    assert len(set(alone)) == 1 and RULE in alone[0]
    shutil.rmtree(tree / "alone")
    # of what each says alone nothing is believed
    for lost in (file, walk):
        lost.unlink()
        assert shoal("check", "--format", "json", environment=environment).out == fresh
    assert not list(tree.rglob("*shoal*"))


def test_a_cache_folder_that_cannot_be_written_is_no_harm(shoal: Shoal, tree: Path) -> None:
    assert shoal("check", "--format", "json", environment={"SHOAL_CACHE_DIR": "/dev/null/x"}).report["findings"]


def test_what_is_remembered_goes_after_a_month_and_where_there_is_too_much_of_it(
    shoal: Shoal, tree: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    cache = tmp_path_factory.mktemp("remembered")
    place = {"SHOAL_CACHE_DIR": str(cache)}
    ids = [rule.id for rule in rulebooks.load(Settings()).rules[:9]]

    def kept(kind: str) -> list[Path]:
        return sorted(cache.rglob(f"{kind}-*"))

    assert shoal("check", "--select", ids[0], environment=place).code != 1
    (first,) = kept("results")
    old = first.with_name("results-0123456789abcdef-0123456789abcdef.lines")
    old.write_bytes(first.read_bytes())
    os.utime(old, (0, 0))
    # a project is seen under other rules for the first time: what is older than a month goes
    assert shoal("check", "--select", ids[1], environment=place).code != 1
    assert not old.exists() and first.exists()
    for rule in ids[2:]:
        assert shoal("check", "--select", rule, environment=place).code != 1
    assert len(kept("results")) == 6 and not first.exists()


def test_what_is_remembered_of_folders_changes_nothing(shoal: Shoal, tree: Path) -> None:
    """After each change a run that remembers says what one that does not says: of ignored, vendored and excluded folders, too."""
    write(tree, {"team1/vendor/config.yaml": BAD, "team2/node_modules/x/config.yaml": BAD, "team3/only/dirs/deep/config.yaml": BAD})
    git(tree, "init", "-q")
    ways: dict[str, dict[str, str | bytes]] = {
        "nothing": {},
        "a folder is ignored": {"team2/.gitignore": "job2/\n"},
        "ignored from above": {".gitignore": "deep/\nconf\n"},
        "taken back": {".gitignore": "*.log\n", "team2/.gitignore": "\n"},
        "a virtual environment": {"team4/pyvenv.cfg": "home = /usr\n"},
        "a repository of its own": {"team5/.git/config": "", ".gitignore": "conf\n"},
        "a folder more": {"team6/.gitignore": "client.properties", "team6/new/vendor/a.yaml": BAD, "team6/new/conf/config.yaml": BAD},
        "excluded": {"shoal.toml": "exclude = ['team1/job1/**', 'team3/only/**']\n"},
        "included": {"shoal.toml": "include = ['team1/vendor/**']\n"},
    }
    reports = []
    for way, files in ways.items():
        write(tree, files)
        reports.append(shoal("audit", "--format", "json").out)
        assert reports[-1] == shoal("audit", "--format", "json", "--no-cache").out, way
    # ignored from above, and now tracked, by name or below a folder, and not any more
    for command, tracked in product(("add -f", "rm -q --cached"), ("team6/new/conf/config.yaml", "team6/job6/client.properties")):
        git(tree, *command.split(), tracked)
        reports.append(shoal("audit", "--format", "json").out)
        assert reports[-1] == shoal("audit", "--format", "json").out == shoal("audit", "--format", "json", "--no-cache").out
    assert all(before != after for before, after in pairwise(reports))


def _mutations(tree: Path, chance: random.Random) -> Iterator[Callable[[], object]]:
    """What people and tools do to a tree, one after the other."""
    while True:
        files = sorted(path for path in tree.rglob("*.yaml") if path.is_file() and not path.is_symlink())
        folders = sorted(path for path in tree.rglob("*") if path.is_dir() and not path.is_symlink() and ".git" not in path.parts)
        file, folder, other = chance.choice(files), chance.choice(folders), chance.choice(folders)
        number = chance.randrange(100)
        said = chance.choice((BAD, GOOD, BAD.replace("1 s", "2 s"), "a: 1\n", "broken: [\n", "# flink\n" * 2))
        yield chance.choice(
            (
                partial(file.write_text, said),
                partial(write, folder, {f"new{number}.yaml": said}),
                partial(write, folder, {f"deep{number}/conf/config.yaml": said, f"deep{number}/readme.txt": "x"}),
                partial(file.unlink),
                partial(shutil.rmtree, folder),
                partial(folder.rename, tree / f"moved{number}"),
                partial(_swap, folder, tree / f"aside{number}"),
                partial(write, folder, {".gitignore": chance.choice(("conf/\n", "*.yaml\n!new*.yaml\n", "\n", "deep*\n"))}),
                partial((folder / ".gitignore").unlink, missing_ok=True),
                partial(write, folder, {"pyvenv.cfg": "home = /usr\n"}),
                partial((folder / "pyvenv.cfg").unlink, missing_ok=True),
                partial(git, folder, "init", "-q"),
                partial(shutil.rmtree, folder / ".git", ignore_errors=True),
                partial(git, tree, "add", "-f", str(file)),
                partial(git, tree, "rm", "-q", "--cached", str(file)),
                partial(write, tree, {"team1/large.yaml": said + "# " + "x" * chance.choice((10, 3_000))}),
                partial(write, tree, {"team1/large.yaml": said + "# " + "x" * chance.choice((10, 3_000))}),
                partial(git, tree, *chance.choice((("add", "-f"), ("rm", "-rq", "--cached"))), "build/keep/config.yaml"),
                partial(write, tree, {"vendor/x/config.yaml": said}),
                partial(shutil.copytree, folder, tree / f"copy{number}", dirs_exist_ok=folder.parent != tree / f"copy{number}"),
            )
            if folder != other
            else (partial(file.rename, other / "renamed.yaml"), partial(folder.chmod, 0o755))
        )


def _done(mutations: Iterator[Callable[[], object]], chance: random.Random) -> list[object]:
    """One to three of them, done one after the other, as far as they can be."""
    done = list[object]()
    for mutation in islice(mutations, chance.choice((1, 1, 2, 3))):
        with contextlib.suppress(OSError, shutil.Error, subprocess.CalledProcessError):
            mutation()
        done.append(mutation)
    return done


def _swap(folder: Path, aside: Path) -> None:
    """Put a link in the place of a folder, to where this stands now."""
    folder.rename(aside)
    folder.symlink_to(aside)


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """What an audit with these arguments ends with and prints."""
    return lambda *arguments: (main(["audit", "--format", "json", *arguments]), capsys.readouterr().out)


@pytest.fixture
def times_tell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if each run were much later than what was done before it, so that a file's times tell."""
    monkeypatch.setenv("SHOAL_CACHE_DIR", str(with_rulebook(tmp_path / "cache")))
    for place in ("shoal.discover.settling", "shoal.cache.settling"):
        monkeypatch.setattr(place, lambda written, now: False)


@pytest.mark.usefixtures("times_tell")
def test_a_walk_that_begins_at_a_link_sees_what_comes_and_goes(tmp_path: Path, said: Callable[..., tuple[int, str]]) -> None:
    inside, link, project = tmp_path / "project" / "team0", tmp_path / "link", tmp_path / "project"
    write(project, {"shoal.toml": "", "team1/job/config.yaml": BAD})
    link.symlink_to(project)
    inside.symlink_to(project / "team1")
    for place in map(str, (link, inside)):
        reports = [said(place)]
        write(project, {"team1/more/config.yaml": BAD, "more/config.yaml": BAD})
        reports.append(said(place))
        assert reports[0] != reports[1] == said("--no-cache", place)
        shutil.rmtree(project / "more")
        shutil.rmtree(project / "team1" / "more")
        assert said(place) == reports[0]


@pytest.mark.usefixtures("times_tell")
def test_a_file_that_was_written_and_is_ignored_by_now(tmp_path: Path, said: Callable[..., tuple[int, str]]) -> None:
    project = tmp_path / "project"
    write(project, {"team1/job/config.yaml": BAD, "team2/job/config.yaml": BAD, ".gitignore": "x\n"})
    git(project, "init", "-q")
    before = said(str(project))
    write(project, {"team1/job/config.yaml": BAD + "# again\n", ".gitignore": "team1/\n"})
    assert before != said(str(project)) == said("--no-cache", str(project))


@pytest.mark.usefixtures("times_tell")
@pytest.mark.parametrize("seed", range(5))
def test_a_remembered_walk_finds_what_a_new_one_does(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: Callable[..., tuple[int, str]]
) -> None:
    """Whatever happens to a tree between two runs, of the whole or of a part."""
    tree = tmp_path / "tree"
    write(tree, {f"team{team}/job{job}/conf/config.yaml": BAD if job else "a: 1\n" for team in range(3) for job in range(3)})
    write(tree, {"shoal.toml": "max-file-size = 2_000\ninclude = ['build/keep/deep/**']\n", ".gitignore": "build/\n"})
    write(tree, {f"build/{name}config.yaml": BAD for name in ("", "keep/", "keep/deep/", "other/")} | {"team1/.gitignore": "*.log\n"})
    git(tree, "init", "-q")
    git(tree, "add", ".")
    monkeypatch.chdir(tree)

    chance = random.Random(seed)
    mutations = _mutations(tree, chance)
    for _ in range(40):
        done = _done(mutations, chance)
        part = [str(tree / "team0")] if chance.random() < 0.3 and (tree / "team0").is_dir() else []
        assert said(*part) == said("--no-cache", *part), done


@pytest.mark.parametrize("seed", range(3))
def test_a_remembered_commit_gives_what_a_new_listing_does(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: Callable[..., tuple[int, str]]
) -> None:
    """Whatever is committed between two runs, and whichever commit is read."""
    tree = tmp_path / "tree"
    write(tree, {f"team{team}/job{job}/conf/config.yaml": BAD if job else "a: 1\n" for team in range(3) for job in range(3)})
    write(tree, {"shoal.toml": "max-file-size = 2_000\n", "vendor/x/y/config.yaml": BAD, "venv/pyvenv.cfg": "", "venv/a/config.yaml": BAD})
    (tree / "link.yaml").symlink_to("team1/job1/conf/config.yaml")
    git(tree, "init", "-q")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHOAL_CACHE_DIR", str(with_rulebook(tmp_path / "cache")))

    chance = random.Random(seed)
    mutations = _mutations(tree, chance)
    for _ in range(30):
        done = _done(mutations, chance)
        with contextlib.suppress(OSError):
            if chance.random() < 0.1:
                write(tree, {"shoal.toml": f"max-file-size = 2_000\nexclude = ['team{chance.randrange(3)}/job1']\n"})
            elif chance.random() < 0.3:
                shutil.rmtree(chance.choice((tree / "vendor" / "x", tree / "venv")))
        with contextlib.suppress(subprocess.CalledProcessError):
            git(tree, "add", "-A", "-f")
            git(
                tree,
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@example.com",
                "commit",
                "-q",
                "--allow-empty",
                "-m",
                "change",
                *(("--amend",) if chance.random() < 0.2 else ()),
            )
        if chance.random() < 0.1:  # what was amended is gone, and with it perhaps what is remembered
            git(tree, "-c", "gc.reflogExpireUnreachable=now", "gc", "-q", "--prune=now")
        target = chance.choice(("tree@HEAD", "tree@HEAD", "tree/.git", "tree@HEAD~1", "tree/team1@HEAD"))
        assert said(target) == said("--no-cache", target), done


def test_what_another_parser_said_is_not_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings()
    rulebook = rulebooks.load(settings)
    (tmp_path / "libcst").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    keys = set()
    for version in ("1.8.0", "1.9.0"):
        (tmp_path / f"libcst-{version}.dist-info").mkdir()
        keys.add(key_of(rulebook, settings))
        (tmp_path / f"libcst-{version}.dist-info").rmdir()
    assert len(keys) == 2


def test_a_file_that_cannot_be_parsed_is_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "tree", {"conf/config.yaml": BAD, "broken/config.yaml": BAD + "a: [\n"})
    monkeypatch.chdir(tmp_path / "tree")
    monkeypatch.setenv("SHOAL_CACHE_DIR", str(with_rulebook(tmp_path / "cache")))
    read: list[str] = []

    def reading(path: str, limit: int) -> bytes:
        read.append(path)
        return read_bytes(path, limit)

    monkeypatch.setattr("shoal.host.read_bytes", reading)
    said = []
    for _ in range(3):  # the first run may come too shortly after the files to be sure of them
        before = len(read)
        assert main(["audit", "--format", "json"]) == 2
        said.append(capsys.readouterr().out)
    assert "unparsable" in said[0] and len(set(said)) == 1
    assert not [path for path in read[before:] if "broken" in path] and [path for path in read if "broken" in path]


def test_the_order_of_sets_is_another_one_in_each_process(tmp_path: Path) -> None:
    """Every bad example of the rules about code, with three seeds of Python's hashes, and a job with many operators of which one is named."""
    operators = "".join(
        f"        orders.keyBy(Order::shop).{name}(f).print();\n" for name in ("reduce", "process", "apply", "aggregate", "sum")
    )
    environment = "StreamExecutionEnvironment"
    write(
        tmp_path,
        {
            "Job.java": f"import org.apache.flink.streaming.api.environment.{environment};\n\npublic class Job {{\n"
            f"    public static void main(String[] args) {{\n        {environment} env = {environment}.getExecutionEnvironment();\n"
            f"        env.enableCheckpointing(60_000);\n{operators}        env.execute();\n    }}\n}}\n"
        },
    )
    for page in sorted((Path(__file__).parents[2] / "rules").glob("*/*/rule.md")):
        for number, block in enumerate(re.finditer(r"(?ms)^```(python|java) bad[^\n]*\n(.*?)^```", page.read_text(encoding="utf-8"))):
            write(tmp_path, {f"{page.parent.name}{number}/{'Job.java' if block[1] == 'java' else 'job.py'}": block[2]})
    command = [sys.executable, "-P", "-m", "shoal", "check", "--no-cache", "--format", "json", "."]
    outputs = set()
    for seed in ("1", "2", "3"):
        seeded = {**os.environ, "PYTHONHASHSEED": seed}
        outputs.add(subprocess.run(command, cwd=tmp_path, env=seeded, capture_output=True, check=False, timeout=300).stdout)
    assert len(outputs) == 1 and len(outputs.pop()) > 100_000
