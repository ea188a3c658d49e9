"""Released artefacts, brought into a cache directory by pip and Maven."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

# The older plug-in copies a jar whose parent's descriptor cannot be had, the newer one serves newer Mavens.
_PLUGINS = ("3.6.1", "2.8")


class FetchError(RuntimeError):
    """pip, Maven or Java failed; the message ends with what it printed."""


class Coordinates(NamedTuple):
    """A Maven artefact."""

    group: str
    artifact: str
    version: str
    classifier: str = ""

    @property
    def jar(self) -> str:
        return f"{self.artifact}-{self.version}{self.classifier and '-'}{self.classifier}.jar"


def coordinates(text: str) -> Coordinates:
    """ "group:artifact:version", and ":classifier" of one of several jars, taken apart."""
    return Coordinates(*text.split(":"))


def run(command: Sequence[str], directory: Path | None = None) -> str:
    """Standard output of a command; FetchError when it fails."""
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode:
        raise FetchError(f"{' '.join(command[:6])} …: {(done.stderr + done.stdout)[-2000:]}")
    return done.stdout


def maven(cache: Path, wanted: Iterable[str]) -> list[Path]:
    """The jars of "group:artifact:version" entries, in one Maven run, without what they depend on."""
    jars = cache / "maven"
    jars.mkdir(parents=True, exist_ok=True)
    artefacts = [coordinates(text) for text in wanted]
    missing = [one for one in artefacts if not (jars / one.jar).exists()]
    if missing:
        items = "".join(f"<artifactItem>{_xml(one)}</artifactItem>" for one in missing)
        configuration = (
            f"<configuration><outputDirectory>{escape(str(jars))}</outputDirectory><artifactItems>{items}</artifactItems></configuration>"
        )
        for version in _PLUGINS:
            plugin = f"<plugin><artifactId>maven-dependency-plugin</artifactId><version>{version}</version>{configuration}</plugin>"
            with tempfile.TemporaryDirectory() as directory:
                pom = _pom(Path(directory), f"<build><plugins>{plugin}</plugins></build>")
                try:
                    run(["mvn", "-q", "-B", "-f", str(pom), f"org.apache.maven.plugins:maven-dependency-plugin:{version}:copy"])
                    break
                except FetchError:
                    if version == _PLUGINS[-1]:
                        raise
    for one in artefacts:
        if not (jars / one.jar).exists():
            raise FetchError(f"Maven brought no {one.jar}")
    return [jars / one.jar for one in artefacts]


def classpath(cache: Path, wanted: str) -> list[Path]:
    """The jar of a "group:artifact:version" and those that it needs to run."""
    place = cache / "classpath" / wanted.replace(":", "_")
    if not (place / ".complete").exists():
        with tempfile.TemporaryDirectory() as directory:
            pom = _pom(Path(directory), f"<dependencies><dependency>{_xml(coordinates(wanted))}</dependency></dependencies>")
            copy = f"org.apache.maven.plugins:maven-dependency-plugin:{_PLUGINS[0]}:copy-dependencies"
            run(["mvn", "-q", "-B", "-f", str(pom), copy, "-DincludeScope=runtime", f"-DoutputDirectory={place}"])
        (place / ".complete").touch()
    return sorted(place.glob("*.jar"))


def _xml(one: Coordinates) -> str:
    parts = {"groupId": one.group, "artifactId": one.artifact, "version": one.version, "classifier": one.classifier}
    return "".join(f"<{name}>{escape(value)}</{name}>" for name, value in parts.items() if value)


def _pom(directory: Path, body: str) -> Path:
    pom = directory / "pom.xml"
    head = '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
    pom.write_text(
        f"{head}<groupId>catalogue</groupId><artifactId>catalogue</artifactId><version>1</version><packaging>pom</packaging>{body}</project>"
    )
    return pom


def pip(cache: Path, requirement: str, *, platform: str | None = None, python: str | None = None) -> Path:
    """The wheel or sdist of "name==version", without what it depends on."""
    place = cache / "pip" / requirement
    found = sorted(place.glob("*.whl")) + sorted(place.glob("*.tar.gz")) + sorted(place.glob("*.zip"))
    if not found:
        place.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(place), requirement]
        if platform:
            command += ["--only-binary=:all:", "--platform", platform]
        if python:
            command += ["--python-version", python, "--only-binary=:all:"]
        run(command)
        found = sorted(place.iterdir())
    return found[0]


def unpack(archive: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """The members of a wheel or sdist whose names end so, unpacked beside it once."""
    place = archive.parent / "unpacked"
    if not (place / ".complete").exists():
        place.mkdir(parents=True, exist_ok=True)
        if archive.name.endswith((".whl", ".zip")):
            with zipfile.ZipFile(archive) as wheel:
                for name in wheel.namelist():
                    if name.endswith(suffixes):
                        wheel.extract(name, place)
        else:
            with tarfile.open(archive) as sdist:
                for member in sdist:
                    if member.isfile() and member.name.endswith(suffixes):
                        sdist.extract(member, place)
        (place / ".complete").touch()
    return sorted(path for path in place.rglob("*") if path.is_file() and path.as_posix().endswith(suffixes))


def java(source: str, arguments: Sequence[str]) -> str:
    """Standard output of one of the extractors in `java/`."""
    path = Path(__file__).parent / "java" / source
    # A fixed processor count and home keep what options compute from the machine out of the tables.
    settings = [
        "-XX:ActiveProcessorCount=4",
        "-Duser.home=/home/user",
        "-Djava.io.tmpdir=/tmp",
        "-Duser.timezone=UTC",
        "-Dfile.encoding=UTF-8",
    ]
    return run(["java", *settings, str(path), *arguments])
