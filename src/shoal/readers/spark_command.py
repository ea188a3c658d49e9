"""`spark-submit` and its kin: `--conf`, `--packages`, what is run."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING

from shoal.facts import Setting, Usage
from shoal.lazy import pattern
from shoal.readers.beam_command import read_beam
from shoal.readers.command_words import Word, add_pair, add_setting, hides_options
from shoal.text import MASK

if TYPE_CHECKING:
    from shoal.facts import Block
    from shoal.readers import Reading
    from shoal.text import Text

PROGRAMS = frozenset({"spark-submit", "pyspark", "spark-shell", "spark-sql", "spark-submit.sh", "spark3-submit", "spark2-submit"})
_FLAGS = frozenset({"--verbose", "-v", "--supervise", "--help", "-h", "--usage-error", "--version", "--load-spark-defaults", "-S"})
_SHORT = {"-c": "--conf", "-f": "--file", "-e": "--query", "-i": "--init"}


def read_spark(
    program: str,
    words: list[Word],
    place: Text,
    out: Reading,
    parent: Block | None,
    inside: bool = False,
    block: Block | None = None,
    where: str = "",
) -> None:
    """A submit command's options up to what it runs; `place` is what introduces the block, `inside` says that it runs in a container that is there already.

    `where` is the word that names the program: with a folder it is one of a Spark that was unpacked there, but for what pip has put into an environment.

    They are `block`'s where there is one: the session that a program starts with them.
    """
    if not any(word.value.startswith("-") or word.value.endswith((".py", ".jar", ".sql")) for word in words):
        return
    span = place.span(0, len(place.text))
    hidden = hides_options(words)
    hidden = hidden or any(word.value.startswith("--properties-file") for word in words)
    inside_of = "container" if inside else "folder" if "/" in where and "venv" not in where else ""
    traits = (("program", program), *((("inside", inside_of),) if inside_of else ()))
    block = block or out.block("spark", "submit", "command", span, parent=parent, traits=traits, open=hidden)
    index = 0
    while index < len(words):
        word = words[index]
        value = word.value
        following = words[index + 1] if index + 1 < len(words) else None
        if value.startswith("-") and len(value) > 1:
            equals = value.find("=")
            if equals > 0 and value.startswith("--"):
                name, argument = value[:equals], word.part(equals + 1)
                key = Word(name, word.text.slice(0, word.text.text.find("=")))
                index += 1
            elif value in _FLAGS or following is None:
                add_setting(out, block, word, word, flag=True)
                index += 1
                continue
            else:
                name, argument, key = _SHORT.get(value, value), following, word._replace(value=_SHORT.get(value, value))
                index += 2
            _option(out, block, name, key, argument)
            listed = name == "--packages" or argument.value.startswith("spark.jars.packages=")
            if listed and argument.value.endswith(",") and index < len(words) and _COORDINATES.fullmatch(words[index].value):
                out.oddity("package-list-cut-short", words[index].value.rstrip(","), words[index].span, argument.value, block)
            continue
        if program != "spark-sql":
            kind = "python" if value.endswith(".py") else "jar" if value.endswith(".jar") else ""
            rest = words[index + 1 :]
            unknown = not kind and (value.startswith("$") or MASK in value)
            if unknown and _names_program(words, index + 1):  # options, then
                index += 1
                continue
            if kind:
                out.entry(kind, value, tuple(one.value for one in rest), word.span, block)
                _submitted(out, block, value)
            elif program == "spark-submit" and not unknown and value != "pyspark-shell":
                index += 1
                continue
            # a script of the project's own may put in front what it is given behind
            if program != "spark-submit.sh" and not unknown:
                _after_program(rest, out, block)
            read_beam(rest, out, block, "python" if kind == "python" else "java")
        return


def _names_program(words: list[Word], start: int) -> bool:
    """Whether the program stands behind: a jar or a Python file that is no option's value."""
    for before, word in pairwise(words[start - 1 :]):
        value_of = before.value.startswith("-") and "=" not in before.value and before.value not in _FLAGS
        if word.value.endswith((".py", ".jar")) and not value_of:
            return True
    return False


# A package, and those that a comma joins to it.
_COORDINATES = pattern(r"(?:[\w.-]+:[\w.${}-]+:[\w.${}-]+,?)+")
# What only spark-submit has options of this name for.
_OWN = frozenset(
    [
        "--deploy-mode",
        "--packages",
        "--py-files",
        "--driver-memory",
        "--driver-cores",
        "--executor-memory",
        "--executor-cores",
        "--num-executors",
        "--total-executor-cores",
    ]
)
_MASTER = pattern(r"yarn$|local(?:\[|$)|spark://|k8s://|mesos://")


def _after_program(rest: list[Word], out: Reading, block: Block) -> None:
    """The options of spark-submit among the arguments of the program."""
    found = []
    for at, word in enumerate(rest):
        name, equals, value = word.value.partition("=")
        given = word if equals else rest[at + 1] if at + 1 < len(rest) else None
        said = value if equals else given.value if given is not None else ""
        if name == "--conf" and given is not None and said.startswith("spark."):
            found.append((said.split("=")[0], given))
        elif given is not None and (name in _OWN or (name == "--master" and _MASTER.match(said))):
            found.append((name, word))
    if found:
        names = ", ".join(dict.fromkeys(name for name, _ in found))
        out.oddity("option-after-program", names, found[0][1].span, "handed to the program, not to Spark", block)


# What limits the cores that an application takes of a standalone cluster.
CORE_LIMITS = ("--total-executor-cores", "spark.cores.max", "spark.dynamicAllocation.enabled")


def _submitted(out: Reading, block: Block, program: str) -> None:
    """Notes what is sent to a standalone cluster, for a look at all that is."""
    options: dict[str, Setting] = {}
    for fact in reversed(out.facts):
        if fact is block:
            break
        if isinstance(fact, Setting):
            options.setdefault(fact.key, fact)
    master = options.get("--master") or options.get("spark.master")
    if master is not None and master.sure == "sure" and master.text.startswith("spark://"):
        shaped = "--executor-cores" in options or "spark.executor.cores" in options
        limited = "yes" if block.open or any(key in options for key in CORE_LIMITS) else "perhaps" if shaped else "no"
        out.facts.append(Usage("submitted", json.dumps([program, master.text, limited]), master.place(), block.id))


def _option(out: Reading, block: Block, name: str, key: Word, argument: Word) -> None:
    from shoal.readers import jars

    if name == "--conf":
        conf = add_pair(out, block, argument)
        cut = argument.value.find("=")
        if conf in ("spark.jars.packages", "spark.jars") and cut > 0 and argument.sure == "sure":
            listed = argument.part(cut + 1).text
            (jars.read_coordinates if conf == "spark.jars.packages" else jars.read_jars)(listed, out, block)
        return
    add_setting(out, block, key, argument)
    if name == "--packages":
        if argument.sure == "sure":
            jars.read_coordinates(argument.text, out, block)
        else:
            jars.read_coordinates_in(argument.value, argument.span, out, block)
    elif name in ("--file", "--init") and argument.value.endswith(".sql"):
        out.entry("sql", argument.value, (), argument.span, block)
    elif name == "--query":
        from shoal.readers.sql import read_sql

        read_sql(argument.text, out, block, "spark")
    elif name == "--class":
        out.entry("class", argument.value, (), argument.span, block)
