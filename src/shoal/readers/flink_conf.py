"""A `flink-conf.yaml` file: the legacy line grammar."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shoal.lazy import pattern
from shoal.readers.conf_text import first_content, read_legacy
from shoal.text import MASK, Text

if TYPE_CHECKING:
    from shoal.readers import Reading

_MANIFEST = pattern(r"(?m)^apiVersion:[ \t]")
# Only under this name Flink reads the legacy format; `flink-conf-dev.yml` may be mounted as config.yaml.
_NAME = pattern(r"(?:.*[/\\])?flink-conf\.ya?ml(?:\.\w+)?", re.IGNORECASE)
_NESTED = pattern(r"(?m)^[a-z][\w-]*:[ \t]*(?:#[^\r\n]*)?\r?\n[ \t]+[A-Za-z]")


def read(text: Text, out: Reading) -> None:
    """A file by the name of flink-conf.yaml; one that is a manifest, or YAML under another name, is read as such."""
    from shoal.readers.flink_yaml import read_overwritten

    if read_overwritten(text, out):
        return
    if _MANIFEST.search(text.text) or (not _NAME.fullmatch(out.path) and _NESTED.search(text.text)):
        from shoal.readers import yaml_documents

        yaml_documents.read(text, out)
        return
    block = out.block("flink", "cluster", "flink-conf", first_content(text), open=f"#{MASK}" in text.text)
    read_legacy(text, out, block)
