"""The one place that decides what kind of file a path is. Every host asks here."""

from __future__ import annotations

from fnmatch import fnmatchcase

# Names first, then endings; the first that fits wins. A template ending (`.j2`, `.tpl`, …) is looked through.
_NAMES = (
    ("flink-conf", ("flink-conf.y*ml", "flink-conf-*.y*ml", "flink-conf_*.y*ml", "*-flink-conf.y*ml", "*_flink-conf.y*ml", "flink-conf.*.y*ml")),
    ("spark-conf", ("spark-defaults.conf", "spark-defaults*.conf", "*spark*.conf", "spark*.properties")),
    ("dockerfile", ("dockerfile", "dockerfile.*", "*.dockerfile", "containerfile")),
    ("makefile", ("makefile", "gnumakefile", "*.mk", "justfile")),
    ("requirements", ("requirements*.txt", "requirements*.in", "constraints*.txt", "*-requirements.txt", "*_requirements.txt")),
    ("lock", ("poetry.lock", "uv.lock", "pdm.lock", "pylock*.toml")),
    ("toml", ("pyproject.toml", "pipfile")),
    ("pom", ("pom.xml", "*.pom")),
    ("gradle", ("build.gradle", "build.gradle.kts", "*.gradle", "*.gradle.kts", "libs.versions.toml", "build.sbt")),
    ("sql", ("sql-client*.sql", "*.fsql", "*.flinksql")),
)
_ENDINGS = {
    "py": "python",
    "ipynb": "notebook",
    "yaml": "yaml",
    "yml": "yaml",
    "sql": "sql",
    "hql": "sql",
    "properties": "properties",
    "json": "json",
    "sh": "shell",
    "bash": "shell",
    "zsh": "shell",
    "ksh": "shell",
}
_TEMPLATE_ENDINGS = ("j2", "jinja", "jinja2", "tpl", "tmpl", "template", "envsubst", "ftl", "dist", "example", "sample")


def classify(path: str) -> str:
    """The kind of a file by its name (see `readers.READERS`), or an empty string for what shoal does not read."""
    name = path.replace("\\", "/").rsplit("/", 1)[-1].lower()
    stem, _, ending = name.rpartition(".")
    while ending in _TEMPLATE_ENDINGS and stem:
        name = stem
        stem, _, ending = name.rpartition(".")
    for kind, patterns in _NAMES:
        if any(fnmatchcase(name, pattern) for pattern in patterns):
            return kind
    return _ENDINGS.get(ending, "")
