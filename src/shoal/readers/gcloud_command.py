"""`gcloud dataproc jobs submit …`, `… batches submit …` and `… workflow-templates add-job …`: what is run, and with which properties."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shoal.readers.command_words import Word, add_pair

if TYPE_CHECKING:
    from shoal.facts import Block
    from shoal.readers import Reading
    from shoal.text import Text

_ENGINES = {"pyspark": "spark", "spark": "spark", "spark-sql": "spark", "flink": "flink"}


def read_gcloud(words: list[Word], place: Text, out: Reading, parent: Block | None) -> bool:
    """The words after `gcloud`; False when they submit no job of an engine that is read here."""
    values = [word.value for word in words]
    verb = "submit" if "submit" in values else "add-job"
    try:
        start = values.index(verb) + 1
    except ValueError:
        return False
    if "dataproc" not in values[:start] or start >= len(words) or values[start] not in _ENGINES:
        return False
    engine = _ENGINES[values[start]]
    role = "submit" if engine == "spark" else "command"
    span = place.span(0, len(place.text))
    block = out.block(engine, role, "command", span, parent=parent, traits=(("program", "gcloud"), ("platform", "dataproc")), open=True)
    rest = words[start + 1 :]
    for index, word in enumerate(rest):
        if word.value == "--":
            return True
        name, equals, _ = word.value.partition("=")
        if name == "--properties":
            given = word.part(len(name) + 1) if equals else rest[index + 1] if index + 1 < len(rest) else None
            if given is not None:
                _properties(given, out, block)
        elif not word.value.startswith("-") and word.value.endswith((".py", ".jar")) and "=" not in word.value:
            before = rest[index - 1].value if index else ""
            if not before.startswith("--") or "=" in before:
                kind = "python" if word.value.endswith(".py") else "jar"
                out.entry(kind, word.value, tuple(one.value for one in rest[index + 1 :]), word.span, block)
    return True


def _properties(given: Word, out: Reading, block: Block) -> None:
    """`k=v,k=v`; another separator may be named in front, between carets."""
    found = re.match(r"\^(.+?)\^", given.value)
    separator = found.group(1) if found else ","
    at = found.end() if found else 0
    for part in given.value[at:].split(separator):
        if "=" in part:
            add_pair(out, block, given.part(at, at + len(part)))
        at += len(part) + len(separator)
