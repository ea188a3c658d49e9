"""`shoal init`: write a commented settings file."""

from __future__ import annotations

import argparse
import os

from shoal.cli import CLEAN, UsageError
from shoal.commands import common
from shoal.files import read_bytes, write_bytes

_SETTINGS = """\
# Settings of shoal. Everything here is optional; what is commented out shows an example or the default.

# Rules: ids, globs (`kafka-*`), `engine:<name>`, `tag:<name>` or `all`. `shoal rules` lists them.
# select = ["engine:flink", "engine:kafka"]
# extend-select = []
# ignore = []

# The least that is reported.
# severity = "info"       # info, warning, error
# confidence = "low"      # low, medium, high

# Paths, written as in a .gitignore. What git ignores is left out anyway.
# exclude = ["examples/"]
# include = []            # checked although ignored, vendored or generated
# max-file-size = "2 MB"
# timeout = 30            # seconds a file

# Findings that are known and do not count; `shoal baseline` writes the file.
# baseline = ".shoal-baseline.json"

# What makes a run exit with 1; without it, any finding does.
# fail-on = ["error:high"]

# Further rules: folders of YAML rules, and `shoal.rules` entry points of installed packages.
# rule-paths = ["lint/rules"]
# rule-packages = []

# Files whose name does not say what they are.
# [{prefix}kinds]
# "conf/*.cfg" = "flink-conf"

# Options of one rule; `shoal explain <rule>` shows what it has.
# [{prefix}rules.checkpoint-timeout-too-short]
# severity = "error"
# warn-below = "1 min"

# Other settings for some paths.
# [[{prefix}overrides]]
# paths = ["dev/", "*.local.yaml"]
# ignore = ["engine:kafka"]
# severity = "error"
"""


def run(arguments: argparse.Namespace) -> int:
    if arguments.pyproject:
        _section("pyproject.toml")
        return CLEAN
    if os.path.lexists("shoal.toml"):
        raise UsageError("shoal.toml is there already")
    with common.writing("shoal.toml"):
        write_bytes("shoal.toml", _SETTINGS.format(prefix="").encode())
    print("wrote shoal.toml")
    return CLEAN


def _section(file: str) -> None:
    try:
        before = read_bytes(file, 5_000_000)
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from error
    if b"[tool.shoal" in before:
        raise UsageError(f"{file} has a section for shoal already")
    text = "[tool.shoal]\n" + _SETTINGS.format(prefix="tool.shoal.")
    gap = b"" if not before else b"\n" if before.endswith(b"\n") else b"\n\n"
    with common.writing(file):
        write_bytes(file, before + gap + text.encode(), os.stat(file))
    print(f"added [tool.shoal] to {file}")
