"""The one place that decides what kind of file a path is. Every host asks here."""

from __future__ import annotations

import re
from functools import lru_cache

# Names first, then endings; the first that fits wins. A template ending (`.j2`, `.tpl`, …) is looked through.
_NAMES = r"""(?xs)
      (?P<flink_conf>     flink-conf(?:[-_.].*)?\.ya?ml | .*[-_]flink-conf\.ya?ml )
    | (?P<spark_conf>     spark-defaults.*\.conf | .*spark.*\.conf | spark.*\.properties )
    | (?P<dockerfile>     (?:docker|container)file(?:\..*|[-_](?:[^.]|\.\d)*)? | .*[._-]dockerfile )
    | (?P<makefile>       (?:gnu)?makefile | .*\.mk | justfile )
    | (?P<requirements>   (?:requirements|constraints).*\.(?:txt|in) | .*[-_]requirements\.txt | setup\.cfg )
    | (?P<lock>           (?:poetry|uv|pdm|pipfile)\.lock | pylock.*\.toml )
    | (?P<toml>           pyproject\.toml | pipfile )
    | (?P<pom>            .*\.pom | pom\.xml )
    | (?P<gradle>         .*\.gradle(?:\.kts)? | libs\.versions\.toml | build\.sbt )
    """
# What most files end in; of these the names above mean a few only, which are told without the regular expression (1.5 ms to compile).
_COMMON = frozenset({"yaml", "yml", "json", "py", "sql", "sh"})
_ENDINGS = {
    "py": "python",
    "ipynb": "notebook",
    "yaml": "yaml",
    "yml": "yaml",
    "sql": "sql",
    "hql": "sql",
    "fsql": "sql",
    "flinksql": "sql",
    "properties": "properties",
    "ini": "ini",
    "cfg": "ini",
    "json": "json",
    "sh": "shell",
    "bash": "shell",
    "zsh": "shell",
    "ksh": "shell",
    "tf": "terraform",
    "java": "java",
}
# What a `setup.py` that packages something has its `setup` from.
_PACKAGING = rb"(?m)^[^#\n]*\b(?:import|from)\b[^#\n]*\b(?:setuptools|distutils|skbuild)\b"
# Files of program code, in which a setting's key and value are expressions.
PROGRAMS = (".py", ".ipynb", ".java")
_TEMPLATES = frozenset({"j2", "jinja", "jinja2", "tpl", "tftpl", "tmpl", "template", "envsubst", "ftl"})
_TEMPLATE_ENDINGS = _TEMPLATES | {"dist", "example", "sample"}


def classify(path: str) -> str:
    """The kind of a file by its name (see `readers.READERS`), or an empty string for what shoal does not read."""
    folder, _, name = path.replace("\\", "/").rpartition("/")
    kind = _kind(name)
    if not kind and told_by_folder(name) and folder.rpartition("/")[2].lower() in ("requirements", "constraints"):
        return "requirements"  # `requirements/base.txt`
    return kind


def told_by_folder(name: str) -> bool:
    """Whether a file of this name may be of a kind because of the folder it stands in."""
    return name.endswith((".txt", ".in"))


def is_setup(path: str, kind: str) -> bool:
    """Whether only the content of a file says if it pins requirements or is a program."""
    return kind == "requirements" and path.lower().endswith("setup.py")


def by_content(path: str, kind: str, data: bytes) -> str:
    """The kind of a file whose content is at hand: a `setup.py` that packages nothing is a program as any other."""
    if not is_setup(path, kind):
        return kind
    packages = re.search(_PACKAGING, data) and re.search(rb"(?<!def )\bsetup\s*\(", data)
    return kind if packages else "python"


def is_template(path: str) -> bool:
    """Whether a file is called a template, which by itself need not be well-formed."""
    return path.rpartition(".")[2].lower() in _TEMPLATES


@lru_cache(maxsize=4096)  # a tree of thousands of files has few names
def _kind(name: str) -> str:
    name = name.lower()
    stem, _, ending = name.rpartition(".")
    while ending in _TEMPLATE_ENDINGS and stem:
        name = stem
        stem, _, ending = name.rpartition(".")
    if ending in _COMMON and "file." not in name:
        if ending in ("yaml", "yml") and "flink-conf" in stem:
            return "flink-conf" if re.fullmatch(r"(?s)flink-conf(?:[-_.].*)?|.*[-_]flink-conf", stem) else "yaml"
        if name == "setup.py":
            return "requirements"  # of which nothing but what it asks for is looked at
        return _ENDINGS[ending] if stem else ""
    match = re.fullmatch(_NAMES, name)
    if match:
        return str(match.lastgroup).replace("_", "-")
    return _ENDINGS.get(ending, "") if stem else ""
