"""Code actions: the fixes of findings, all of a file's, a comment that silences one, and the rule's page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lsprotocol import types

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.jobs.effective import origin
from shoal.model import Edit, FileResult, Finding, Span
from shoal.server import absent, diagnostics, hover
from shoal.server.checker import URGENT, Failed, Lost
from shoal.server.edits import Writer, between
from shoal.server.notebooks import CellView, plain, quoted
from shoal.server.positions import Document
from shoal.server.project import Project
from shoal.server.session import Session
from shoal.text import decode

FIX_ALL = "source.fixAll.shoal"
KINDS = [types.CodeActionKind.QuickFix, types.CodeActionKind.RefactorRewrite, FIX_ALL]
_MARKERS = {"sql": ("--",), "gradle": ("//",), "java": ("//", "--"), "json": (), "notebook": (), "pom": (), "lock": ()}
# Formats whose texts may hold SQL.
_HOLDING = frozenset({"python", "yaml"})


class Actions:
    """What can be done about the findings of a document. `capabilities` say what the editor can take."""

    def __init__(self, session: Session, capabilities: types.ClientCapabilities, asks: bool) -> None:
        """asks: the editor asks for the reason of a suppression by itself (its command is `shoal.askReason`)."""
        self._session = session
        self._asks = asks
        asked = capabilities.text_document.code_action if capabilities.text_document else None
        resolves = asked.resolve_support.properties if asked and asked.resolve_support else ()
        self._later = "edit" in resolves
        edits = capabilities.workspace.workspace_edit if capabilities.workspace else None
        self._versioned = bool(edits and edits.document_changes)

    async def find(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """The actions for a range of a document."""
        uri = params.text_document.uri
        await self._session.settled(uri)
        found = self._session.at(uri)
        if found is None:
            return []
        document, project, path = found
        only = [str(getattr(kind, "value", kind)) for kind in params.context.only] if params.context.only else []
        made: list[types.CodeAction] = []
        open_findings = [finding for finding in project.conclusion.findings.get(path, ()) if finding.status.state == "open"]
        if _wanted(types.CodeActionKind.QuickFix.value, only):
            span = document.ruler.span(params.range)
            here = [finding for finding in open_findings if _touches(finding.primary.span, span)]
            for finding in here:
                made += await self._of(finding, document, project)
        if project.surveyed and _wanted(types.CodeActionKind.RefactorRewrite.value, only):
            made += await self._session.think(lambda: list(self._moves(document, project, path, params.range)))
        fixable = any(fix.safety == "safe" and fix.edits for finding in open_findings for fix in finding.fixes)
        if fixable and _wanted(FIX_ALL, only):
            action = types.CodeAction("Fix all that shoal can fix safely in this file", kind=FIX_ALL, data={"uri": uri, "what": "all"})
            made.append(action if self._later or not only else await self.resolve(action))
        return made

    async def _of(self, finding: Finding, document: Document, project: Project) -> list[types.CodeAction]:
        ruler, address = self._session.rulers(project), self._address(project)
        shown = diagnostics.of([finding], (), project.loaded.rulebook, ruler, address)
        self._session.relate(shown)
        if isinstance(document, CellView):
            shown = document.book.split(shown)[document.uri]
        writer = self._writer(project)
        made = []
        for number, fix in enumerate(finding.fixes):
            if fix.edits:
                title = fix.title[:1].upper() + fix.title[1:] + ("" if fix.safety == "safe" else " (unsafe: have a look)")
                preferred = fix.safety == "safe" and number == 0
                made.append(
                    types.CodeAction(title, types.CodeActionKind.QuickFix, shown, preferred or None, edit=writer.workspace(fix.edits))
                )
        for wish, edit in await absent.proposals(finding.rule, finding.primary.path, project, self._session):
            title = f"Set {wish.key} to {wish.value} in {edit.path}"
            made.append(types.CodeAction(title, types.CodeActionKind.QuickFix, shown, edit=writer.workspace([edit])))
        named = {"uri": document.uri, "fingerprint": finding.fingerprint}
        if self.markers(document, project):
            title = f"Ignore {finding.rule} here, with a reason"
            action = types.CodeAction(title, types.CodeActionKind.QuickFix, shown, data={**named, "what": "suppress"})
            if self._asks:
                action = types.CodeAction(
                    title, types.CodeActionKind.QuickFix, shown, command=types.Command(title, "shoal.askReason", arguments=[named])
                )
            elif not self._later:
                action = await self.resolve(action)
            if action.command or action.edit or self._later:
                made.append(action)
        title = f"What {finding.rule} is about"
        made.append(
            types.CodeAction(
                title, types.CodeActionKind.QuickFix, shown, command=types.Command(title, "shoal.openRule", arguments=[finding.rule])
            )
        )
        return made

    def _moves(self, document: Document, project: Project, path: str, place: types.Range) -> Iterator[types.CodeAction]:
        """To say in the right file what is said in one that does not count: where the job's setting in force stands."""
        offset = document.ruler.offset(place.start)
        for setting, _ in hover.at(offset, project.results.get(path) or FileResult(path)):
            for job in project.jobs_with(path):
                block = job.blocks.get(setting.block)
                if block is None or origin(block) is None or not setting.known:
                    continue
                first = next(iter(job.origins(setting.engine, setting.key)), setting)
                if not first.known or first.text.strip() == setting.text.strip():
                    continue
                fix = Context(project.loaded.rulebook.rules[0]).replace(first, setting.text.strip(), "", "unsafe")
                if fix.edits:
                    words, _ = self._session.spot(project, first.place())
                    title = f"Set {setting.key} to {setting.text.strip()} where it counts: {words}"
                    kind = types.CodeActionKind.RefactorRewrite
                    yield types.CodeAction(title, kind, edit=self._writer(project).workspace(fix.edits))
                    return

    async def resolve(self, action: types.CodeAction) -> types.CodeAction:
        """The action with its edit."""
        data: Any = action.data
        if not isinstance(data, dict):
            return action
        if data.get("what") == "all":
            action.edit = await self.fix_all(str(data.get("uri")))
        elif data.get("what") == "suppress":
            action.edit = await self.suppress(str(data.get("uri")), str(data.get("fingerprint")), "")
        return action

    async def fix_all(self, uri: str, unsafe: bool = False) -> types.WorkspaceEdit | None:
        """All fixes of a document that hold when they are checked together."""
        await self._session.settled(uri)
        found = self._session.at(uri)
        if found is None:
            return None
        document, project, path = found
        known = {finding.fingerprint for finding in project.conclusion.findings.get(path, ()) if finding.status.state == "baselined"}
        before = document.text
        try:
            after = await self._session.checker.ask(
                "settle",
                project.loaded.key,
                path,
                document.data,
                known,
                unsafe,
                priority=URGENT,
                timeout=2 * project.loaded.settings.timeout,
            )
        except (Lost, Failed):
            return None
        if document.text != before:
            return None
        book = self._session.book(project, path)
        edits = book.changes(path, decode(after).text) if book else between(path, before, decode(after).text)
        return self._writer(project).workspace(edits) if edits else None

    async def suppress(self, uri: str, fingerprint: str, reason: str) -> types.WorkspaceEdit | None:
        """A comment that silences a finding, where it is proven to do so and to change nothing else."""
        await self._session.settled(uri)
        found = self._session.at(uri)
        if found is None:
            return None
        document, project, path = found
        finding = next((one for one in project.conclusion.findings.get(path, ()) if one.fingerprint == fingerprint), None)
        if finding is None:
            return None
        candidates = list(self._comments(finding, document, project, path, " ".join(reason.split())))
        try:
            chosen = await self._session.checker.ask(
                "first",
                project.loaded.key,
                path,
                document.data,
                finding,
                candidates,
                priority=URGENT,
                timeout=project.loaded.settings.timeout,
            )
        except (Lost, Failed):
            return None
        return self._writer(project).workspace([candidates[chosen]]) if chosen >= 0 else None

    def markers(self, document: Document, project: Project) -> tuple[str, ...]:
        """How comments begin in a document; none where there are no comments."""
        kind = "python" if isinstance(document, CellView) else project.loaded.settings.kind(project.relative(document.path))
        return _MARKERS.get(kind, ("#", "--") if kind in _HOLDING else ("#",))

    def _comments(self, finding: Finding, document: Document, project: Project, path: str, reason: str) -> Iterator[Edit]:
        """Comments to try: on a line of their own above, then behind the line; as SQL where the line is SQL."""
        line = document.ruler.line(finding.primary.span.start)
        content = document.text[line.start : line.end]
        content = plain(content) if isinstance(document, CellView) else content
        indent = content[: len(content) - len(content.lstrip())]
        markers = self.markers(document, project)
        result = project.results.get(path)
        facts = result.facts if result else ()
        queries = {fact.id for fact in facts if isinstance(fact, Block) and fact.form == "sql"}
        if any(isinstance(fact, Setting) and fact.block in queries and _touches(fact.span, line) for fact in facts):
            markers = tuple(reversed(markers))
        for marker in markers:
            comment = f"{marker} shoal: ignore[{finding.rule}] {reason}".rstrip()
            for at, new in ((line.start, f"{indent}{comment}\n"), (line.end, f"  {comment}")):
                yield Edit(path, Span(at, at), quoted(new) if isinstance(document, CellView) else new)

    def _writer(self, project: Project) -> Writer:
        def version(uri: str) -> int | None:
            document = self._session.documents.get(uri)
            return document.version if document else None

        def inside(path: str, place: types.Range, new: str) -> tuple[str, types.Range, str]:
            book = self._session.book(project, path)
            return (*book.inside(place), plain(new)) if book else (self._session.address(project, path), place, new)

        return Writer(self._session.rulers(project), inside, version, self._versioned)

    def _address(self, project: Project) -> diagnostics.Address:
        return lambda path: self._session.address(project, path)


def _touches(one: Span, other: Span) -> bool:
    return one.start <= other.end and other.start <= one.end


def _wanted(kind: str, only: list[str]) -> bool:
    return not only or any(kind == name or kind.startswith(f"{name}.") for name in only)
