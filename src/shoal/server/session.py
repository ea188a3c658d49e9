"""What is open in the editor, what it belongs to, and when it is checked and shown. Runs on the event loop; the work does not."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol, TypeVar

from lsprotocol import types

from shoal.across import ROUNDS
from shoal.discover import discover, reason
from shoal.files import read_bytes
from shoal.model import FileResult, Finding, Place, Problem, Told
from shoal.records import NamedTuple
from shoal.server import diagnostics
from shoal.server.checker import IDLE, URGENT, USUAL, Checker, Failed, Lost
from shoal.server.notebooks import Cell, Notebook
from shoal.server.positions import Document, Ruler
from shoal.server.project import Conclusion, Loaded, Project, Trust, locate
from shoal.settings_file import Located
from shoal.settings_file import locate as locate_file
from shoal.wire import unpack

TYPING = 0.15  # seconds of silence before a text is checked while somebody types
_QUIET = 0.5  # seconds of silence before whole jobs are judged while somebody types
_SURVEY_TIMEOUT = 600.0
_PATIENCE = 20  # times that a request waits for a document which changes meanwhile
_MANY = 50  # changed files after which a new look at everything is cheaper
Answer = TypeVar("Answer")
_Reported = dict[str, tuple[str, list[types.Diagnostic]]]


class Client(Protocol):
    """What a session says to the editor."""

    def publish(self, uri: str, version: int | None, found: list[types.Diagnostic]) -> None: ...

    def refresh(self) -> None: ...

    def log(self, message: str) -> None: ...


class Options(NamedTuple):
    """What the editor asks for at the start."""

    trust: Trust = Trust()
    typing: float = TYPING
    pull: bool = False


class Shown(NamedTuple):
    """What was last said about a document. `version` None: it is not open."""

    version: int | None
    diagnostics: list[types.Diagnostic]


class Session:
    """Everything between the editor's messages and the core."""

    def __init__(self, client: Client, encoding: str, options: Options, folders: Iterable[str], checker: Checker) -> None:
        self._client = client
        self._encoding = encoding
        self.options = options
        self.folders = [os.path.normpath(folder) for folder in folders]
        self.documents: dict[str, Document] = {}
        self._paths: dict[str, Document] = {}
        self._cells: dict[str, str] = {}  # uri of a cell -> that of its notebook
        self.shown: dict[str, Shown] = {}
        self.checker = checker
        self._projects: dict[str, Project] = {}
        self._homes: dict[str, str] = {}  # folder -> root of its project
        self._checked: dict[str, int] = {}  # uri -> version that the results know
        self._left_out: dict[str, bool] = {}  # uri -> whether settings or ignore files leave the file out
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._sleeping: set[str] = set()  # documents whose check waits for silence
        self._surveys: dict[str, asyncio.Task[None]] = {}
        self._others: set[asyncio.Task[None]] = set()
        self._locks: dict[str, asyncio.Lock] = {}
        self._concluded: dict[str, tuple[int, str, bool]] = {}
        self._judging: dict[str, asyncio.Event] = {}  # root -> set when it is wanted earlier or again
        self._due: dict[str, float] = {}
        self._reported: dict[str, tuple[tuple[Conclusion, Loaded, list[tuple[str, int]]], _Reported]] = {}
        self._threads = ThreadPoolExecutor(1, "shoal")
        self._slow = ThreadPoolExecutor(1, "shoal-slow")

    # -- documents ----------------------------------------------------------------------------------------------------------------

    def open(self, uri: str, path: str, text: str, version: int) -> None:
        if uri in self._cells:
            return
        self.documents[uri] = self._paths[path] = Document(uri, path, text, version, self._encoding)
        self._forget(uri)
        self._schedule(uri, 0.0, USUAL)

    def open_notebook(self, uri: str, path: str, cells: list[Cell], version: int, delay: bool) -> None:
        """A notebook was opened, or one of its cells changed."""
        before = self.documents.get(uri)
        book = self.documents[uri] = self._paths[path] = Notebook(uri, path, cells, version, self._encoding)
        if isinstance(before, Notebook):
            for cell in {cell.uri for cell in before.cells} - {cell.uri for cell in book.cells}:
                self._cells.pop(cell, None)
                self._client.publish(cell, None, [])
        self._cells.update((cell.uri, uri) for cell in book.cells)
        self._checked.pop(uri, None)
        self._schedule(uri, self.options.typing if delay else 0.0, URGENT if delay else USUAL)

    def change(self, uri: str, changes: list[types.TextDocumentContentChangeEvent], version: int) -> None:
        document = self.documents.get(uri)
        if document is not None:
            document.change(changes, version)
            self._schedule(uri, self.options.typing, URGENT)

    def save(self, uri: str) -> None:
        document = self.documents.get(uri)
        if document is None:
            return
        project = self.project(document.path)
        if project.watches(document.path):
            self._spawn(self._reload(project))
        if self._checked.get(uri) != document.version or uri in self._tasks:
            self._schedule(uri, 0.0, URGENT)
        elif project.root in self._judging:
            self._judge(project, 0.0)

    def close(self, uri: str) -> None:
        document = self.documents.pop(uri, None)
        if document is None:
            return
        self._paths.pop(document.path, None)
        if isinstance(document, Notebook):
            for cell in document.cells:
                self._cells.pop(cell.uri, None)
        self._cancel(uri)
        self._forget(uri)
        if self.shown.pop(uri, Shown(None, [])).diagnostics:
            self._say(document, None, [])
        self._spawn(self._look_again(self.project(document.path), [document.path]))  # what counts now is what is on disk

    def _forget(self, uri: str) -> None:
        self._checked.pop(uri, None)
        self._left_out.pop(uri, None)

    def at(self, uri: str) -> tuple[Document, Project, str] | None:
        """An open document, or one cell of it, its project, and its path in it."""
        document = self.documents.get(self._cells.get(uri, uri))
        if isinstance(document, Notebook) and uri in self._cells:
            document = document.cell(uri)
        if document is None:
            return None
        project = self.project(document.path)
        return document, project, project.relative(document.path)

    async def settled(self, uri: str) -> None:
        """Wait until the results know the document as it is now."""
        uri = self._cells.get(uri, uri)
        for _ in range(_PATIENCE):
            document = self.documents.get(uri)
            task = self._tasks.get(uri)
            if document is None or (task is None and self._checked.get(uri) == document.version):
                return
            if task is None or uri in self._sleeping:
                self._schedule(uri, 0.0, URGENT)
                task = self._tasks[uri]
            await asyncio.wait({task})

    # -- projects -----------------------------------------------------------------------------------------------------------------

    def project(self, path: str) -> Project:
        """The project a file belongs to: that of its workspace folder, else what `shoal check` would take for it."""
        holders = [folder for folder in self.folders if path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)]
        home = max(holders, key=len) if holders else os.path.dirname(path)
        root = self._homes.get(home)
        if root is None:
            located = locate(home) if holders else locate_file((path,), home)
            root = self._homes[home] = located.root
            if root not in self._projects:
                self._adopt(located)
            if holders:
                self._survey(self._projects[root], 0.3)
        return self._projects[root]

    def _adopt(self, located: Located) -> None:
        project = self._projects[located.root] = Project(located, self.options.trust)
        self._give(project, self.checker)

    def _give(self, project: Project, checker: Checker) -> None:
        loaded = project.loaded
        checker.setup(loaded.key, (project.root, loaded.settings, loaded.rulebook))

    def projects(self) -> list[Project]:
        """Those of all workspace folders, and of what else is open."""
        for folder in self.folders:
            self.project(folder)
        return list(self._projects.values())

    def change_folders(self, added: Iterable[str], removed: Iterable[str]) -> None:
        gone = {os.path.normpath(folder) for folder in removed}
        self.folders = [folder for folder in self.folders if folder not in gone] + [os.path.normpath(folder) for folder in added]
        self._homes.clear()
        for uri in list(self.documents):
            self._forget(uri)
            self._schedule(uri, 0.0, USUAL)
        used = {id(self.project(document.path)) for document in self.documents.values()} | {id(self.project(at)) for at in self.folders}
        for root, project in list(self._projects.items()):
            if id(project) not in used:
                del self._projects[root]
                self._reported.pop(root, None)
                self._stop_survey(root)

    def watched(self, changed: Iterable[str], deleted: Iterable[str]) -> None:
        """Files that changed or went on disk."""
        touched: dict[str, list[str]] = {}
        gone = set(deleted)
        for path in (*changed, *gone):
            project = self.project(path)
            if project.watches(path):
                self._spawn(self._reload(project))
            if project.loaded.settings.kind(project.relative(path)) or path in gone:
                touched.setdefault(project.root, []).append(path)
        for root, paths in touched.items():
            project = self._projects[root]
            if len(paths) > _MANY:
                self._survey(project, 0.5)
            else:
                self._spawn(self._look_again(project, paths))

    async def _reload(self, project: Project) -> None:
        """Settings, rules or baseline changed: read them, and look at everything again."""
        if not await self.run(project.reload):
            self._concluded.pop(project.root, None)  # a new baseline
            await self.conclude(project)
            return
        self._give(project, self.checker)
        self._concluded.pop(project.root, None)
        for uri, document in self.documents.items():
            if self.project(document.path) is project:
                self._forget(uri)
                self._schedule(uri, 0.0, USUAL)
        await self.conclude(project)
        self._survey(project, 0.1)

    async def _look_again(self, project: Project, paths: list[str]) -> None:
        """Check files that are not open, as they are on disk."""
        before = project.generation
        for path in paths:
            shown = project.relative(path)
            if path in self._paths:
                continue
            if not os.path.isfile(path) or await self.run(partial(_excluded, project, path)):
                project.drop(shown)
                continue
            try:
                data = read_bytes(path, project.loaded.settings.max_file_size)
            except (OSError, ValueError) as error:
                project.keep(FileResult(shown, problems=(Problem(shown, "unreadable", reason(error)),)))
                continue
            known = project.results.get(shown)
            project.keep(await self._result(project, shown, data, IDLE, known.told if known else None))
        if project.generation != before:
            await self.conclude(project)

    # -- checking -----------------------------------------------------------------------------------------------------------------

    def _schedule(self, uri: str, delay: float, priority: int) -> None:
        """Check a document, unless it changes again before its turn."""
        self._cancel(uri)
        task = asyncio.get_running_loop().create_task(self._check(uri, delay, priority))
        self._tasks[uri] = task
        task.add_done_callback(lambda done: self._done(uri, done))

    def _cancel(self, uri: str) -> None:
        task = self._tasks.pop(uri, None)
        if task is not None:
            task.cancel()

    def _done(self, uri: str, task: asyncio.Task[None]) -> None:
        if self._tasks.get(uri) is task:
            del self._tasks[uri]
        self._failed(task)

    def _failed(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            self._client.log(f"{type(error).__name__}: {error}")

    async def _check(self, uri: str, delay: float, priority: int) -> None:
        if delay:
            self._sleeping.add(uri)
            try:
                await asyncio.sleep(delay)
            finally:
                self._sleeping.discard(uri)
        found = self.at(uri)
        if found is None:
            return
        document, project, path = found
        version = document.version
        if uri not in self._left_out:
            self._left_out[uri] = await self.run(lambda: _excluded(project, document.path))
        if self._left_out[uri]:
            result = FileResult(path)
        else:
            known = project.results.get(path)
            result = await self._result(project, path, document.data, priority, known.told if known else None)
        if self.documents.get(uri) is not document or document.version != version:
            return
        self._checked[uri] = version
        changed = project.keep(result)
        if changed or path not in project.conclusion.findings:
            project.take(await self.run(partial(project.first, result, {path: document.data})), (path,))
        await self._show(project, (document,))
        if changed and project.surveyed:
            self._judge(project, _QUIET if delay else 0.0)

    async def _result(self, project: Project, path: str, data: bytes, priority: int, told: Told | None = None) -> FileResult:
        """What a file yields; `told` is what other files say about it."""
        settings = project.loaded.settings
        if not settings.kind(path):
            return FileResult(path)
        if len(data) > settings.max_file_size:
            message = f"{len(data):,} bytes, more than the {settings.max_file_size:,} that max-file-size allows"
            return FileResult(path, problems=(Problem(path, "too-large", message),))
        try:
            key = project.loaded.key
            return unpack(path, await self.checker.ask("check", key, path, data, told, priority=priority, timeout=settings.timeout))
        except Lost as error:
            return FileResult(path, problems=(Problem(path, error.kind, str(error), help="please report this with the file"),))
        except Failed as error:
            return FileResult(path, problems=(Problem(path, "reader-crashed", str(error), help="please report this with the file"),))

    def _survey(self, project: Project, delay: float) -> None:
        """Look at all files of the project's workspace folders, in a process of its own."""
        self._stop_survey(project.root)
        task = asyncio.get_running_loop().create_task(self._look_through(project, delay))
        self._surveys[project.root] = task
        task.add_done_callback(self._failed)

    def _stop_survey(self, root: str) -> None:
        if before := self._surveys.pop(root, None):
            before.cancel()

    async def _look_through(self, project: Project, delay: float) -> None:
        await asyncio.sleep(delay)
        if self._tasks:  # what is open comes first
            await asyncio.wait(list(self._tasks.values()))
        folders = tuple(folder for folder, root in self._homes.items() if root == project.root and folder in self.folders)
        surveyor = Checker(once=True)
        self._give(project, surveyor)
        try:
            rows = await surveyor.ask("survey", project.loaded.key, folders, timeout=_SURVEY_TIMEOUT)
        except (Lost, Failed) as error:
            self._client.log(f"the workspace could not be looked through: {error}")
            return
        finally:
            await surveyor.stop()
        opened = {project.relative(document.path) for document in self.documents.values()}
        fresh: dict[str, FileResult] = await self.run(partial(_unpacked, rows))
        for path in [path for path in project.results if path not in fresh and path not in opened]:
            project.drop(path)
        for path, result in fresh.items():
            if path not in opened:
                project.keep(result)
        project.surveyed = True
        await self.conclude(project)

    # -- showing ------------------------------------------------------------------------------------------------------------------

    def _judge(self, project: Project, delay: float) -> None:
        """Judge whole jobs, later when somebody is typing. What is asked for while that is being done is done once, afterwards."""
        loop = asyncio.get_running_loop()
        self._due[project.root] = loop.time() + delay
        if project.root in self._judging:
            self._judging[project.root].set()
            return
        self._judging[project.root] = asyncio.Event()
        self._spawn(self._judge_until_done(project))

    async def _judge_until_done(self, project: Project) -> None:
        root, loop = project.root, asyncio.get_running_loop()
        try:
            while root in self._due:
                wait = self._due[root] - loop.time()
                if wait > 0:
                    self._judging[root].clear()
                    with contextlib.suppress(asyncio.TimeoutError, TimeoutError):
                        await asyncio.wait_for(self._judging[root].wait(), wait)
                else:
                    del self._due[root]
                    await self.conclude(project)
        finally:
            self._judging.pop(root, None)
            self._due.pop(root, None)

    async def conclude(self, project: Project) -> None:
        """Judge all of the project's results, unless that was done since they changed, and show what is new."""
        lock = self._locks.setdefault(project.root, asyncio.Lock())
        async with lock:
            stamp = (project.generation, project.loaded.key, project.surveyed)
            if self._concluded.get(project.root) != stamp:
                if project.surveyed:
                    await self._tell(project)
                    stamp = (project.generation, project.loaded.key, project.surveyed)
                results, contents = dict(project.results), self.contents(project)
                judged = await self.think(partial(project.conclude, list(results.values()), contents))
                newer = {path: result for path, result in project.results.items() if results.get(path) is not result}
                between = project.conclusion
                project.take(judged)
                project.take(between, newer)
                self._concluded[project.root] = stamp
            await self._show(project, tuple(self.documents.values()))

    async def _tell(self, project: Project) -> None:
        """Look again at the files about which others say something new."""
        for _ in range(ROUNDS):
            told = await self.think(partial(project.tell, dict(project.results)))
            if not told:
                return
            contents = self.contents(project)
            texts = project.texts(contents)
            for path, given in told.items():
                before = project.results.get(path)
                data = await self.run(partial(texts.data, path))
                if data is None or before is None:
                    continue
                result = await self._result(project, path, data, USUAL, given)
                if project.results.get(path) is before:  # else it was looked at meanwhile, and is told the next time
                    project.keep(result._replace(left_out=before.left_out, told=given))

    def contents(self, project: Project) -> dict[str, bytes]:
        """The open documents of a project, by path in it."""
        return {
            project.relative(document.path): document.data for document in self.documents.values() if self.project(document.path) is project
        }

    async def _show(self, project: Project, among: tuple[Document, ...]) -> None:
        """Say what is found in these documents, as far as the results know them as they are."""
        documents = [
            document for document in among if self._checked.get(document.uri) == document.version and self.project(document.path) is project
        ]
        versions = {document.uri: document.version for document in documents}
        made = await self.run(lambda: self._diagnostics(project, documents))
        changed = False
        for uri, found in made.items():
            document = self.documents.get(uri)
            if uri in versions and (document is None or document.version != versions[uri]):
                continue
            shown = Shown(versions.get(uri), found)
            if self.shown.get(uri, Shown(None, [])) != shown:
                changed = changed or self.shown.get(uri, shown).diagnostics != found or uri not in self.shown
                self.shown[uri] = shown
                if document is not None:
                    self._say(document, shown.version, found)
                else:
                    self._client.publish(uri, None, found)
        if changed:
            self._client.refresh()

    def _say(self, document: Document, version: int | None, found: list[types.Diagnostic]) -> None:
        """Tell the editor, unless it asks by itself; of a notebook it is told cell by cell."""
        if isinstance(document, Notebook):
            for uri, own in document.split(found).items():
                self._client.publish(uri, None, own)
        elif not self.options.pull:
            self._client.publish(document.uri, version, found)

    def _diagnostics(self, project: Project, documents: list[Document]) -> dict[str, list[types.Diagnostic]]:
        ruler = self.rulers(project)
        made = {}
        for document in documents:
            path = project.relative(document.path)
            made[document.uri] = self.of(project, path, ruler)
        wrong = {problem.path for problem in project.loaded.problems if problem.path}
        project.marked |= wrong
        for path in project.marked:  # what is right again, or gone, is taken back
            uri = self.address(project, path)
            if uri not in self.documents:
                made[uri] = self.of(project, path, ruler) if path in wrong else []
        return made

    def of(self, project: Project, path: str, ruler: Callable[[str], Ruler]) -> list[types.Diagnostic]:
        """The diagnostics of one file as the last conclusion has them."""
        problems = [problem for problem in project.loaded.problems if problem.path == path]
        problems += project.conclusion.problems.get(path, ())
        findings: list[Finding] = project.conclusion.findings.get(path, [])
        made = diagnostics.of(findings, problems, project.loaded.rulebook, ruler, lambda at: self.address(project, at))
        self.relate(made)
        return made

    def relate(self, made: list[types.Diagnostic]) -> None:
        """Let related places in open notebooks be in their cells."""
        for related in (one for item in made for one in item.related_information or ()):
            book = self.documents.get(related.location.uri)
            if isinstance(book, Notebook):
                related.location.uri, related.location.range = book.inside(related.location.range)

    def rulers(self, project: Project) -> Callable[[str], Ruler]:
        """Positions in the files of a project: open ones as in the editor, others as on disk."""
        texts = project.texts({})
        made: dict[str, Ruler] = {}

        def ruler(path: str) -> Ruler:
            opened = self._paths.get(project.absolute(path))
            if opened is not None:
                return opened.ruler
            if path not in made:
                made[path] = Ruler(texts[path], self._encoding)
            return made[path]

        return ruler

    def address(self, project: Project, path: str) -> str:
        """The address of a file, as the editor writes it when it is open there."""
        absolute = project.absolute(path)
        opened = self._paths.get(absolute)
        return opened.uri if opened is not None else Path(absolute).as_uri()

    def book(self, project: Project, path: str) -> Notebook | None:
        """The notebook that a path is open as."""
        document = self._paths.get(project.absolute(path))
        return document if isinstance(document, Notebook) else None

    def spot(self, project: Project, place: Place) -> tuple[str, str]:
        """A place in words, and its address: `conf/flink-conf.yaml:4`."""
        position = self.rulers(project)(place.path).position(place.span.start)
        if book := self.book(project, place.path):
            return f"{place.path}, {book.label(position)}", book.uri
        return f"{place.path}:{position.line + 1}", f"{self.address(project, place.path)}#L{position.line + 1}"

    # -- asked for -----------------------------------------------------------------------------------------------------------------

    async def result(self, uri: str) -> tuple[Document, Project, FileResult] | None:
        """An open document with what it yields as it is now."""
        await self.settled(uri)
        found = self.at(uri)
        if found is None:
            return None
        document, project, path = found
        return document, project, project.results.get(path) or FileResult(path)

    async def report(self, uri: str, previous: str | None) -> types.DocumentDiagnosticReport:
        """A document's diagnostics, or that they are still those of the `previous` report."""
        found = await self.result(uri) if uri not in self._cells else None  # of cells the editor is told
        made = await self.run(partial(self.of, found[1], found[2].path, self.rulers(found[1]))) if found else []
        name = _name(made)
        if name == previous:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id=name)
        return types.RelatedFullDocumentDiagnosticReport(items=made, result_id=name)

    async def reports(self, known: dict[str, str]) -> list[types.WorkspaceDocumentDiagnosticReport]:
        """The diagnostics of every file with some, and of those that had some when they were asked for last."""
        for project in self.projects():
            if survey := self._surveys.get(project.root):
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.shield(survey)
        made: list[types.WorkspaceDocumentDiagnosticReport] = []
        said: set[str] = set()
        for project in list(self._projects.values()):
            for uri, (name, found) in (await self._everything(project)).items():
                document = self.documents.get(uri)
                version = document.version if document else None
                said.add(uri)
                if known.get(uri) == name:
                    made.append(types.WorkspaceUnchangedDocumentDiagnosticReport(uri=uri, result_id=name, version=version))
                else:
                    made.append(types.WorkspaceFullDocumentDiagnosticReport(uri=uri, items=found, version=version, result_id=name))
        made += [types.WorkspaceFullDocumentDiagnosticReport(uri=uri, items=[]) for uri in known if uri not in said]
        return made

    async def _everything(self, project: Project) -> _Reported:
        """The diagnostics of all files by address, with their names. Editors ask every two seconds, mostly for the same."""
        stamp = (project.conclusion, project.loaded, [(document.uri, document.version) for document in self.documents.values()])
        before = self._reported.get(project.root)
        if before is None or before[0][0] is not stamp[0] or before[0][1] is not stamp[1] or before[0][2] != stamp[2]:
            made = await self.run(partial(self._all_of, project))
            before = self._reported[project.root] = (stamp, {uri: (_name(found), found) for uri, found in made.items()})
        return before[1]

    def _all_of(self, project: Project) -> dict[str, list[types.Diagnostic]]:
        ruler = self.rulers(project)
        paths = {*project.conclusion.findings, *project.conclusion.problems, *(problem.path for problem in project.loaded.problems)}
        made = {self.address(project, path): self.of(project, path, ruler) for path in sorted(paths) if path}
        return {uri: found for uri, found in made.items() if found and not isinstance(self.documents.get(uri), Notebook)}

    # -- running ------------------------------------------------------------------------------------------------------------------

    async def run(self, work: Callable[[], Answer]) -> Answer:
        """Do something short, off the event loop, one thing after the other."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    async def think(self, work: Callable[[], Answer]) -> Answer:
        """Do something that may take long, or that asks the catalogue, which remembers its answers and is for one thread."""
        return await asyncio.get_running_loop().run_in_executor(self._slow, work)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._others.add(task)
        task.add_done_callback(self._others.discard)
        task.add_done_callback(self._failed)

    async def stop(self) -> None:
        """End all work and all processes."""
        tasks = [*self._tasks.values(), *self._surveys.values(), *self._others]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.checker.stop()
        for threads in (self._threads, self._slow):
            threads.shutdown(wait=False, cancel_futures=True)


def _excluded(project: Project, path: str) -> bool:
    """Whether a commit hook would leave the file out."""
    if not os.path.isfile(path):
        return False
    found = discover((path,), project.root, project.loaded.settings, force_exclude=True)
    return not found.found and not found.problems and any(item.reason == "excluded" for item in found.left_out)


def _unpacked(rows: list[tuple[str, list[Any] | None]]) -> dict[str, FileResult]:
    return {path: unpack(path, packed) if packed else FileResult(path) for path, packed in rows}


def _name(found: list[types.Diagnostic]) -> str:
    """What a list of diagnostics is called: the same for the same list."""
    return sha256(repr(found).encode("utf-8", "replace")).hexdigest()[:20]
