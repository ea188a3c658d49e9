"""Shoal out of a wheel that Spark ships with `--py-files`: Python imports it from the archive, but rules and catalogues are files."""

from __future__ import annotations

import importlib
import os
import shutil
import sys
import zipfile
from zipimport import zipimporter


def archive() -> str:
    """The archive that this very package is imported from; empty when it is installed."""
    loader = globals()["__spec__"].loader
    return loader.archive if isinstance(loader, zipimporter) else ""


def unpack() -> None:
    """Unpack the wheel beside itself, in a folder that is this Spark application's own, and import from there from now on."""
    wheel = archive()
    if not wheel:
        return
    target = f"{wheel}.unpacked"
    if not os.path.isdir(target):
        scratch = f"{target}-{os.getpid()}"
        with zipfile.ZipFile(wheel) as opened:
            opened.extractall(scratch)
        try:
            os.rename(scratch, target)
        except OSError:  # another worker was quicker
            shutil.rmtree(scratch, ignore_errors=True)
    sys.path.insert(0, target)
    for name in [name for name in sys.modules if name == "shoal" or name.startswith("shoal.")]:
        del sys.modules[name]
    importlib.invalidate_caches()
