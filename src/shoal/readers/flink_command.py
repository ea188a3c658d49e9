"""Flink's commands: `flink run`, sessions, the SQL client, and servers that take `-Dkey=value`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shoal.lazy import pattern
from shoal.model import Span
from shoal.readers.beam_command import read_beam
from shoal.readers.command_words import Word, add_pair, add_setting, hides_options
from shoal.readers.shell_flow import Launch

if TYPE_CHECKING:
    from shoal.facts import Block
    from shoal.readers import Reading

# Long names of the Flink CLI's options; the number says how many values follow.
_OPTIONS = {
    "-c": ("--class", 1),
    "-C": ("--classpath", 1),
    "-d": ("--detached", 0),
    "-n": ("--allowNonRestoredState", 0),
    "-p": ("--parallelism", 1),
    "-s": ("--fromSavepoint", 1),
    "-rm": ("--restoreMode", 1),
    "-cm": ("--claimMode", 1),
    "-j": ("--jarfile", 1),
    "-py": ("--python", 1),
    "-pyfs": ("--pyFiles", 1),
    "-pym": ("--pyModule", 1),
    "-pyreq": ("--pyRequirements", 1),
    "-pyarch": ("--pyArchives", 1),
    "-pyexec": ("--pyExecutable", 1),
    "-pyclientexec": ("--pyClientExecutable", 1),
    "-pypath": ("--pyPythonPath", 1),
    "-t": ("--target", 1),
    "-e": ("--executor", 1),
    "-m": ("--jobmanager", 1),
    "-z": ("--zookeeperNamespace", 1),
    "-q": ("--sysoutLogging", 0),
    "-sae": ("--shutdownOnAttachedExit", 0),
    "-yjm": ("--yarnjobManagerMemory", 1),
    "-ytm": ("--yarntaskManagerMemory", 1),
    "-ys": ("--yarnslots", 1),
    "-ynm": ("--yarnname", 1),
    "-yqu": ("--yarnqueue", 1),
    "-yid": ("--yarnapplicationId", 1),
    "-yt": ("--yarnship", 1),
    "-yat": ("--yarnapplicationType", 1),
    "-yd": ("--yarndetached", 0),
}
_LONG = {**dict(_OPTIONS.values()), "--job-classname": 1, "--job-id": 1, "--jars": 1, "--host": 1}
ACTIONS = frozenset({"run", "run-application", "info", "savepoint", "stop", "cancel"})
SESSIONS = frozenset(
    {"flink-cdc.sh", "flink-yarn-session", "yarn-session.sh", "kubernetes-session.sh", "yarn-session", "kubernetes-session"}
)
SQL_CLIENTS = frozenset({"sql-client.sh", "sql-client", "sql-gateway.sh"})
SERVERS = frozenset({"standalone-job.sh", "jobmanager.sh", "taskmanager.sh", "start-cluster.sh", "kubernetes-jobmanager.sh"})
BARE_SERVERS = frozenset({"standalone-job", "jobmanager", "taskmanager"})
# Servers that hand no arguments to a program. They stop reading at the first word that is no option of theirs (Flink 1.20 and 2.0).
_OPTIONS_ALONE = frozenset({"jobmanager.sh", "taskmanager.sh", "jobmanager", "taskmanager"})
# In how a word is written: a savepoint, a variable that may hold options, one that holds the program, a job that ends by itself.
_FROM = pattern(r"savepoint|state-recovery|restore|recover", re.IGNORECASE)
# What a checkpoint or savepoint of Flink's making is named as.
_TAKEN = pattern(r"\S*/(?:chk-\d+|savepoint-[0-9a-f]{6}-[0-9a-f]{12})(?:/_metadata|/)?")
_STEERS = pattern(r"opt|arg|sav|state|flag|extra|param", re.IGNORECASE)
_PROGRAM = pattern(r"jar|job|app|program|script|py|artifact|main", re.IGNORECASE)
# In the address or the body of a request that starts a job.
ALLOWS = pattern(r"allowNonRestoredState[\"']?\s*[:=]\s*[\"']?true\b", re.IGNORECASE)
# With these the client does not wait for the job, or nothing says that it does.
_GOES_ON = pattern(r"-d|-yd|--(?:yarn)?detached|(?:-D)?execution\.attached=.*|-h|--help|\$.*|.*-application")
_BATCH = pattern(r"runtime-?mode[=. ]*batch", re.IGNORECASE)


def read_flink(program: str, words: list[Word], first: Word, last: Word, out: Reading, parent: Block | None, inside: bool = False) -> None:
    """A Flink command's options; `first` and `last` are the words that name the program, `inside` says that it runs in a container that is there already."""
    place = _around(first.span, last.span)
    if program in ("flink cancel", "flink stop"):
        _read_end(program, words, place, out)
    # without options a server command says nothing
    options = any(word.value.startswith("-") for word in words)
    if not options and program in SERVERS | BARE_SERVERS | SQL_CLIENTS | SESSIONS:
        return
    if program in ("flink savepoint", "flink stop", "flink cancel") and not any(word.value.startswith("-D") for word in words):
        return
    hidden = hides_options(words)
    traits = (("program", program), *((("inside", "container"),) if inside else ()))
    block = out.block("flink", "command", "command", place, parent=parent, traits=traits, open=hidden)
    short = program.startswith("flink ") or program in SERVERS | BARE_SERVERS
    index = 0
    python = entry_class = None
    jar: Word | None = None
    rest: list[Word] = []
    while index < len(words):
        word = words[index]
        value = word.value
        following = words[index + 1] if index + 1 < len(words) else None
        if value in ("-D", "-yD") and following is not None:
            add_pair(out, block, following)
            index += 2
            continue
        if value.startswith(("-D", "-yD")):
            add_pair(out, block, word.part(value.index("D") + 1))
            index += 1
            continue
        head = value.split("=", 1)[0]
        long, count = _OPTIONS.get(value, ("", 0)) if short else ("", 0)
        written = head if head.startswith("--") or not short else f"-{head}"  # `-claimMode`, as Flink's own pages have it
        if not long and written in _LONG:
            long, count = written, _LONG[written]
        if long:
            equals = value.find("=")
            if equals > 0 and value.startswith("--"):
                argument: Word | None = word.part(equals + 1)
                index += 1
            else:
                argument = following if count else None
                index += 2 if count and following is not None else 1
            key = Word(long, word.text if equals < 0 else word.text.slice(0, equals))
            if argument is not None:
                add_setting(out, block, key, argument)
            else:
                add_setting(out, block, key, key, flag=True)
            if long in ("--python", "--pyModule"):
                python = argument
            elif long in ("--class", "--job-classname"):
                entry_class = argument
            elif long == "--jarfile":
                jar = argument
            continue
        if program in SQL_CLIENTS and value in ("-f", "--file", "-i", "--init") and following is not None:
            out.entry("sql", following.value, (), following.span, block)
            index += 2
            continue
        if program in _OPTIONS_ALONE and value.startswith("--") and "." in value and is_flink_pair(value[2:]):
            out.oddity("option-without-d", value[2:].partition("=")[0], word.span, block=block)
        if value.startswith("-") or not program.startswith("flink "):
            if python is not None and value.startswith("--"):
                rest = words[index:]  # the program's own options
                break
            index += 1
            continue
        if python is None and jar is None:
            jar = word
            index += 1
        rest = words[index:]
        break
    _entry(out, block, python, jar, entry_class, rest)
    if program in ("flink run", "flink run-application"):
        started = entry_class or python or jar
        waits = program == "flink run" and not any(_GOES_ON.fullmatch(word.value) for word in words[: len(words) - len(rest)])
        _read_start(words, jar, rest, place, out, started.value if waits and started is not None else "")
    before = ""
    for word in rest:
        # `-Dkey=value`, `-D key=value`, and the same of YARN's command line
        pair = word if before in ("-D", "-yD") else word.part(word.value.index("D") + 1) if word.value.startswith(("-D", "-yD")) else None
        if pair is not None and "=" in pair.value and is_flink_pair(pair.value):
            out.oddity("option-after-program", pair.value.split("=")[0], word.span, "handed to the program, not to Flink", block)
        elif before in ("-s", "--fromSavepoint") and program.startswith("flink run") and _TAKEN.fullmatch(word.value):
            out.oddity("option-after-program", before, word.span, "handed to the program, not to Flink", block)
        before = word.value
    read_beam(rest, out, block, "python" if python is not None else "java")


