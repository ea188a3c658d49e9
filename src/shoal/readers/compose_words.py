"""Commands of a compose file that are one text and count on a shell that does not read it.

Docker compose parts such a text into words itself: a backslash outside single quotes goes, whatever stands behind it, and the command ends before the first
`;`, `&`, `|`, `<` or `>` outside quotes. Tried with compose-go 2.4.7 (go-shellwords 1.0.12).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ruamel.yaml.nodes import ScalarNode

from shoal.lazy import pattern
from shoal.model import Span
from shoal.readers import compose_service
from shoal.readers.yaml_scalars import text_of
from shoal.readers.yaml_tree import Item, Tree, get, is_mapping

if TYPE_CHECKING:
    from shoal.text import Text

_MARKS = pattern(r"\$\{[^{}]*\}|\\[\s\S]?|[;&|<>]+|[()`'\"]")
_LINE_ENDS = pattern(r"[ \t]*\r?\n")
# Behind these, and at the beginning of a line or of the script, a shell reads on in the next line without a backslash, too.
_READS_ON = pattern(r"(?:(?:&&|\|\|?|;|[({]|\b(?:then|do|else|in))|^|\n|(?<!\\)\")[ \t]*$")
# The script ends, or a comment follows.
_NOTHING = pattern(r"\s*(?:[\"#]|$)")
# Without these the output stands in the container's log, and the program in the foreground.
_SPARED = pattern(r"(?:\d?>>?\s*\S+|[&;]|\s)*")
_OTHERS = pattern(r"podman")  # parts commands in another way


def read_words(tree: Tree, services: list[Item]) -> None:
    for service in services if not _OTHERS.search(tree.out.path) else ():
        for key in ("entrypoint", "command") if is_mapping(service.value) else ():
            node = get(service.value, key)
            text = text_of(node, tree.source) if isinstance(node, ScalarNode) else None
            starts_shell = key == "command" and compose_service.words(get(service.value, "entrypoint"))[-1:] == ["-c"]
            found = _lost(text, tree.source, starts_shell) if text is not None else None
            if text is not None and found is not None:
                at = tree.text.at(text.at(found[0]))
                tree.out.oddity("compose-command-without-shell", service.key, Span(at, at + 1), found[1])


def _lost(text: Text, source: str, starts_shell: bool) -> tuple[int, str] | None:
    """Where the first mark stands that compose takes in another way than a shell would, with what becomes of it."""
    script = text.text
    for at, mark, quoted in _marks(script):
        if mark == "\\":
            if not _LINE_ENDS.match(source, text.at(at) + 1):
                continue
            if not quoted:
                return (
                    at,
                    "docker compose takes the backslash away and the end of the line for a part of the next argument; lines need no backslash here",
                )
            blank = script[at + 1 : len(script) - len(script[at + 1 :].lstrip())]
            if "\n" in blank and not _READS_ON.search(script[:at]) and not _NOTHING.match(script, at + 1):
                return (
                    at,
                    "docker compose takes the backslash away: the command ends with the line, and the shell runs the next line by itself; give it as a list, or the script between single quotes",
                )
        elif not quoted:
            if mark in "()`" or _SPARED.fullmatch(script, at):
                break
            if starts_shell:
                return (
                    at,
                    f"the entrypoint's shell runs the first word alone: docker compose parts this into words and ends it before `{mark}`; give it as a list of one text",
                )
            return (
                at,
                f"no shell reads this: for docker compose the command ends before `{mark}`, and what follows is never run; hand it to one with bash -c '…'",
            )
    return None


def _marks(script: str) -> Iterator[tuple[int, str, bool]]:
    """Backslashes outside single quotes, and what means something to a shell outside all quotes: where, which, and whether between double quotes."""
    quote = ""
    for found in _MARKS.finditer(script):
        mark = found[0] if found[0][0] not in "$\\" else found[0][0]
        if mark == "\\" and quote == "'":
            if found[0][1:] == "'":
                quote = ""
        elif mark in "'\"":
            quote = "" if quote == mark else quote or mark
        elif mark == "\\" or (mark != "$" and not quote):
            yield found.start(), mark, quote == '"'
