"""Container image references: `registry:5000/apache/flink:1.18.1-scala_2.12-java11@sha256:…`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from shoal.readers import versions
from shoal.text import MASK

if TYPE_CHECKING:
    from shoal.facts import Block
    from shoal.model import Span
    from shoal.readers import Reading


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


def read_image(ref: str, span: Span, out: Reading, block: Block | None = None) -> None:
    """Add an `image` dependency. Without a block only the images of engines are of interest; a manifest's own image always is."""
    if MASK in ref or "$" in ref:
        return
    image = parse(ref)
    if image is None or (block is None and not versions.image_engine(image.name)):
        return
    exact = bool(image.digest) or bool(re.match(r"v?\d+\.\d+|(?:.*-)?spark-\d", image.tag))
    out.dependency("image", image.name, image.tag, span, exact, block)
