"""Which Python programs a container starts, as a compose file or its image says."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from itertools import pairwise

from shoal.lazy import pattern

# Options of Python and spark-submit that are followed by a value which is no program.
_TAKES = frozenset({"-X", "-W", "--py-files", "--files", "--archives", "--jars", "--packages", "--conf", "--properties-file", "--master"})
_PYTHON = pattern(r"python[\d.]*|pypy[\d.]*|spark-submit(?:\.sh)?")
_SERVERS = frozenset({"uvicorn", "gunicorn", "hypercorn"})
_PATH = pattern(r"[\w./-]+\.py")
_MODULE = pattern(r"[A-Za-z_]\w*(?:\.\w+)*")


def programs(words: Iterable[str]) -> list[str]:
    """The files that command lines hand to Python, to spark-submit, to `flink run -py` and to servers of ASGI and WSGI; modules as `a/b.py`.

    `words` are arguments, or whole lines for a shell. What a variable names is not known, and left away.
    """
    split = [piece.strip("\"';()") for word in words for piece in word.split()]
    found = []
    for index, word in enumerate(split):
        name, rest = posixpath.basename(word), split[index + 1 :]
        if _PYTHON.fullmatch(name):
            found.append(_first(rest))
        elif name in ("-py", "--python"):
            found += rest[:1]
        elif name in _SERVERS:
            found += [_file(one.partition(":")[0]) for one in rest if re.fullmatch(_MODULE.pattern + ":[A-Za-z_][\\w.()]*", one)][:1]
        elif name == "faust":
            found += [_file(after) for one, after in pairwise(rest) if one in ("-A", "--app")][:1]
    return list(dict.fromkeys(one for one in found if _PATH.fullmatch(one)))


def _first(words: list[str]) -> str:
    """What Python runs, given what follows it."""
    skip = False
    for index, word in enumerate(words):
        if skip or (word.startswith("-") and word not in ("-m", "-c")):
            skip = not skip and word in _TAKES
            continue
        if word == "-m":
            return _file(words[index + 1]) if index + 1 < len(words) else ""
        return word
    return ""


def _file(module: str) -> str:
    return f"{module.replace('.', '/')}.py" if _MODULE.fullmatch(module) else ""