_SKIPS = "SKIP_RESTORE_FROM_SNAPSHOT"


def read_request(words: list[Word], out: Reading, parent: Block | None) -> None:
    """A request to Flink's REST API or to Amazon's service that starts a job whatever becomes of its state."""
    for index, word in enumerate(words):
        # what a variable of the script holds comes as several words
        held = f"{word.value} {words[index + 1].value}" if index + 1 < len(words) else word.value
        if (found := ALLOWS.search(held)) and found.start() < len(word.value):
            key = word.part(found.start(), min(found.end(), len(word.value)))
            block = out.block("flink", "command", "command", key.span, parent=parent, open=True)
            add_setting(out, block, Word("--allowNonRestoredState", key.text), key, flag=True)
            return
        if (at := word.value.find(_SKIPS)) >= 0:
            value = word.part(at, at + len(_SKIPS))
            block = out.block("flink", "command", "command", value.span, parent=parent, open=True)
            add_setting(out, block, Word("ApplicationRestoreConfiguration.ApplicationRestoreType", value.text), value)
            return


_OF_JOB = pattern(r"/jobs/[^/?\s]+(?:/(stop|savepoints))?/?(?:\?[^\s]*)?[\"']?$")
# A savepoint that a request starts from; one that is null or empty is none.
_TAKES_UP = pattern(r'savepointPath(?!\\?["\']?\s*:\s*(?:null\b|(?:\\?"){2}))')
_OF_JAR = pattern(r"/jars/[^/?\s]+/run/?(\?[^\s]*)?[\"']?$")
_BODY = pattern(r"-d|--data(?:-raw|-binary|-ascii)?|--json")


