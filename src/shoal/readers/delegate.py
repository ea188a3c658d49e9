"""What YAML readers hand on to the readers of other formats; they are imported only when a file needs them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shoal.lazy import pattern

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shoal.facts import Block
    from shoal.model import Span
    from shoal.readers import Reading
    from shoal.text import Text

_FLINK_SQL = pattern(r"\bSET\s+'[a-z][\w.\-]*'\s*=\s*'|EXECUTE\s+STATEMENT\s+SET", re.IGNORECASE)
_TABLE = pattern(r"CREATE\s+(?:TEMPORARY\s+)?(?:TABLE|CATALOG)\b", re.IGNORECASE)
# Each release of Flink's operator has a chart repository of its own; comments name old ones.
_OPERATOR = pattern(
    r"(?m)^[^#\n]*?(?:repo(?:sitory|URL)?|url)\"?[ \t]*[:=][ \t]*[\"']?https?://[^\s\"']*/flink-kubernetes-operator-(\d+(?:\.\d+)+)"
)
# The chart by name, where another file says where it comes from: its version is among the keys beside it.
_CHART = pattern(
    r"(?m)^([ \t]+|[ \t]*-[ \t]+)(?:chart|(?<=-[ \t])name)[ \t]*[:=][ \t]*"
    r"[\"']?(?:[\w./:-]+/)?(flink-kubernetes-operator|strimzi-kafka-operator)[\"']?[ \t\r]*$"
)
_OPTIONS = pattern(r"\bWITH\s*\(\s*'[\w.\-]+'\s*=", re.IGNORECASE)
_LIKE_OPTION = pattern(r"(?:JOB|TASK)_?MANAGER_[A-Z]")
_READ_BY_IMAGE = frozenset({"JOB_MANAGER_RPC_ADDRESS", "TASK_MANAGER_NUMBER_OF_TASK_SLOTS"})


def image(ref: str, span: Span, out: Reading, block: Block | None) -> None:
    """An image reference such as `flink:1.20-java11`."""
    if ref:
        from shoal.readers.images import read_image

        read_image(ref, span, out, block)


def command(text: Text, out: Reading, parent: Block | None) -> None:
    """A shell command as one text."""
    if text.text.strip():
        from shoal.readers.command_line import read_command

        read_command(text, out, parent)


def arguments(words: list[tuple[str, Text]], out: Reading, parent: Block | None) -> None:
    """An argument list."""
    if words:
        from shoal.readers.command_line import read_arguments

        read_arguments(words, out, parent)


def sql(text: Text, out: Reading, parent: Block | None) -> None:
    """A script of Flink SQL."""
    from shoal.readers.sql import read_sql

    read_sql(text, out, parent)


def is_flink_sql(text: str) -> bool:
    """A table with options, a quoted SET, or a statement set: no other engine writes these so."""
    return bool(_FLINK_SQL.search(text) or (_TABLE.search(text) and _OPTIONS.search(text)))


def scripts(texts: Iterable[Text], out: Reading, parent: Block | None) -> None:
    """Scripts of Flink SQL among the variables or the arguments of what runs."""
    for text in texts:
        if len(text.text) > 20 and is_flink_sql(text.text):
            sql(text, out, parent)


def jars(text: Text, out: Reading, block: Block | None) -> None:
    """Jar names in a path, a URL or a list of them."""
    from shoal.readers.jars import read_jars

    read_jars(text, out, block)


def mounted_jar(path: str, source: str, span: Span, out: Reading, block: Block | None) -> None:
    """A jar that a volume puts somewhere, under its own name or another."""
    from shoal.readers.jars import parse, read_jars_in

    read_jars_in(path if parse(path.rsplit("/", 1)[-1]) else source, span, out, block)


def coordinates(text: Text, out: Reading, block: Block | None) -> None:
    """Maven coordinates, separated by commas, as `--packages` takes them."""
    from shoal.readers.jars import read_coordinates

    read_coordinates(text, out, block)


def requirement(text: Text, out: Reading) -> None:
    """A specifier as `pip install` takes it."""
    from shoal.readers.requirements import read_requirement

    read_requirement(text, out)


def package(name: str, version: str, span: Span, out: Reading) -> None:
    """A package of Python's at a version that something else than pip installs."""
    from shoal.readers.requirements import read_resolved

    read_resolved(f"{name}=={version}", span, out)


def manifests(text: Text, out: Reading) -> None:
    """Kubernetes resources as a text in another file; what does not parse there is no problem of that file."""
    from shoal.readers import yaml_documents
    from shoal.readers.yaml_tree import Tree, documents

    problems = len(out.problems)
    roots = documents(text, out)
    del out.problems[problems:]
    for root in roots:
        yaml_documents.read_root(Tree(text, out), root, "")


def operators(text: Text, out: Reading) -> None:
    """The release of Flink's Kubernetes operator, or Strimzi's, that a chart comes from: in Terraform, an Argo CD application, a chart's dependencies."""
    if "/flink-kubernetes-operator-" in text.text:
        for found in _OPERATOR.finditer(text.text):
            out.dependency("field", "flink-kubernetes-operator", found.group(1), text.span(*found.span(1)))
    elif "flink-kubernetes-operator" in text.text or "strimzi-kafka-operator" in text.text:
        for chart in _CHART.finditer(text.text):
            depth = len(chart.group(1))
            # the mapping or block that holds the line: what is indented as deep, up to where something ends on either side
            start = max((end.start() for end in re.finditer(rf"(?m)^[ \t]{{0,{depth - 1}}}[^\s#]", text.text[: chart.end()])), default=0)
            after = re.compile(rf"(?m)^[ \t]{{0,{depth - 1}}}[^\s#]").search(text.text, chart.end())
            beside = re.compile(
                rf"(?m)^[ \t-]{{{depth}}}(?:version|targetRevision)[ \t]*[:=][ \t]*[\"']?v?(\d+(?:\.\d+)+)[\"']?[ \t\r]*(?:#|$)"
            )
            if version := beside.search(text.text, start, after.start() if after else len(text.text)):
                name = "strimzi" if chart.group(2).startswith("strimzi") else chart.group(2)
                out.dependency("field", name, version.group(1), text.span(*version.span(1)))


def unread_variables(variables: Iterable[tuple[str, str, Span]], others: str, out: Reading, block: Block) -> None:
    """Environment variables (name, value, place) that are named like options and that the entry point of the stock Flink image does not read.

    Source: `docker-entrypoint.sh` of the image. What `others` names is read by the container's own commands.
    """
    for name, value, span in variables:
        if _LIKE_OPTION.match(name) and name not in _READ_BY_IMAGE and not re.search(rf"\$\{{?{re.escape(name)}\b", others):
            out.oddity("variable-not-read", name, span, value, block)
