"""`gcloud dataproc jobs submit …`, `… batches submit …` and `… workflow-templates add-job …`: what is run, and with which properties.

`gcloud dataflow … run` of a streaming template under a new name each time: nothing ends the job that runs already.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shoal.lazy import pattern
from shoal.readers.command_words import Word, add_pair

if TYPE_CHECKING:
    from shoal.facts import Block
    from shoal.readers import Reading
    from shoal.text import Text

_ENGINES = {"pyspark": "spark", "spark": "spark", "spark-sql": "spark", "flink": "flink"}


_RUNS = (["dataflow", "flex-template", "run"], ["dataflow", "jobs", "run"])
# What makes a name that no earlier run had.
_NEW = r"\$\(+\s*date|`\s*date|\$\{?RANDOM|uuid|BUILD_ID|BUILD_NUMBER|SHORT_SHA|COMMIT_SHA|GITHUB_SHA|GITHUB_RUN"
_STREAMS = pattern(r"(?i)stream|pub_?sub|subscription|topic|kafka")
_BATCH = pattern(r"(?i)batch|\btext_?to|gcs_to|bigquery_to|bulk")
# Whoever asks for jobs may do so to end them.
_LOOKS = pattern(r"dataflow\s+jobs\s+(?:list|drain|cancel|show)|\bdrain\b|\bupdate_job")


def read_gcloud(words: list[Word], place: Text, out: Reading, parent: Block | None) -> bool:
    """The words after `gcloud`; False when they submit no job of an engine that is read here."""
    values = [word.value for word in words]
    plain = [value for value in values[:5] if not value.startswith("-")]
    if plain[:3] in _RUNS:
        _dataflow(words[values.index("run") + 1 :], out)
        return True
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


def _dataflow(words: list[Word], out: Reading) -> None:
    """An oddity where each run of a script starts a further streaming job beside the one before."""
    if words and not words[0].value.startswith("-"):
        job_beside(words[0], words, out)


def job_beside(name: Word, words: list[Word], out: Reading) -> None:
    """The same of a job whose name and arguments are these words, however it is started."""
    if any(word.value.startswith("--update") for word in words) or _LOOKS.search(out.raw):
        return
    written = out.raw[name.span.start : name.span.end]
    variable = re.fullmatch(r"\$\$?\{?(\w+)\}?", written.strip("\"'"))
    assigned = rf"\b{variable.group(1)}=[^\n]*(?:{_NEW})" if variable is not None else _NEW
    rest = " ".join(word.value for word in words)
    if re.search(assigned, out.raw if variable is not None else written) and _STREAMS.search(rest) and not _BATCH.search(rest):
        out.oddity("dataflow-job-beside", written, name.span)


def _properties(given: Word, out: Reading, block: Block) -> None:
    """`k=v,k=v`; another separator may be named in front, between carets."""
    found = re.match(r"\^(.+?)\^", given.value)
    separator = found.group(1) if found else ","
    at = found.end() if found else 0
    for part in given.value[at:].split(separator):
        if "=" in part:
            add_pair(out, block, given.part(at, at + len(part)))
        at += len(part) + len(separator)
