"""Folders that a script deletes before it submits a job: `rm -rf DIR && spark-submit …`, `find DIR -mindepth 1 -delete`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from shoal.lazy import pattern
from shoal.readers import shell_words
from shoal.readers.shell_detached import submitted
from shoal.readers.shell_flow import Flow
from shoal.records import NamedTuple

if TYPE_CHECKING:
    from shoal.readers.shell_words import Command
    from shoal.text import Text

_MOST = 20  # folders of one script
_RECURSIVE = pattern(r"-[a-zA-Z]*[rR][a-zA-Z]*|--recursive")
# What `find` may be told and still takes everything.
_ALL = pattern(r"-mindepth|-delete|-depth|\d+")
_BRANCHES = pattern(r"(?<![\w-])(?:if|case|while|until|for)(?![\w-])")
_TESTS = frozenset({"[", "[[", "test"})
_THERE = frozenset({"-d", "-e", "-f"})
_RECIPES = pattern(r"(?i)(?:.*[/\\])?(?:(?:gnumakefile|makefile|justfile)[^/\\]*|[^/\\]*\.mk)")


class Deleted(NamedTuple):
    """A folder, and whether every run that submits the job deletes it."""

    path: str
    word: Text
    submits: Text
    sure: bool


def deleted(text: Text, commands: list[Command], raw: str, path: str) -> Iterator[Deleted]:
    """The folders that are deleted in front of a submit command; a recipe is run by somebody who wants just that."""
    submits = [(index, found[1]) for index, command in enumerate(commands) if (found := submitted(command.words)) is not None]
    if not submits or _RECIPES.fullmatch(path):
        return
    folders = [(index, *folder) for index, command in enumerate(commands[: submits[-1][0]]) for folder in _folders(command.words)]
    if not folders:
        return
    flow = Flow(text.text) if text.text == raw else None
    if (flow is not None and not flow.sound) or (flow is None and _BRANCHES.search(text.text)):
        return
    for index, folder, word in folders[:_MOST]:
        after = next(((at, one) for at, one in submits if at > index), None)
        if after is None:
            continue
        sure = index == 0 or not _asks(commands[index - 1])
        if flow is not None:
            one, other = word.span(0, 1).start, after[1].span(0, 1).start
            if not flow.follows(one, other):
                continue
            here = flow.path(one)
            sure = sure and flow.path(other)[: len(here)] == here
        yield Deleted(folder, word, after[1], sure)


def _folders(words: list[Text]) -> Iterator[tuple[str, Text]]:
    texts = [word.text for word in words[:40]]
    at = next((index for index, text in enumerate(texts) if text.rsplit("/", 1)[-1] in ("rm", "find", "-rm", "-rmr")), -1)
    if at < 0 or (at > 0 and texts[0].rsplit("/", 1)[-1] not in ("sudo", "hdfs", "hadoop", *shell_words.CONTAINER_TOOLS, "kubectl")):
        return
    rest = list(zip(texts[at + 1 :], words[at + 1 :], strict=False))
    if texts[at].endswith("find"):
        options = [text for text, _ in rest if text.startswith("-") or text.isdigit()]
        if "-delete" not in options or not all(map(_ALL.fullmatch, options)):
            return
    elif texts[at] != "-rmr" and not any(_RECURSIVE.fullmatch(text) for text, _ in rest):
        return
    for text, word in rest:
        if not text.startswith("-") and not text.isdigit() and text.strip("/.*~"):
            yield text, word


def _asks(command: Command) -> bool:
    """A condition of its own, other than whether there is something to delete."""
    texts = [word.text for word in command.words]
    return bool(texts) and texts[0] in _TESTS and not _THERE.intersection(texts)
