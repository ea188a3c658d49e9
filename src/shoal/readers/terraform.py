"""Terraform: config maps, manifests, chart values and job settings in HCL, read by the readers of YAML as the JSON that they stand for.

Only what is written out counts: whatever a variable, a function or a condition makes is masked, and so is unknown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shoal.lazy import pattern
from shoal.text import MASK

if TYPE_CHECKING:
    from shoal.readers import Reading
    from shoal.readers.yaml_tree import Node
    from shoal.text import Text

_TELLING = re.compile(r"flink|spark|kafka-connect|connector\.class", re.IGNORECASE)
_BLOCK = pattern(r"(?m)^(resource|module|locals)[ \t]*(?:\"([\w-]+)\"[ \t]*)?(?:\"[\w-]+\"[ \t]*)?(?=\{)")
_BLANK = pattern(r"(?:[ \t\r\n]|#[^\n]*|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_NAME = pattern(r"[A-Za-z_][\w-]*")
_LITERAL = pattern(r"(?:true|false|null|-?\d+(?:\.\d+)?)(?=[ \t]*(?:[\r\n,}\])#]|//|$))")
_ENDED = pattern(r"[ \t]*(?:$|[\r\n,}\])#]|//|/\*)")
_ENCODED = pattern(r"(?:yamlencode|jsonencode)\([ \t\r\n]*(?=[{\[])")
_HEREDOC = pattern(r"<<(-?)[ \t]*(\w+)[ \t]*\r?\n")
_STRING_END = pattern(r"\$\$\{|%%\{|\$\{|%\{|\\.|\"|\n")
# Resources whose fields are those of CloudFormation, spelled as Terraform does.
_CLOUD_FORMATION = ("aws_kinesisanalyticsv2_application",)
_LARGEST = 2_000_000
_DEEPEST = 100


def read(text: Text, out: Reading) -> None:
    """Read the blocks of a file that name an engine."""
    if len(text.text) > _LARGEST:
        return
    for found in _BLOCK.finditer(text.text):
        parts: list[tuple[str, int]] = []
        kind = found.group(2) or ""
        try:
            end = _Converter(text.text, parts, kind in _CLOUD_FORMATION).body(found.end(), 0)
        except _Unclosed:
            if _TELLING.search(text.text, found.start()):
                said = "not valid HCL: the block that begins here is never closed"
                out.problem("unparsable", said, text.at(found.start()), help="close it, or exclude the file")
            return
        except ValueError:  # not HCL, or a form that is not known here
            continue
        if _TELLING.search(text.text, found.start(), end):
            _read_block(kind, text.compose(parts), out)


def _read_block(kind: str, body: Text, out: Reading) -> None:
    from shoal.readers import delegate, json_documents, yaml_documents
    from shoal.readers.embedded import read_file
    from shoal.readers.yaml_tree import TooMuch, Tree, compose, elements, get, is_mapping, items, scalar

    roots, errors = compose(body.text)
    if errors or not roots:
        return
    tree, root = Tree(body, out), roots[0]
    try:
        if kind.startswith("kubernetes_config_map"):
            for item in items(get(root, "data")):
                read_file(tree, item, "configmap", scalar(get(root, "metadata", "name")) or "")
        elif kind == "kubernetes_manifest":
            manifest = get(root, "manifest")
            if manifest is not None:
                yaml_documents.read_root(tree, manifest, "")
        elif kind == "kubectl_manifest":
            manifest = get(root, "yaml_body")
            if scalar(manifest) is not None and manifest is not None:
                delegate.manifests(tree.value(manifest), out)
        elif kind == "helm_release":
            for value in elements(get(root, "values")):
                _chart_values(tree, value, out)
        elif is_mapping(root) and not json_documents.read_known(tree, root):
            yaml_documents.read_root(tree, root, "")
    except TooMuch:
        return


def _chart_values(tree, node: Node, out: Reading) -> None:  # type: ignore[no-untyped-def]
    from shoal.readers import chart_values, yaml_documents
    from shoal.readers.yaml_tree import Tree, compose, is_mapping, scalar

    roots = [node]
    if scalar(node) is not None:
        inner = tree.value(node)
        roots, errors = compose(inner.text)
        if errors:
            return
        tree = Tree(inner, out)
    for root in roots:
        if is_mapping(root):
            yaml_documents.read_root(tree, root, "values.yaml")
            chart_values.read(tree, root)


class _Unclosed(ValueError):
    """The file ends within a block, and all before its end was understood."""


class _Converter:
    """Writes HCL as JSON, character for character where they agree."""

    def __init__(self, text: str, parts: list[tuple[str, int]], pascal: bool = False) -> None:
        self.text = text
        self.parts = parts
        self.pascal = pascal

    def blank(self, at: int) -> int:
        found = _BLANK.match(self.text, at)
        return found.end() if found else at

    def body(self, at: int, depth: int) -> int:
        """`{ name = value  name "label" { … } }` from its opening brace; where it ends."""
        return self.entries(at, depth, blocks=True)

    def entries(self, at: int, depth: int, blocks: bool) -> int:
        if depth > _DEEPEST:
            raise ValueError
        self.parts.append(("{", at))
        at, first = self.blank(at + 1), True
        while self.text[at : at + 1] != "}":
            if at >= len(self.text):
                raise _Unclosed
            if not first:
                self.parts.append((",", at))
            first = False
            at = self.key(at)
            while blocks and self.text[at : at + 1] == '"':  # the labels of a block
                at = self.blank(self.string_end(at))
            if blocks and self.text[at : at + 1] == "{":
                self.parts.append((":", at))
                at = self.body(at, depth + 1)
            elif self.text[at : at + 1] in ("=", ":") and self.text[at + 1 : at + 2] != "=":
                self.parts.append((":", at))
                at = self.value(self.blank(at + 1), depth + 1)
            else:
                raise ValueError
            at = self.blank(at)
            if self.text[at : at + 1] == ",":
                at = self.blank(at + 1)
        self.parts.append(("}", at))
        return at + 1

    def key(self, at: int) -> int:
        if self.text[at : at + 1] == '"':
            return self.blank(self.string(at))
        found = _NAME.match(self.text, at)
        if found is None or found.group() == "for":
            raise ValueError
        name = "".join(word.capitalize() for word in found.group().split("_")) if self.pascal else found.group()
        self.parts += [('"', at), (name, at), ('"', found.end() - 1)]
        return self.blank(found.end())

    def value(self, at: int, depth: int) -> int:
        """One expression; anything but a literal becomes a masked text."""
        begun = len(self.parts)
        try:
            end = self.literal(at, depth)
        except _Unclosed:
            raise
        except ValueError:
            end = -1
        if end < 0 or not _ENDED.match(self.text, end):
            del self.parts[begun:]
            end = self.unknown(at)
        return end

    def literal(self, at: int, depth: int) -> int:
        start = self.text[at : at + 1]
        if start == "{":
            return self.entries(at, depth, blocks=False)
        if start == "[":
            return self.list(at, depth)
        if start == '"':
            return self.string(at)
        if heredoc := _HEREDOC.match(self.text, at):
            return self.heredoc(heredoc)
        if word := _LITERAL.match(self.text, at):
            self.parts.append((word.group(), at))
            return word.end()
        if encoded := _ENCODED.match(self.text, at):
            end = self.blank(self.literal(encoded.end(), depth + 1))
            if self.text[end : end + 1] == ")":
                return end + 1
        raise ValueError

    def list(self, at: int, depth: int) -> int:
        if depth > _DEEPEST:
            raise ValueError
        self.parts.append(("[", at))
        at = self.blank(at + 1)
        first = True
        while self.text[at : at + 1] != "]":
            if at >= len(self.text):
                raise _Unclosed
            if not first:
                self.parts.append((",", at))
            first = False
            at = self.blank(self.value(at, depth + 1))
            if self.text[at : at + 1] == ",":
                at = self.blank(at + 1)
            elif self.text[at : at + 1] != "]":
                raise ValueError
        self.parts.append(("]", at))
        return at + 1

    def string(self, at: int) -> int:
        """A text between quotes, whose escapes are JSON's; what is put in is masked."""
        end = self.string_end(at)
        self.parts.append((_masked(self.text[at:end]), at))
        return end

    def string_end(self, at: int) -> int:
        at += 1
        while True:
            found = _STRING_END.search(self.text, at)
            if found is None or found.group() == "\n":
                raise ValueError
            if found.group() == '"':
                return found.end()
            at = self.balanced(found.end() - 1) if found.group() in ("${", "%{") else found.end()

    def heredoc(self, found: re.Match[str]) -> int:
        """The lines up to the word, without their common indentation after `<<-`."""
        ending = re.compile(rf"(?m)^[ \t]*{found.group(2)}[ \t]*\r?$").search(self.text, found.end())
        if ending is None:
            raise ValueError
        body = self.text[found.end() : ending.start()]
        lines = body.splitlines(keepends=True)
        indents = [len(line) - len(line.lstrip(" \t")) for line in [*lines, ending.group()] if line.strip()] if found.group(1) else []
        cut = min(indents, default=0)
        masked = _masked(body)
        at = found.end()
        self.parts.append(('"', found.start()))
        done = 0
        for line in lines:
            skip = min(cut, len(line) - len(line.lstrip(" \t")))
            shown = masked[done : done + len(line)].rstrip("\r\n")
            for run in _RUN.finditer(shown, skip):
                self.parts.append((_ESCAPED.get(run.group(), run.group()), at + done + run.start()))
            self.parts.append(("\\n", at + done + len(shown) - (1 if shown else 0)))
            done += len(line)
        self.parts.append(('"', ending.start()))
        return ending.end()

    def unknown(self, at: int) -> int:
        """Over an expression that is not written out, to where the entry ends."""
        start = at
        while at < len(self.text):
            char = self.text[at]
            if char in "\n,}])":
                break
            if char in "([{":
                at = self.balanced(at)
            elif char == '"':
                at = self.string_end(at)
            elif heredoc := _HEREDOC.match(self.text, at):
                ending = re.compile(rf"(?m)^[ \t]*{heredoc.group(2)}[ \t]*\r?$").search(self.text, heredoc.end())
                at = ending.end() if ending else len(self.text)
            elif char == "#" or self.text.startswith("//", at):
                break
            else:
                at += 1
        if at == start:
            raise ValueError
        self.parts += [('"', start), (MASK, start), ('"', at - 1)]
        return at

    def balanced(self, at: int) -> int:
        """Where the bracket that opens here is closed."""
        depth = 0
        while at < len(self.text):
            char = self.text[at]
            if char == '"':
                at = self.string_end(at)
                continue
            depth += (char in "([{") - (char in ")]}")
            at += 1
            if depth == 0:
                return at
        raise ValueError


_RUN = pattern(r"[^\"\\\t]+|[\"\\\t]")
_ESCAPED = {'"': '\\"', "\\": "\\\\", "\t": "\\t"}
_PUT_IN = pattern(r"\$\$\{|%%\{|[$%]\{(?:[^{}\n]|\{[^{}\n]*\})*\}")


def _masked(text: str) -> str:
    return _PUT_IN.sub(lambda found: found.group() if found.group() in ("$${", "%%{") else MASK * len(found.group()), text)
