"""A file's outline, and what stands above the line on which a job begins."""

from __future__ import annotations

from lsprotocol import types

from shoal.facts import Block, Entry, Setting, Statement
from shoal.job import Job
from shoal.jobs.kinds import engine_of_code
from shoal.jobs.questions import CHECKPOINT_DIR, INTERVAL, duration
from shoal.model import FileResult, Span
from shoal.report.layout import plural, visible
from shoal.server.notebooks import CellView
from shoal.server.positions import Document
from shoal.server.project import Project

_KINDS = {"table": types.SymbolKind.Struct, "source": types.SymbolKind.Interface, "sink": types.SymbolKind.Interface}
_MOST = 2_000


def outline(result: FileResult, document: Document) -> list[types.DocumentSymbol]:
    """The blocks of a file, nested as they stand in each other, with their settings. Of a notebook the editor has its own outline."""
    if isinstance(document, CellView):
        return []
    blocks = [fact for fact in result.facts if isinstance(fact, Block) and fact.place.path == result.path]
    settings: dict[str, list[Setting]] = {}
    for fact in result.facts:
        if isinstance(fact, Setting):
            settings.setdefault(fact.block, []).append(fact)
    made: dict[str, types.DocumentSymbol] = {}
    top: list[types.DocumentSymbol] = []
    for block in blocks:
        own = settings.get(block.id, [])
        if "/" in block.id.rpartition("#")[2] or not (own or block.name):  # the same settings, seen as a client's
            continue
        place = block.place.span
        whole = Span(min([place.start, *(one.span.start for one in own)]), max([place.end, *(one.span.end for one in own)]))
        symbol = types.DocumentSymbol(
            visible(block.name) or f"{block.engine} {block.role}",
            _KINDS.get(block.role, types.SymbolKind.Namespace),
            document.ruler.range(whole),
            document.ruler.range(place),
            detail=f"{block.engine} {block.role}" if block.name else block.form,
            children=[_setting(one, document) for one in own[:_MOST]],
        )
        made[block.id] = symbol
        parent = made.get(block.parent)
        if parent is None:
            top.append(symbol)
        else:
            parent.children = [*(parent.children or ()), symbol]
            parent.range = types.Range(
                min(parent.range.start, symbol.range.start, key=_order), max(parent.range.end, symbol.range.end, key=_order)
            )
    for fact in result.facts:
        if isinstance(fact, (Entry, Statement)):
            name = fact.target if isinstance(fact, Entry) else f"{fact.kind} {fact.target}".strip()
            place_range = document.ruler.range(fact.place.span)
            top.append(types.DocumentSymbol(visible(name) or fact.kind, types.SymbolKind.Event, place_range, place_range, detail=fact.kind))
    return top


def _order(position: types.Position) -> tuple[int, int]:
    return position.line, position.character


def _setting(setting: Setting, document: Document) -> types.DocumentSymbol:
    whole = document.ruler.range(setting.span)
    return types.DocumentSymbol(visible(setting.key), types.SymbolKind.Property, whole, whole, detail=visible(setting.text))


def lenses(document: Document, project: Project, path: str) -> list[types.CodeLens]:
    """One lens for each job that begins in the file: what was found in it, and how it is checkpointed."""
    result = project.results.get(path)
    if result is None:
        return []
    engine = engine_of_code(result.facts)
    begins = next(
        (
            fact
            for fact in result.facts
            if isinstance(fact, Block) and (_begins(fact) if engine else fact.role in ("deployment", "sessionjob"))
        ),
        None,
    )
    if begins is None or not document.holds(begins.place.span):
        return []
    made = []
    for job in project.jobs_with(path):
        if job.kind == "job" and begins.id in job.blocks and (job.paths[0] == path):
            title = say(job, project)
            made.append(
                types.CodeLens(document.ruler.range(begins.place.span), types.Command(title, "shoal.showJob", arguments=[list(job.paths)]))
            )
    return made


def _begins(block: Block) -> bool:
    return (block.form in ("python", "java") and block.role in ("job", "pipeline")) or (block.form == "sql" and block.role == "session")


def say(job: Job, project: Project) -> str:
    """`3 findings; checkpoints every 60 s to s3://…; Flink 1.20`."""
    found = {
        finding.fingerprint for path in job.paths for finding in project.conclusion.findings.get(path, ()) if finding.status.state == "open"
    }
    parts = [plural(len(found), "finding") if found else "no findings"]
    if len(job.paths) > 1:
        parts[0] += f" in {len(job.paths)} files"
    if "flink" in job.engines:
        interval, directory = job.effective_anywhere("flink", INTERVAL), job.effective_anywhere("flink", CHECKPOINT_DIR)
        length = duration(interval)
        every = f"checkpoints every {length}" if length is not None else "checkpoints" if interval else ""
        if every and directory is not None:
            every += f" to {visible(directory.text)}"
        parts += [every] if every else []
    for engine, name in (("flink", "Flink"), ("spark", "Spark"), ("beam", "Beam")):
        if engine in job.engines and (known := job.version(engine)):
            parts.append(f"{name} {known.text}")
    if job.environment:
        parts.append(f"environment {visible(job.environment)}")
    return "; ".join(parts)
