"""`docker build -t name -f file .`: the Dockerfile that an image of a project's own is built from."""

from __future__ import annotations

import json
import posixpath
import re
from typing import TYPE_CHECKING

from shoal.facts import Usage

if TYPE_CHECKING:
    from shoal.readers import Reading
    from shoal.readers.command_words import Word

_VALUED = (
    "-t",
    "--tag",
    "-f",
    "--file",
    "--build-arg",
    "--platform",
    "--target",
    "--network",
    "--label",
    "--cache-from",
    "--builder",
    "--secret",
)


def read_build(words: list[Word], out: Reading) -> bool:
    """The words after `docker`; whether they build an image."""
    values = [word.value for word in words]
    at = next((index for index, value in enumerate(values[:3]) if value == "build"), -1)
    if at < 0 or (at > 0 and values[0] not in ("buildx", "image", "builder")):
        return False
    tags: list[Word] = []
    file, context = "", ""
    rest = iter(words[at + 1 :])
    for word in rest:
        name, sign, value = word.value.partition("=")
        if name in _VALUED:
            given = word._replace(value=value) if sign else next(rest, word)
            if name in ("-t", "--tag"):
                tags.append(given)
            elif name in ("-f", "--file"):
                file = given.value
        elif not name.startswith("-"):
            context = context or word.value
    at_file = posixpath.normpath(file or posixpath.join(context, "Dockerfile"))
    for tag in tags:
        if not re.search(r"[$\s:]", at_file + tag.value.partition(":")[0]):
            out.facts.append(Usage("image-built", json.dumps([tag.value, at_file]), out.place(tag.span)))
    return True
