"""The protocol: which message asks what. `serve` speaks it over standard input and output."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol.language_server import LanguageServerProtocol, lsp_method
from pygls.uris import to_fs_path

from shoal import __version__
from shoal.commands.explain import page
from shoal.server import completion, hover, symbols
from shoal.server.actions import KINDS, Actions
from shoal.server.checker import Checker
from shoal.server.diagnostics import rule_page
from shoal.server.notebooks import Cell
from shoal.server.project import Trust
from shoal.server.session import TYPING, Options, Session

# What may hold something to check, or says how.
_WATCHED = (
    "**/*.{py,ipynb,yaml,yml,sql,hql,fsql,flinksql,properties,json,sh,bash,zsh,ksh,toml,lock,xml,pom,gradle,kts,sbt,mk,txt,in,conf,j2,tpl,tf}",
    "**/{Dockerfile,Containerfile,Makefile,justfile,Pipfile,.gitignore}*",
)


class _Protocol(LanguageServerProtocol):
    """Documents are the session's: positions there are exact for every line ending and encoding."""

    _server: Server

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        opened = params.text_document
        path = to_fs_path(opened.uri)
        if path is not None:
            self._server.session.open(opened.uri, os.path.normpath(path), opened.text, opened.version)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        document = params.text_document
        self._server.session.change(document.uri, list(params.content_changes), document.version)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        self._server.session.close(params.text_document.uri)

    @lsp_method(types.EXIT)
    def lsp_exit(self, *args: Any) -> None:  # type: ignore[override]
        sys.stdout.flush()
        os._exit(0 if self._shutdown else 1)  # a thread still waits for input; the checker ends with our end of its pipe


class Server(LanguageServer):
    """One editor's server. `session` exists from `initialize` on."""

    session: Session
    actions: Actions

    def publish(self, uri: str, version: int | None, found: list[types.Diagnostic]) -> None:
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))

    def log(self, message: str) -> None:
        self.window_log_message(types.LogMessageParams(types.MessageType.Warning, message))

    def refresh(self) -> None:
        """Ask the editor to ask again for what it shows."""
        asked = self.client_capabilities.workspace
        if asked is not None and asked.diagnostics is not None and asked.diagnostics.refresh_support and self.session.options.pull:
            self.workspace_diagnostic_refresh(None)
        if asked is not None and asked.code_lens is not None and asked.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)


def options(given: Any, capabilities: types.ClientCapabilities) -> Options:
    """`initializationOptions`: trusted, rules (folders), typingDelay (milliseconds). What makes no sense is as if not given."""
    found = given if isinstance(given, dict) else {}
    rules = found.get("rules")
    folders = tuple(item for item in rules if isinstance(item, str)) if isinstance(rules, list) else ()
    delay = found.get("typingDelay")
    seconds = delay / 1000 if isinstance(delay, (int, float)) and 0 <= delay <= 60_000 else TYPING
    documents, workspace = capabilities.text_document, capabilities.workspace
    pull = documents is not None and documents.diagnostic is not None
    again = workspace is not None and workspace.diagnostics is not None and bool(workspace.diagnostics.refresh_support)
    return Options(Trust(found.get("trusted") is not False, folders), seconds, pull and again)


def _flag(given: Any, name: str) -> bool:
    return isinstance(given, dict) and given.get(name) is True


