"""Beam's pipeline options on a command line, snake_case for Python and camelCase for Java."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shoal.lazy import pattern
from shoal.readers.command_words import Word, add_setting, hides_options
from shoal.text import MASK

if TYPE_CHECKING:
    from shoal.facts import Block
    from shoal.readers import Reading

_OWN = frozenset(
    {
        "runner",
        "flink_master",
        "flinkMaster",
        "job_endpoint",
        "jobEndpoint",
        "environment_type",
        "defaultEnvironmentType",
        "checkpointing_interval",
        "checkpointingInterval",
        "flink_version",
        "flink_job_server_jar",
    }
)
_OPTION = pattern(r"--([A-Za-z][A-Za-z0-9_]*)(=|$)")


def read_beam(words: list[Word], out: Reading, parent: Block | None, language: str) -> bool:
    """Pipeline options, when one of them is Beam's own."""
    options: list[tuple[Word, Word | None]] = []
    index = 0
    while index < len(words):
        word = words[index]
        found = _OPTION.match(word.value)
        index += 1
        if not found:
            continue
        if found.group(2):
            cut = word.value.index("=")
            written = word.text.text.find("=")
            key = Word(found.group(1), word.text.slice(2, written if written > 0 else len(word.text.text)))
            value = (
                word.part(cut + 1)
                if word.sure == "sure"
                else Word(word.value[cut + 1 :], word.text.slice(written + 1, len(word.text.text)), word.sure)
            )
            options.append((key, value))
        else:
            key = Word(found.group(1), word.text.slice(2, len(word.text.text)))
            following = words[index] if index < len(words) else None
            if following is not None and not following.value.startswith("--"):
                options.append((key, following))
                index += 1
            else:
                options.append((key, None))
    own = [key for key, value in options if key.value in _OWN and (key.value != "runner" or _is_runner(value))]
    if not own:
        return False
    if not language:
        names = [key.value for key, _ in options]
        language = (
            "python" if any("_" in name for name in names) else "java" if any(re.search(r"[a-z][A-Z]", name) for name in names) else ""
        )
    runner = next((value.value for key, value in options if key.value == "runner" and value is not None), "")
    traits = (("language", language), *((("runner", runner),) if runner and "$" not in runner and MASK not in runner else ()))
    place = out.place(own[0].span)
    hidden = hides_options(words)
    block = out.block("beam", "pipeline", "command", place, parent=parent, traits=traits, open=hidden)
    for name, given in options:
        add_setting(out, block, name, given if given is not None else name, flag=given is None)
    named = next((value for key, value in options if key.value in ("job_name", "jobName") and value is not None), None)
    if named is not None and runner.rpartition(".")[2] == "DataflowRunner":
        from shoal.readers.gcloud_command import job_beside

        job_beside(named, words, out)
    script = next((word for word in words if word.value.endswith((".py", ".jar")) and not word.value.startswith("-")), None)
    if script is not None:
        kind = "python" if script.value.endswith(".py") else "jar"
        out.entry(kind, script.value, tuple(word.value for word in words), script.span, block)
    elif language == "python" and words and words[0].value == "-m" and len(words) > 1:
        target = words[1]
        out.entry("python", target.value, tuple(word.value for word in words), target.span, block)
    return True


def _is_runner(value: Word | None) -> bool:
    """`FlinkRunner`, `apache_beam.runners.…Runner`; other programs have a `--runner` too."""
    return value is not None and value.value.endswith("Runner")
