"""Container image references: `registry:5000/apache/flink:1.18.1-scala_2.12-java11@sha256:…`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shoal.facts import Dependency
from shoal.lazy import pattern
from shoal.readers import versions
from shoal.records import NamedTuple
from shoal.text import MASK

if TYPE_CHECKING:
    from shoal.facts import Block
    from shoal.model import Place, Span
    from shoal.readers import Reading


# What Bitnami took from Docker Hub in September 2025: all tags of versions are at bitnamilegacy since, unchanged, and of Kafka nothing is left, `latest` neither.
_WITHDRAWN = pattern(r"(?:(?:index\.|registry-1\.)?docker\.io/)?bitnami/(kafka|zookeeper|spark|flink|schema-registry)(?::([\w.-]+))?")
_VARIABLE = pattern(r"\$\{?(\w+)(?::?-([^{}$]*))?\}?")


class Image(NamedTuple):
    """`name` is the repository without its registry; `tag` and `digest` may be empty."""

    name: str
    tag: str
    digest: str


def parse(reference: str) -> Image | None:
    """The parts of an image reference, or None when it is not one."""
    rest, _, digest = reference.strip().partition("@")
    at = rest.rfind(":")
    tag = ""
    if at > rest.rfind("/"):
        rest, tag = rest[:at], rest[at + 1 :]
    name = versions.repository(rest)
    if not name or re.search(r"\s", rest):
        return None
    return Image(name, tag, digest)


def filled(reference: str, arguments: dict[str, str], place: Place) -> Dependency | None:
    """The image that a reference with variables names once these are given; None when they are not, or when it is no engine's."""
    names = set(_VARIABLE.findall(reference))
    if not names or not any(name in arguments for name, _ in names):
        return None
    ref = _VARIABLE.sub(lambda match: arguments.get(match.group(1)) or match.group(2) or match.group(), reference)
    image = parse(ref)
    if "$" in ref or image is None or not versions.image_engine(image.name):
        return None
    return Dependency("image", image.name, image.tag, place, _numbered(image))


def named(reference: str, place: Place, block: str) -> Dependency | None:
    """The image of a block, where a reference names one."""
    image = parse(reference)
    return Dependency("image", image.name, image.tag, place, _exact(image), block) if image is not None else None


def unpacked(archive: str, arguments: dict[str, str], place: Place) -> Dependency | None:
    """The same of an engine whose archive an image unpacks: its name and version."""
    name, _, version = archive.partition(" ")
    given = _VARIABLE.sub(lambda match: arguments.get(match.group(1)) or match.group(), version)
    return Dependency("archive", name, given, place) if given != version and "$" not in given else None


def read_image(ref: str, span: Span, out: Reading, block: Block | None = None) -> None:
    """Add an `image` dependency. Without a block only the images of engines are of interest; a manifest's own image always is."""
    if MASK in ref or "$" in ref:
        return
    withdrawn = _WITHDRAWN.fullmatch(ref.strip())
    if withdrawn is not None and (withdrawn[1] == "kafka" or withdrawn[2] not in (None, "latest")):
        out.oddity("image-withdrawn", ref.strip(), span, withdrawn[1], block)
    image = parse(ref)
    if image is None or (block is None and not versions.image_engine(image.name)):
        return
    out.dependency("image", image.name, image.tag, span, _exact(image), block)


def _exact(image: Image) -> bool:
    return bool(image.digest) or _numbered(image)


def _numbered(image: Image) -> bool:
    """Whether its tag tells a version."""
    return re.match(r"v?\d+\.\d+|(?:.*-)?spark-\d", image.tag) is not None