def build(checker: Checker) -> Server:
    """The server with all that it can do."""
    books = types.NotebookDocumentSyncOptions([types.NotebookDocumentFilterWithNotebook(notebook="jupyter-notebook")], save=True)
    server = Server("shoal", __version__, notebook_document_sync=books, protocol_cls=_Protocol, max_workers=2)

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        folders = [path for folder in params.workspace_folders or () if (path := to_fs_path(folder.uri))]
        if not folders and params.root_uri and (path := to_fs_path(params.root_uri)):
            folders = [path]
        encoding = str(getattr(server.workspace.position_encoding, "value", server.workspace.position_encoding))
        chosen = options(params.initialization_options, params.capabilities)
        server.session = Session(server, encoding, chosen, folders, checker)
        server.actions = Actions(server.session, params.capabilities, _flag(params.initialization_options, "asksReason"))

    @server.feature(types.INITIALIZED)
    async def initialized(params: types.InitializedParams) -> None:
        workspace = server.client_capabilities.workspace
        watching = workspace.did_change_watched_files if workspace else None
        if watching is not None and watching.dynamic_registration:
            watchers = [types.FileSystemWatcher(pattern) for pattern in _WATCHED]
            register = types.DidChangeWatchedFilesRegistrationOptions(watchers)
            registration = types.Registration("shoal-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, register)
            server.client_register_capability(types.RegistrationParams([registration]))
        server.session.projects()

    @server.feature(types.SHUTDOWN)
    async def shutdown(params: None) -> None:
        await server.session.stop()

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveTextDocumentParams) -> None:
        server.session.save(params.text_document.uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_files(params: types.DidChangeWatchedFilesParams) -> None:
        changed: list[str] = []
        deleted: list[str] = []
        for event in params.changes:
            if path := to_fs_path(event.uri):
                (deleted if event.type == types.FileChangeType.Deleted else changed).append(os.path.normpath(path))
        server.session.watched(changed, deleted)

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def did_change_folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        added = [path for folder in params.event.added if (path := to_fs_path(folder.uri))]
        removed = [path for folder in params.event.removed if (path := to_fs_path(folder.uri))]
        server.session.change_folders(added, removed)
        server.session.projects()

    def notebook(uri: str, delay: bool) -> None:
        found, path = server.workspace.get_notebook_document(notebook_uri=uri), to_fs_path(uri)
        if found is not None and path is not None:
            texts = [(cell, server.workspace.get_text_document(cell.document)) for cell in found.cells]
            cells = [
                Cell(cell.document, cell.kind == types.NotebookCellKind.Code and text.language_id in ("python", None), text.source)
                for cell, text in texts
            ]
            server.session.open_notebook(uri, os.path.normpath(path), cells, found.version, delay)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def open_notebook(params: types.DidOpenNotebookDocumentParams) -> None:
        notebook(params.notebook_document.uri, False)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def change_notebook(params: types.DidChangeNotebookDocumentParams) -> None:
        notebook(params.notebook_document.uri, True)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_SAVE)
    def save_notebook(params: types.DidSaveNotebookDocumentParams) -> None:
        server.session.save(params.notebook_document.uri)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def close_notebook(params: types.DidCloseNotebookDocumentParams) -> None:
        server.session.close(params.notebook_document.uri)

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions([*KINDS], resolve_provider=True))
    async def code_action(params: types.CodeActionParams) -> list[types.CodeAction]:
        return await server.actions.find(params)

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolve_action(action: types.CodeAction) -> types.CodeAction:
        return await server.actions.resolve(action)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def show_hover(params: types.HoverParams) -> types.Hover | None:
        return await hover.find(server.session, params)

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=completion.TRIGGERS))
    async def complete(params: types.CompletionParams) -> types.CompletionList:
        return await completion.find(server.session, params)

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def document_symbols(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        found = await server.session.result(params.text_document.uri)
        return symbols.outline(found[2], found[0]) if found else []

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def code_lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        found = await server.session.result(params.text_document.uri)
        if found is None:
            return []
        document, project, result = found
        return await server.session.think(lambda: symbols.lenses(document, project, result.path))

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=True))
    async def pull(params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        return await server.session.report(params.text_document.uri, params.previous_result_id)

    @server.feature(types.WORKSPACE_DIAGNOSTIC)
    async def pull_all(params: types.WorkspaceDiagnosticParams) -> types.WorkspaceDiagnosticReport:
        known = {item.uri: item.value for item in params.previous_result_ids}
        return types.WorkspaceDiagnosticReport(await server.session.reports(known))

    @server.command("shoal.suppress")
    async def suppress(uri: str, fingerprint: str, reason: str) -> bool:
        """Write a comment that silences a finding; false when none would."""
        edit = await server.actions.suppress(uri, fingerprint, reason)
        if edit is not None:
            server.workspace_apply_edit(types.ApplyWorkspaceEditParams(edit, "Ignore a finding"))
        return edit is not None

    @server.command("shoal.openRule")
    async def open_rule(rule: str) -> bool:
        """Show a rule's page in the editor."""
        page = next((found for project in server.session.projects() if (found := rule_page(rule, project.loaded.rulebook))), "")
        window = server.client_capabilities.window
        if page and window is not None and window.show_document is not None and window.show_document.support:
            server.window_show_document(types.ShowDocumentParams(page, take_focus=True))
        elif page:
            server.window_show_message(types.ShowMessageParams(types.MessageType.Info, f"`shoal explain {rule}` shows the page: {page}"))
        return bool(page)

    @server.command("shoal.rulePage")
    async def rule_text(rule: str) -> str:
        """A rule's page as Markdown; empty when there is no such rule."""
        found = (one for project in server.session.projects() if (one := project.loaded.rulebook.get(rule)))
        return next((page(one) for one in found), "")

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def did_change_configuration(params: types.DidChangeConfigurationParams) -> None:
        """Settings are in the project's files; what an editor may say it says at the start."""

    return server


def serve(process: subprocess.Popen[bytes] | None = None) -> None:
    """Serve one editor until it goes away. Only the protocol is written to standard output, whoever prints.

    process: one that reads files and was started before this module was loaded.
    """
    source = os.fdopen(os.dup(0), "rb")
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    checker = Checker(process)
    with contextlib.suppress(BrokenPipeError):
        build(checker).start_io(source, sink)
    checker.end()
    os._exit(0)  # the editor is gone: nothing that is still being read is worth waiting for
