"""Changes of texts as the editor applies them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import SequenceMatcher

from lsprotocol import types

from shoal.model import Edit, Span
from shoal.server.positions import Ruler

# Where a range in a document is to be written: for a notebook, its cell. And a new text as it is to be written there.
Inside = Callable[[str, types.Range, str], tuple[str, types.Range, str]]


class Writer:
    """Makes workspace edits. `versions`: of documents that are open; `versioned`: the editor checks them."""

    def __init__(self, ruler: Callable[[str], Ruler], inside: Inside, versions: Callable[[str], int | None], versioned: bool) -> None:
        self._ruler = ruler
        self._inside = inside
        self._versions = versions
        self._versioned = versioned

    def workspace(self, edits: Iterable[Edit]) -> types.WorkspaceEdit:
        """Edits of any number of files, by root-relative path."""
        files: dict[str, list[types.TextEdit]] = {}
        for edit in edits:
            ruler = self._ruler(edit.path)
            uri, place, new = self._inside(edit.path, ruler.range(edit.span), edit.new_text)
            files.setdefault(uri, []).append(types.TextEdit(place, _ended(new, ruler.text)))
        if not self._versioned:
            return types.WorkspaceEdit(changes=files)
        return types.WorkspaceEdit(
            document_changes=[
                types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri, self._versions(uri)), list(changes))
                for uri, changes in files.items()
            ]
        )


def _ended(new: str, text: str) -> str:
    """New text with the line endings that the text around it has."""
    crlf = text.count("\r\n") * 2 > text.count("\n") > 0
    return new.replace("\r\n", "\n").replace("\n", "\r\n") if crlf else new


def between(path: str, before: str, after: str) -> list[Edit]:
    """The edits, whole lines each, that make one text of another."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return [
        Edit(path, Span(starts[first], starts[last]), "".join(new[start:end]))
        for what, first, last, start, end in matcher.get_opcodes()
        if what != "equal"
    ]