def read_rest(words: list[Word], out: Reading) -> None:
    """A request to Flink's REST API that ends a job, or starts one from a jar that was uploaded."""
    written = [_raw(word, out) for word in words]
    bodies = " ".join(written[at + 1] for at, word in enumerate(words[:-1]) if _BODY.fullmatch(word.value))
    patch = any(
        word.value == "-XPATCH" or (word.value == "PATCH" and words[at - 1].value in ("-X", "--request"))
        for at, word in enumerate(words)
        if at or word.value == "-XPATCH"
    )
    for word, raw in zip(words, written, strict=True):
        if (job := _OF_JOB.search(raw)) is not None and (patch or (job.group(1) and bodies)):
            saves = job.group(1) == "stop" or (job.group(1) == "savepoints" and "cancel-job" in bodies)
            if patch or saves:
                out.launches.append(Launch("cancel" if patch else "stop", word.span))
            return
        if (jar := _OF_JAR.search(raw)) is not None:
            given = f"{jar.group(1) or ''} {bodies}"
            hidden = bodies.strip("\"' ").startswith(("$", "@")) or "$" in (jar.group(1) or "")
            kind = "restore" if _TAKES_UP.search(given) else "unknown" if hidden else "run"
            out.launches.append(Launch(kind, word.span))
            return


def _read_end(program: str, words: list[Word], place: Span, out: Reading) -> None:
    """`flink cancel` or `flink stop`: what becomes of the job's state."""
    written = [_raw(word, out) for word in words]
    if any(word in ("-h", "--help") for word in written):
        return
    if program == "flink cancel" and any("$" in word and _STEERS.search(word) for word in written):
        return
    saves = program == "flink stop" or any(word in ("-s", "--withSavepoint") or word.startswith("--withSavepoint=") for word in written)
    out.launches.append(Launch("stop" if saves else "cancel", place))


def _read_start(words: list[Word], jar: Word | None, rest: list[Word], place: Span, out: Reading, runs: str) -> None:
    """`flink run`: whether it takes up another job's state; `runs` is what it starts and waits for."""
    own, written = words[: len(words) - len(rest)], [_raw(word, out) for word in words]
    named = "" if jar is None else _raw(jar, out)
    if any(word.value == "-s" or word.value.startswith("--fromSavepoint") for word in own) or any(_FROM.search(word) for word in written):
        kind = "restore"
    elif any(word.value in ("-h", "--help") or _BATCH.search(word.value) for word in words):
        return
    elif any(":+" in word or ("$" in word and _STEERS.search(word)) for word in written[: len(own)]):
        kind = "unknown"
    elif "$" in named and (not _PROGRAM.search(named) or any(word.value.endswith((".jar", ".py")) for word in rest)):
        kind = "unknown"  # a variable where the program may stand, or options
    else:
        kind = "run"
    out.launches.append(Launch(kind, place, runs))


def _raw(word: Word, out: Reading) -> str:
    return out.raw[word.span.start : word.span.end]


def _entry(out: Reading, block: Block, python: Word | None, jar: Word | None, entry_class: Word | None, rest: list[Word]) -> None:
    args = tuple(word.value for word in rest)
    target, kind = (python, "python") if python is not None else (jar, "jar") if jar is not None else (entry_class, "class")
    if target is not None:
        if kind == "jar" and target.value.endswith(".py"):
            kind = "python"
        out.entry(kind, target.value, args, target.span, block)
        if kind == "jar" and entry_class is not None:
            out.entry("class", entry_class.value, args, entry_class.span, block)


def is_flink_pair(pair: str) -> bool:
    """Whether `k=v` has a key that looks like one of Flink's."""
    from shoal.readers.sql_statements import is_flink_key

    return is_flink_key(pair.split("=", 1)[0])


def _around(first: Span, last: Span) -> Span:
    return Span(min(first.start, last.start), max(first.end, last.end))
