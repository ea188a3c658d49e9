"""Commands of a script that submit a job where nobody sees how that ends: in the background, or in a detached `docker exec`; and servers beside a command
that keeps the container up."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from shoal.lazy import pattern
from shoal.readers import shell_words

if TYPE_CHECKING:
    from shoal.readers.shell_words import Command
    from shoal.text import Text

# Whoever does one of these later looks after what runs in the background.
_LOOKS = pattern(r"wait|fg|jobs|ps|pgrep|kill")
_TAKES = frozenset({"-e", "-u", "-w", "--env", "--user", "--workdir", "--env-file", "--detach-keys", "--index"})
_ANSWERS = frozenset({"--version", "--status", "--kill", "--help", "-h", "-v", "-d", "--detached"})
_SHELL_DASH_C = pattern(r"-[a-z]*c")
# What starts a Connect worker or a broker, by the images that have it, and what only keeps a container up.
_SERVER = pattern(r"(?:.*/)?(?:confluent/docker/run|connect-(?:distributed|standalone)(?:\.sh)?|kafka-server-start(?:\.sh)?)")
_IDLE = pattern(r"(?:exec )?(?:sleep (?:infinity|inf)|tail -[fF] /dev/null)")


def detached(commands: list[Command]) -> Iterator[tuple[str, Text, str]]:
    """The program, where it stands, and how it is let go of: `&` or `docker exec -d`."""
    for index, command in enumerate(commands):
        found = submitted(command.words)
        if found is not None and not any(word.text in _ANSWERS for word in command.words):
            last = next((one for one in commands[index:] if not one.piped), command)
            if last.background and not any(map(_looks_after, commands[index + 1 :])):
                yield *found, "&"
        inside = _exec_detached(command.words)
        found = submitted(inside) if inside else None
        if found is not None:
            yield *found, "docker exec -d"


def kept_up(commands: list[Command]) -> Iterator[tuple[str, Text, str]]:
    """A server beside a command that does nothing and keeps a container up, in the background or before it: its program, where it stands, and that command."""
    last = " ".join(word.text for word in commands[-1].words) if commands else ""
    if not _IDLE.fullmatch(last):
        return
    for index, command in enumerate(commands):
        word = next((word for word in command.words[:3] if _SERVER.fullmatch(word.text)), None)
        # what stands behind it runs once it has ended, whether it is in the background or not
        if word is not None and command.words[0].text != "exec" and not any(map(_looks_after, commands[index + 1 :])):
            yield word.text, word, last


def _looks_after(command: Command) -> bool:
    return bool(command.words) and (
        _LOOKS.fullmatch(command.words[0].text) is not None or any(word.text.startswith("--pid") for word in command.words)
    )


def submitted(words: list[Text], level: int = 0) -> tuple[str, Text] | None:
    """`spark-submit` or `flink run` among the words of a command, also in the text that a shell is given."""
    for index, word in enumerate(words[:60]):
        base = word.text.rsplit("/", 1)[-1]
        following = words[index + 1] if index + 1 < len(words) else None
        if base == "spark-submit":
            return base, word
        if base == "flink" and following is not None and following.text == "run":
            return "flink run", word
        if _SHELL_DASH_C.fullmatch(word.text) and following is not None and " " in following.text and level < 2:
            for inner in shell_words.commands(following):
                found = submitted(inner.words, level + 1)
                if found is not None:
                    return found
    return None


def _exec_detached(words: list[Text]) -> list[Text]:
    """What a detached `docker exec` runs; nothing where it is none."""
    if not words or words[0].text.rsplit("/", 1)[-1] not in shell_words.CONTAINER_TOOLS:
        return []
    start = next((index for index, word in enumerate(words[:12]) if word.text == "exec"), len(words))
    away = False
    at = start + 1
    while at < len(words) and words[at].text.startswith("-"):
        text = words[at].text
        away = away or text == "--detach" or re.fullmatch(r"-[it]*d[it]*", text) is not None
        at += 2 if text in _TAKES else 1
    return words[at + 1 :] if away else []
