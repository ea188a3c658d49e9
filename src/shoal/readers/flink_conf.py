"""A `flink-conf.yaml` file: the legacy line grammar."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shoal.readers.conf_text import first_content, read_legacy
from shoal.text import MASK, Text

if TYPE_CHECKING:
    from shoal.readers import Reading

_MANIFEST = re.compile(r"(?m)^apiVersion:[ \t]")


def read(text: Text, out: Reading) -> None:
    """A file by the name of flink-conf.yaml; one that is a Kubernetes manifest after all is read as such."""
    if _MANIFEST.search(text.text):
        from shoal.readers import yaml_documents

        yaml_documents.read(text, out)
        return
    block = out.block("flink", "cluster", "flink-conf", first_content(text), open=f"#{MASK}" in text.text)
    read_legacy(text, out, block)
