"""Volumes over the folders in which an image keeps an engine itself, of which what was there is not to be seen any more, or its configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.lazy import pattern

if TYPE_CHECKING:
    from shoal.facts import Block
    from shoal.model import Span
    from shoal.readers import Reading

# Engine, its folder in the images of the projects and of Bitnami, what in it holds jars and scripts, and the jar without which nothing starts.
_FOLDERS = (
    ("flink", pattern(r"/opt/flink(?:/(?P<part>lib|bin))?"), "flink-dist"),
    ("spark", pattern(r"/opt/(?:bitnami/)?spark(?:/(?P<part>jars|bin))?"), "spark-core"),
    ("kafka", pattern(r"/opt/(?:bitnami/)?kafka/(?P<part>libs|bin)|/usr/share/java(?:/kafka)?"), "kafka-clients"),
)
# Where Debezium's image has its connectors, each in a folder of its own (KAFKA_CONNECT_PLUGINS_DIR).
_DEBEZIUM = pattern(r"(?:^|/)debezium/connect(?::|@|$)")
_PLUGINS = "/kafka/connect"
# What stands in Flink's `conf` and holds no options: for logging, Hadoop, Kerberos or keys.
_BESIDE_CONF = pattern(
    r"\.(?:xml|properties|conf|cfg|jks|p12|pem|crt|key|keytab|jar|py|sql|json|txt)$|/(?:masters|workers|sql-(?:client|gateway)[\w-]*\.ya?ml)$"
)
# What cannot hold an engine's jars when a container starts.
EMPTY = ("emptyDir", "configMap", "secret")
# Commands that put nothing into a folder that they name, and those of which all is known when they name another.
_FILL_NOTHING = frozenset({"mkdir", "chmod", "chown", "ls", "echo", "touch"})
_PART = pattern(r"&&|\|\||[;|]")
_KNOWN = _FILL_NOTHING | {"cp", "mv", "rm", "cat", "sleep", "set", "exit", "true"}


def is_conf_path(path: str) -> bool:
    """Whether what is mounted at a path may hold options of Flink: the folder, or a file in YAML."""
    return "flink" in path and "conf" in path and _BESIDE_CONF.search(path) is None


def hidden(out: Reading, image: str, path: str, kind: str, source: str, at: Span, block: Block | None) -> None:
    """An oddity for a volume of a container of an engine's image: `detail` is the kind of the volume, its name, and what is hidden, in lines.

    Volumes that are filled from the image (compose's own), or by hand once for all pods (claims), are none.
    """
    name = image.partition("@")[0].rpartition("/")[2]
    for engine, folder, jar in _FOLDERS:
        found = folder.fullmatch(path.rstrip("/"))
        if found is not None and engine in name and kind in ("bind", "hostPath", *EMPTY):
            what = "the scripts that start it" if found["part"] == "bin" else f"{jar} and the other jars"
            out.oddity("engine-files-hidden", path, at, "\n".join((kind, source, f"{what} of {engine.capitalize()}")), block)

    if path.rstrip("/") == _PLUGINS and _DEBEZIUM.search(image) and kind in ("bind", "hostPath", *EMPTY):
        out.oddity("plugins-hidden", path, at, "\n".join((kind, source)), block)


def may_fill(script: str, folder: str) -> bool:
    """Whether a shell script may put something into a folder; sure not, when each of its commands is well known and puts nothing there."""
    for line in script.replace("\\\n", " ").splitlines():
        for command in _PART.split(line.partition(" #")[0]):
            words = command.split()
            if not words or words[0].startswith("#"):
                continue
            if words[0] not in _KNOWN or "$" in command or "<" in command or ">" in command:
                return True
            if words[0] not in _FILL_NOTHING and any(word.startswith(folder.rstrip("/")) or folder.startswith(word) for word in words[1:]):
                return True
    return False
