"""Requests of a script that somebody may refuse, where the script cannot tell: curl ends with 0 whatever the server answers, unless it is asked to fail.

Source: curl(1), `--fail`, and which options are given a value.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from shoal.lazy import pattern

if TYPE_CHECKING:
    from shoal.readers.shell_words import Command
    from shoal.text import Text

# Who is asked, by the address: to make a connector, to take a job's jar or start it, to take a schema.
_ASKED = (
    (pattern(r".*/connectors(?:/[^/?\s]+/config)?/?(?:\?\S*)?"), "Kafka Connect"),
    (pattern(r".*/jars/(?:upload|[^/?\s]+/run)/?(?:\?\S*)?"), "Flink"),
    (pattern(r".*/subjects/[^/?\s]+/versions/?"), "the schema registry"),
)
_WITH_VALUE = frozenset("AbcCdDeEFHKmoPQrtTuUwxXyYz")
_LONG_WITH_VALUE = pattern(
    r"--(?:header|request|user|data|data-raw|data-binary|data-ascii|data-urlencode|json|form|upload-file|url|cacert|cert|key|max-time|connect-timeout|"
    r"retry|retry-delay|retry-max-time|proxy|user-agent|output|write-out|dump-header)"
)
_TELLS = frozenset({"f", "w", "o", "D", "--fail", "--fail-with-body", "--write-out", "--output", "--dump-header"})
_SENDS = frozenset(
    {"d", "F", "T", "--data", "--data-raw", "--data-binary", "--data-ascii", "--data-urlencode", "--json", "--form", "--upload-file"}
)
_SUBSTITUTED = ("$(", "`", "<(")


def unseen(text: Text, commands: list[Command]) -> Iterator[tuple[str, Text]]:
    """Who refuses, and the address that is asked. Who reads the answer, or looks later how it went, may see it."""
    if "/status" in text.text or "http_code" in text.text:
        return
    for command in commands:
        at = next((index for index, word in enumerate(command.words[:12]) if word.text.rsplit("/", 1)[-1] == "curl"), None)
        if at is None or command.piped or command.writes or _is_substituted(text, command.words[at]):
            continue
        options, addresses = _parsed(command.words[at + 1 :])
        method = options.get("X", options.get("--request"))
        if _TELLS & set(options) or not (method in ("POST", "PUT") if method else _SENDS & set(options)):
            continue
        for word in addresses:
            asked = next((name for address, name in _ASKED if address.fullmatch(word.text)), None)
            if asked is not None:
                yield asked, word
                break


def _parsed(words: list[Text]) -> tuple[dict[str, str], list[Text]]:
    """The options of curl, by letter or with two dashes, with what each is given; and the addresses."""
    options: dict[str, str] = {}
    addresses: list[Text] = []
    waiting = ""  # the option whose value the next word is
    for word in words:
        if waiting:
            options[waiting] = word.text
            if waiting == "--url":
                addresses.append(word)
            waiting = ""
        elif word.text.startswith("--"):
            name, _, value = word.text.partition("=")
            options[name] = value
            waiting = name if _LONG_WITH_VALUE.fullmatch(word.text) else ""
        elif word.text.startswith("-"):
            for place, letter in enumerate(word.text[1:], 2):
                options[letter] = word.text[place:] if letter in _WITH_VALUE else ""
                if letter in _WITH_VALUE:
                    waiting = "" if options[letter] else letter
                    break
        else:
            addresses.append(word)
    return options, addresses


def _is_substituted(text: Text, word: Text) -> bool:
    """Whether what a command prints is taken as a text: `answer=$(curl …)`."""
    place = text.inside(word.at(0))
    return place is not None and text.text[:place].rstrip().endswith(_SUBSTITUTED)
