"""Kafka's command-line tools under names that an image does not find: Confluent's has `kafka-topics` on its path, Bitnami's `kafka-topics.sh`, Apache's neither.

Source: the Dockerfiles of the images; apache/kafka has the scripts in /opt/kafka/bin and leaves PATH alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shoal.lazy import pattern

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shoal.model import Span
    from shoal.readers.yaml_tree import Tree

_TOOLS = (
    r"kafka-(?:topics|configs|acls|storage|get-offsets|console-(?:consumer|producer)|broker-api-versions|consumer-groups|metadata-quorum|"
    r"leader-election|reassign-partitions|delete-records|log-dirs|producer-perf-test|consumer-perf-test|run-class|server-start)"
)
_TOOL = pattern(rf"({_TOOLS})(\.sh)?")
# Where a shell takes a word for a command.
_COMMAND = pattern(
    rf"(?:^|[;&|(!`]|\b(?:if|then|do|else|until|while|exec|nohup|time|timeout\s+\d+\w?)\s)\s*({_TOOLS}(?:\.sh)?)(?=[\s;&|)`]|$)",
    re.MULTILINE,
)
# Who looks for it, or says where it is.
_LOOKS = pattern(r"\bPATH=|command -v|\bwhich\b|\bcd\s+\S*kafka|\balias\b")
_IMAGES = (
    (pattern(r"(?:docker\.io/)?apache/kafka"), (("", "/opt/kafka/bin/{}.sh"), (".sh", "/opt/kafka/bin/{}.sh"))),
    (pattern(r"(?:docker\.io/)?confluentinc/cp-(?:(?:enterprise-)?kafka|server)"), ((".sh", "{}"),)),
    (pattern(r"(?:docker\.io/)?(?:bitnami|bitnamilegacy)/kafka"), (("", "{}.sh"),)),
)


def meant(image: str, word: str) -> str:
    """What a tool is called in an image where it is not found under this name; empty where it is, and for any other program or image."""
    tool = _TOOL.fullmatch(word)
    name = image.partition("@")[0]
    name = name[: name.rfind(":")] if ":" in name.rpartition("/")[2] else name
    ways = next((ways for images, ways in _IMAGES if images.fullmatch(name)), ())
    return next((right.format(tool[1]) for ending, right in ways if tool is not None and ending == (tool[2] or "")), "") if tool else ""


def read(tree: Tree, image: str, words: list[tuple[str, Span]]) -> None:
    """An oddity for the first such tool in what a container or a check of it runs, by itself or in a script for a shell."""
    if _LOOKS.search(" ".join(word for word, _ in words)):
        return
    for at, (word, span) in enumerate(words):
        found: Iterable[str] = _COMMAND.findall(word) if " " in word.strip() or "\n" in word else [word] if at == 0 else []
        called = list(found)
        wrong = next((one for one in called if meant(image, one)), "")
        if wrong and all(meant(image, one) for one in called):  # of two ways of which one is tried after the other, the second may be right
            tree.out.oddity("tool-not-in-image", wrong, span, meant(image, wrong))
            return
