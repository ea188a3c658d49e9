"""The jars that a Dockerfile puts into an image of Flink, where all that it adds can be seen."""

from __future__ import annotations

import json
import posixpath
from typing import TYPE_CHECKING

from shoal.facts import Usage
from shoal.lazy import pattern
from shoal.text import MASK

if TYPE_CHECKING:
    from shoal.readers import Reading
    from shoal.readers.dockerfile import Instruction

_FLAGS = pattern(r"(?:--[\w-]+(?:=\S*)?\s+)+")
# What a command may put files into an image with: of what installs packages, and changes modes and owners, nothing comes under Flink's folder.
_BRINGS = pattern(r"(?i)\.jar|\b(?:cp|mv|ln|wget|curl|tar|unzip|git|mvnw?|gradlew?|sbt|rsync|aws|gsutil|python\d?|bash|sh|make)\b|<<")
_HOME = "/opt/flink"  # the working folder of Flink's own image, which it calls FLINK_HOME
_FLINK_HOME = pattern(r"\$(?:FLINK_HOME\b|\{FLINK_HOME\})")


def read(instructions: list[Instruction], out: Reading) -> None:
    """`image-jars` of a last stage that begins with Flink's own image: the paths of the jars that it adds, and the folders into which more may get.

    Nothing is said where a command may bring others, or a name is known to the build alone.
    """
    folder, at = _HOME, None
    jars: list[str] = []
    filled: list[str] = []
    for one in instructions:
        written = _FLINK_HOME.sub(_HOME, _FLAGS.sub("", one.text.text.replace("\\\n", " ").strip(), count=1))
        if (one.name == "RUN" and _BRINGS.search(written)) or (
            one.name in ("WORKDIR", "COPY", "ADD") and ("$" in written or MASK in written)
        ):
            return
        words = [word for part in written.split() if (word := part.strip("[]\",'"))]
        if one.name == "WORKDIR" and words:
            folder = posixpath.join(folder, words[0])
        if one.name not in ("COPY", "ADD"):
            continue
        if len(words) < 2 or "<<" in written:
            return
        target = posixpath.normpath(posixpath.join(folder, words[-1]))
        names = [posixpath.basename(word) for word in words[:-1]]
        if len(names) == 1 and words[-1].endswith(".jar"):
            jars.append(target)
        elif all(name.endswith(".jar") and "*" not in name and "?" not in name for name in names):
            jars += [posixpath.join(target, name) for name in names]
        else:
            filled.append(target)
            continue
        at = one
    if at is not None:
        out.facts.append(Usage("image-jars", json.dumps([jars, filled]), out.place(at.text.span(0, len(at.text.text.rstrip())))))
