"""Releases that exist: what `shoal upgrade` writes where a version is pinned to the patch.

The newest patch of each minor version, as published on PyPI and Maven Central; a test compares them with what the catalogue is made from.
"""

from __future__ import annotations

from shoal.facts import Dependency
from shoal.job import numbers
from shoal.lazy import pattern

PATCHES = {
    "flink": ("1.13.6", "1.14.6", "1.15.4", "1.16.3", "1.17.2", "1.18.1", "1.19.3", "1.20.5", "2.0.2", "2.1.3", "2.2.1", "2.3.0"),
    "spark": ("3.1.3", "3.2.4", "3.3.4", "3.4.4", "3.5.9", "4.0.5", "4.1.4", "4.2.1", "4.3.0"),
    "kafka": (
        *("2.4.1", "2.5.1", "2.6.3", "2.7.2", "2.8.2", "3.0.2", "3.1.2", "3.2.3", "3.3.2", "3.4.1"),
        *("3.5.2", "3.6.2", "3.7.2", "3.8.1", "3.9.2", "4.0.2", "4.1.2", "4.2.2", "4.3.1", "4.4.0"),
    ),
}
# Connectors with releases of their own, by the Flink version they are built for.
CONNECTORS = {
    "kafka": {
        "1.17": "3.1.0-1.17",
        "1.18": "3.2.0-1.18",
        "1.19": "3.3.0-1.19",
        "1.20": "3.4.0-1.20",
        "2.0": "4.0.1-2.0",
        "2.1": "5.0.0-2.1",
        "2.2": "5.0.0-2.2",
    },
    "jdbc": {"1.17": "3.1.1-1.17", "1.18": "3.2.0-1.18", "1.19": "3.2.0-1.19", "1.20": "3.3.0-1.20"},
    "jdbc-core": {"1.20": "3.3.0-1.20", "2.0": "4.0.0-2.0"},
    "opensearch": {"1.16": "1.0.1-1.16", "1.18": "1.1.0-1.18"},
    "mongodb": {"1.17": "1.0.1-1.17", "1.18": "1.1.0-1.18"},
    "kinesis": {"1.18": "4.2.0-1.18", "1.19": "4.3.0-1.19"},
}
# Behind the names of connectors up to Flink 1.14.
_SCALA = pattern(r"_2\.1[0-3]$")
# Images of the projects themselves, and whether they have tags of the minor version alone.
_IMAGES = {"flink": True, "apache/flink": True, "spark": False, "apache/spark": False}


def pin(dependency: Dependency, engine: str, to: str) -> str:
    """What to write for the version of a dependency, in its own precision; empty where no such release is known or it is no plain version.

    A tag with something behind the version (`1.18.1-java11`) names a variant, of which nobody knows here whether there is a new one.
    """
    parts = dependency.version.split(".")
    if not dependency.exact or not all(part.isdigit() for part in parts):
        return ""
    if dependency.ecosystem == "image":
        if dependency.name not in _IMAGES:
            return ""
        if len(parts) == 2:
            return to if _IMAGES[dependency.name] else ""
    elif dependency.ecosystem == "maven":
        scala = dependency.name.rpartition("_")[2]
        if scala in ("2.11", "2.12", "2.13") and numbers(to)[0] != int(parts[0]):
            return ""  # the next major version may not be built for that Scala
    elif dependency.ecosystem != "pypi":
        return ""
    newest = next((one for one in PATCHES[engine] if numbers(one)[:2] == numbers(to)), "")
    return newest if len(parts) == 3 else ""


def connector(artifact: str, flink: str) -> str:
    """The release of a Flink connector that is built for a minor version of Flink; empty where none is known."""
    name = artifact.removeprefix("flink-").removeprefix("sql-").removeprefix("connector-")
    return CONNECTORS.get(_SCALA.sub("", name), {}).get(flink, "")
