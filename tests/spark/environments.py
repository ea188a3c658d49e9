"""What is shipped to a Spark, made as the documentation says: shoal's wheel, and Python environments with and without it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent.parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "shoal-tests"
ARROW = ("pyarrow>=15", "pandas>=2.0,<3")


def needs() -> tuple[str, ...]:
    """What shoal itself depends on."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return tuple(project["project"]["dependencies"])


def environment(name: str, *packages: str) -> Path:
    """The Python of an environment of its own with these packages, without shoal; kept between runs, outside of the project."""
    folder = CACHE / f"{name}-{sha256(repr((sys.version, packages)).encode()).hexdigest()[:12]}"
    if not folder.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=CACHE))
        try:
            subprocess.run([sys.executable, "-m", "venv", str(made)], check=True)
            subprocess.run([str(made / "bin" / "python"), "-m", "pip", "install", "-q", *packages], check=True, timeout=600)
            made.rename(folder)  # nobody sees half of it; its Python is called by its path, not by scripts
        except OSError:  # another run was quicker
            if not folder.exists():
                raise
        finally:
            shutil.rmtree(made, ignore_errors=True)
    return folder / "bin" / "python"


def wheel(folder: Path) -> Path:
    """The wheel of this checkout."""
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(folder), str(ROOT)]
    subprocess.run(command, check=True, timeout=300)
    (found,) = folder.glob("shoal-*.whl")
    return found


class Shipped(NamedTuple):
    """Shoal as it travels: the wheel under the name that Spark wants, an environment with it, and that as an archive."""

    zip: Path
    python: Path
    archive: Path


def ship(folder: Path) -> Shipped:
    """All of it, made by the commands of the documentation."""
    built = wheel(folder)
    zipped = folder / "shoal.zip"
    shutil.copy(built, zipped)
    kept = environment("packed", *needs(), *ARROW, "venv-pack", "setuptools<81").parent.parent

    def link(source: str, target: str) -> None:
        try:
            os.link(source, target)
        except OSError:  # another disk
            shutil.copy2(source, target)

    shutil.copytree(kept, folder / "env", symlinks=True, copy_function=link)
    python, archive = folder / "env" / "bin" / "python", folder / "env.tar.gz"
    subprocess.run([str(python), "-m", "pip", "install", "-q", "--no-deps", str(built)], check=True, timeout=300)
    pack = [str(python), "-m", "venv_pack", "-q", "-p", str(folder / "env"), "-o", str(archive), "--compress-level", "1"]
    subprocess.run(pack, check=True, timeout=300)
    return Shipped(zipped, python, archive)
