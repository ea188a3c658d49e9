"""Kubernetes secrets whose `data` are no base64: the API server refuses the whole object, and pods that take something of it wait."""

from __future__ import annotations

import base64
import binascii
import re

from shoal.lazy import pattern
from shoal.readers.yaml_tree import Node, Tree, get, is_null, is_plain, items, scalar
from shoal.text import MASK

_STREAMING = pattern(r"flink|spark|kafka|beam|debezium|schema-?registry|brokers?\b", re.IGNORECASE)
# What something else puts in before the file is sent: templates, SOPS, plugins of Argo CD, and words that ask for it.
_FILLED_IN = pattern(
    r"[<>{}$%]|\bENC\[|^ref\+|__|\.\.\.|^\W*$|(?:^|[^a-z])(?:base64|change|replace|your|todo|fixme|xxx|insert|put|example|placeholder|redacted)",
    re.IGNORECASE,
)
_NAME = pattern(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")  # of what is to be put in
_NUMBER = pattern(r"[-+]?(?:0|[1-9]\d*)(?:\.\d+)?|true|false|True|False")


def read_secret(tree: Tree, root: Node) -> None:
    """Its values that are refused, by their keys."""
    if get(root, "sops") is not None or not _STREAMING.search(tree.source):
        return
    for item in items(get(root, "data"))[:1000]:
        text = scalar(item.value)
        if text is None or is_null(item.value) or MASK in text or tree.hidden(item) or _FILLED_IN.search(text) or _NAME.fullmatch(text):
            continue
        if is_plain(item.value) and _NUMBER.fullmatch(text):
            tree.out.oddity("secret-not-base64", item.key, tree.span(item.value), "a number or a boolean, where base64 in a text is wanted")
        elif not _is_base64(text):
            tree.out.oddity("secret-not-base64", item.key, tree.span(item.value), "plain text, where base64 is wanted")


def _is_base64(text: str) -> bool:
    """As Go's decoder sees it, which passes over the ends of lines and nothing else."""
    try:
        base64.b64decode(text.replace("\r", "").replace("\n", ""), validate=True)
    except (binascii.Error, ValueError):
        return False
    return True
