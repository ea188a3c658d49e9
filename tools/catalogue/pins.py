"""The released versions the tables are made from: the newest patch of every minor version."""

from __future__ import annotations

FLINK = ("1.13.6", "1.14.6", "1.15.4", "1.16.3", "1.17.2", "1.18.1", "1.19.3", "1.20.5", "2.0.2", "2.1.3", "2.2.1", "2.3.0")
KAFKA = (
    *("2.4.1", "2.5.1", "2.6.3", "2.7.2", "2.8.2", "3.0.2", "3.1.2", "3.2.3", "3.3.2", "3.4.1"),
    *("3.5.2", "3.6.2", "3.7.2", "3.8.1", "3.9.2", "4.0.2", "4.1.2", "4.2.2", "4.3.1", "4.4.0"),
)


def minor(version: str) -> str:
    """ "1.20.5" to "1.20"."""
    return ".".join(version.split(".")[:2])
