"""Kubernetes resources that a Python program makes: as dicts, as Pulumi's CustomResource, or as YAML in a text; and what it asks of Amazon's
service for Flink.

Dicts are read as the JSON that they stand for. What a program makes it may change afterwards, so nothing is said of what one lacks.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from shoal.lazy import pattern
from shoal.python.literals import Literals, parsed
from shoal.readers import delegate
from shoal.readers.flink_command import ALLOWS
from shoal.readers.json_text import escaped
from shoal.text import MASK, Text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shoal.model import Span
    from shoal.readers import Reading

_TELLING = pattern(
    r"kinesisanalyticsv2|flink\.apache\.org/|sparkoperator\.k8s\.io/|flinkConfiguration\b|flink-conf\.yaml|allowNonRestoredState\b"
)
_RESOURCE = pattern(r"(?m)^[ \t]*apiVersion:[ \t]*\S*(?:flink|spark)")
_PUT_IN = pattern(r"\{\{|\}\}|\{(?:[^{}\n]|\{[^{}\n]*\})*\}")
_NAMED = pattern(r"\{\w*\}|%\(\w+\)[sd]|%[sd]")
_DEEPEST = 30
_MOST = 20_000
# The fields of a resource by the arguments of Pulumi's CustomResource.
_ARGUMENTS = {"api_version": "apiVersion", "kind": "kind", "metadata": "metadata", "spec": "spec"}
# What boto3's client for Amazon's service takes, by methods that other clients have too; and what only its dicts have.
_REQUESTS = ("create_application", "start_application", "update_application")
_REQUEST = {"RuntimeEnvironment", "RunConfiguration", "RunConfigurationUpdate", "ApplicationConfigurationUpdate"}
_PARTS = {
    "ApplicationSnapshotConfiguration",
    "ApplicationSnapshotConfigurationUpdate",
    "ApplicationRestoreConfiguration",
    "FlinkApplicationConfiguration",
    "FlinkApplicationConfigurationUpdate",
    "FlinkRunConfiguration",
}


def read(text: Text, out: Reading) -> None:
    """The resources that a module writes out. Never raises for what the text holds."""
    if _TELLING.search(text.text) and (tree := parsed(text.text)) is not None:
        _Manifests(text, out, tree).collect()


class _Manifests(Literals):
    def collect(self) -> None:
        self.parts: list[tuple[str, int]] = []
        self.seen: set[int] = set()
        nodes = list(ast.walk(self.tree))
        told = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}  # docstrings
        # the parts of an f-string are read with it
        told |= {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
        for node in nodes:
            if (
                (isinstance(node, ast.Dict) and {"apiVersion", "kind"} <= self.keys(node))
                or (isinstance(node, ast.Call) and {"api_version", "kind"} <= {keyword.arg for keyword in node.keywords})
                or (isinstance(node, ast.expr) and self.request(node))
            ):
                self.resource(node)
        for node in nodes:
            if isinstance(node, ast.Dict) and id(node) not in self.seen and self.keys(node) & {"flinkConfiguration", *_PARTS}:
                self.resource(node)
            elif isinstance(node, ast.Dict) and id(node) not in self.seen:
                for key, value in zip(node.keys, node.values, strict=True):
                    if key is not None and self.string(key) == "allowNonRestoredState" and self.scalar(value) == "true":
                        self.allows(self.span(key), self.span(value))
            elif isinstance(node, (ast.Constant, ast.JoinedStr)) and id(node) not in self.seen and id(node) not in told:
                written = self.written(node)
                if written is not None and _RESOURCE.search(written.text):
                    delegate.manifests(written, self.out)
                elif written is not None and "run?" in written.text and (found := ALLOWS.search(written.text)):
                    self.allows(written.span(*found.span()), written.span(found.end(), found.end()))

    def allows(self, key: Span, value: Span) -> None:
        """A request to Flink's REST API that starts a job whatever becomes of its state."""
        block = self.out.block("flink", "command", "command", key, open=True)
        self.out.setting(block, "--allowNonRestoredState", "true", key, value)

    def keys(self, node: ast.Dict) -> set[str]:
        return {self.string(key) for key in node.keys if key is not None}

    def request(self, node: ast.expr) -> bool:
        """Whether a call or dict is what Amazon's service is asked for."""
        if isinstance(node, ast.Call):
            names = {keyword.arg for keyword in node.keywords}
            return isinstance(node.func, ast.Attribute) and node.func.attr in _REQUESTS and bool(names & _REQUEST)
        return isinstance(node, ast.Dict) and {"ApplicationName", "RuntimeEnvironment"} <= self.keys(node)

    def resource(self, node: ast.expr) -> None:
        """A resource, or the part of one that holds a conf."""
        from shoal.readers import yaml_documents
        from shoal.readers.yaml_tree import TooMuch, Tree, compose

        if id(node) in self.seen:
            return
        self.parts = []
        self.value(node, 0)
        body = self.text.compose(self.parts)
        roots, errors = compose(body.text)
        if errors or not roots:
            return
        templated, self.out.templated = self.out.templated, True  # what is lacking may be added later
        try:
            yaml_documents.read_root(Tree(body, self.out), roots[0], "")
        except TooMuch:
            pass
        finally:
            self.out.templated = templated

    def value(self, node: ast.expr | None, depth: int) -> None:
        given, node = node, self.followed(node)
        if node is not None:
            self.seen.add(id(node))
        if depth > _DEEPEST or len(self.parts) > _MOST:
            self.unknown(given)
        elif isinstance(node, ast.Dict):
            self.mapping(node, zip(node.keys, node.values, strict=True), depth)
        elif isinstance(node, ast.Call) and depth == 0:
            self.mapping(node, ((keyword, keyword.value) for keyword in node.keywords if keyword.arg), depth)
        elif isinstance(node, (ast.List, ast.Tuple)):
            span = self.span(node)
            self.parts.append(("[", span.start))
            for number, part in enumerate(node.elts):
                if number:
                    self.parts.append((",", self.span(part).start))
                self.value(part, depth + 1)
            self.parts.append(("]", span.end - 1))
        elif isinstance(node, (ast.Constant, ast.JoinedStr)) and (written := self.written(node)) is not None:
            self.quoted(written, node)
        elif isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, (bool, int, float))):
            shown = "null" if node.value is None else str(node.value).lower()
            self.parts.append((shown, self.span(node).start))
        else:
            self.unknown(given)

    def mapping(self, node: ast.expr, entries: Iterator[tuple[ast.AST | None, ast.expr]], depth: int) -> None:
        span = self.span(node)
        self.parts.append(("{", span.start))
        for key, value in entries:
            if key is None:  # **more
                continue
            name = (
                _ARGUMENTS.get(key.arg or "", key.arg)
                if isinstance(key, ast.keyword)
                else self.string(key)
                if isinstance(key, ast.expr)
                else ""
            )
            at = self.span(key)
            self.parts.append(('"', max(0, at.start - 1)))
            self.parts += escaped(Text(name or MASK, [(0, at.start)]))
            self.parts += [('"', at.end), (":", at.end)]
            self.value(value, depth + 1)
            self.parts.append((",", self.span(value).end))
        self.parts += [(f"\n#{MASK}\n", span.end - 1), ("}", span.end - 1)]

    def quoted(self, written: Text, node: ast.expr) -> None:
        span = self.span(node)
        self.parts.append(('"', max(0, span.start - 1)))
        self.parts += escaped(written)
        self.parts.append(('"', span.end))

    def unknown(self, node: ast.expr | None) -> None:
        at = self.span(node).start if node is not None else 0
        self.parts += [('"', at), (MASK, at), ('"', at)]

    def written(self, node: ast.expr) -> Text | None:
        """A text, with what is put into it masked; None for anything else."""
        if isinstance(node, ast.Constant):
            whole = self.text_of(node)
            return whole and whole.compose([(_NAMED.sub(lambda name: MASK * len(name.group()), whole.text), 0)])
        if not isinstance(node, ast.JoinedStr):
            return None
        span = self.span(node)
        source = self.text.text[span.start : span.end]
        opening = _OPENING.match(source)
        if opening is None or "\\" in source or not source.endswith(opening.group(1)) or source.count(opening.group(1)) != 2:
            return Text(MASK, [(0, span.start)])  # escapes, or several literals
        start, end = span.start + opening.end(), span.end - len(opening.group(1))
        parts: list[tuple[str, int]] = []
        at = start
        for found in _PUT_IN.finditer(self.text.text, start, end):
            parts.append((self.text.text[at : found.start()], at))
            parts.append((found.group()[0] if found.group() in ("{{", "}}") else MASK * len(found.group()), found.start()))
            at = found.end()
        parts.append((self.text.text[at:end], at))
        return self.text.compose(parts)


_OPENING = pattern(r"[fFrR]{1,2}('''|\"\"\"|'|\")")
