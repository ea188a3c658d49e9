"""Releases of the engines that are fetched from the servers where the Apache Software Foundation keeps the newest ones alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.lazy import pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.readers import Reading
    from shoal.text import Text

_DOWNLOAD = pattern(
    r"https?://((?:dlcdn|downloads)\.apache\.org|www\.apache\.org/dist)/(flink|spark|kafka)/[^\s/\"']+/(?:flink|spark|kafka_[\w.${}]+?)-([\w.${}]+?)(?=-bin-|-incubating|\.tgz|\.tar\.gz)"
)
_VARIABLE = pattern(r"\$(?:\{(\w+)\}|(\w+))")
_SET = pattern(r"(?m)^[ \t]*(?:export[ \t]+|readonly[ \t]+)?(\w+)=[\"']?([\w.]+)[\"']?[ \t]*$")


def read_downloads(body: Text, out: Reading, values: Mapping[str, str]) -> None:
    """One oddity for each release, at its address. Who names the archive as well goes there where the first one fails."""
    if "apache.org/" not in body.text or "archive.apache.org" in body.text:
        return
    for found in _DOWNLOAD.finditer(body.text):
        version = _VARIABLE.sub(lambda match: values.get(match[1] or match[2], match[0]), found[3])
        line = body.text.rfind("\n", 0, found.start()) + 1
        if "$" not in version and not body.text[line : found.start()].lstrip().startswith("#"):
            out.oddity("newest-releases-only", f"{found[2]} {version}", body.span(found.start(), found.start() + len(found[0])), found[1])


def read_script(text: Text, out: Reading) -> None:
    """The same of a script, with what it sets once."""
    if "apache.org/" in text.text:
        given = _SET.findall(text.text)
        names = [name for name, _ in given]
        read_downloads(text, out, {name: value for name, value in given if names.count(name) == 1})
