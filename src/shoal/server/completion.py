"""Completion of option keys and values, in every format that is read.

The word at the cursor is replaced by one that no file holds, and the text is read as any file is: the setting in which that word comes
out says which engine's options are meant, in which block, and whether a key or a value is being written. Where the text is not finished
(no colon yet, no closing quote), a few ways to finish it are tried.
"""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import FileResult, Span
from shoal.server.checker import URGENT, Failed, Lost
from shoal.server.notebooks import quoted
from shoal.server.options import connectors, tables, values, version
from shoal.server.positions import Document
from shoal.server.project import Project
from shoal.server.session import Session
from shoal.wire import unpack

TRIGGERS = [".", "'", '"', "="]
_WORD = "shoalprobe"
_BEFORE = pattern(r"[A-Za-z0-9_.-]*\Z")
_AFTER = pattern(r"[A-Za-z0-9_.-]*")
# What may be missing after a key, by kind of file; the last ones also close what is open.
_ENDS = {
    "python": ("", '", "x', "', 'x", '", "x")', "', 'x')", "': 'x", '": "x', "': 'x'}", '": "x"}', "' = 'x", "' = 'x'", '")', "')"),
    "sql": ("", "' = 'x", "' = 'x'", "' = 'x';", "' = 'x')", "';", "')"),
    "yaml": ("", ": x", "' = 'x", "=x"),
    "flink-conf": ("", ": x"),
    "properties": ("", "=x"),
    "ini": ("", "=x"),
    "spark-conf": ("", " x"),
    "shell": ("", "=x"),
    "dockerfile": ("", "=x", ": x"),
    "json": ("", '": "x', '": "x"'),
}
_ENDS["notebook"] = _ENDS["python"]
_ENDS["makefile"] = _ENDS["shell"]
_MOST = 2_000


async def find(session: Session, params: types.CompletionParams) -> types.CompletionList:
    """What can be written at a position; nothing where no option is being written."""
    empty = types.CompletionList(False, [])
    found = session.at(params.text_document.uri)
    if found is None:
        return empty
    document, project, path = found
    kind = project.loaded.settings.kind(path)
    if kind not in _ENDS:
        return empty
    word = around(document, document.ruler.offset(params.position))
    typed = document.text[word.start : word.end]
    stem = document.text[word.start : document.ruler.offset(params.position)]
    stem = stem[: stem.rfind(".") + 1]
    texts = [
        f"{document.text[: word.start]}{start}{_WORD}{quoted(end) if kind == 'notebook' else end}{document.text[word.end :]}"
        for start in dict.fromkeys((stem, ""))
        for end in _ENDS[kind]
    ]
    timeout = project.loaded.settings.timeout
    try:
        packed = await session.checker.ask(
            "probe", project.loaded.key, path, [text.encode("utf-8", "replace") for text in texts], _WORD, priority=URGENT, timeout=timeout
        )
    except (Lost, Failed):
        return empty
    items = await session.think(lambda: list(_items(unpack(path, packed), project, stem, typed, document.ruler.range(word))))
    return types.CompletionList(False, items[:_MOST])


def around(document: Document, offset: int) -> Span:
    """The word that an offset stands in or behind."""
    line = document.ruler.line(offset)
    before = _BEFORE.search(document.text[line.start : offset])
    after = _AFTER.match(document.text[offset : line.end])
    return Span(offset - len(before.group() if before else ""), offset + len(after.group() if after else ""))


def _items(result: FileResult, project: Project, stem: str, typed: str, place: types.Range) -> Iterator[types.CompletionItem]:
    blocks = {fact.id: fact for fact in result.facts if isinstance(fact, Block)}
    job = next(iter(project.jobs_with(result.path)), None)
    seen: set[str] = set()
    for setting in result.facts:
        if not isinstance(setting, Setting) or setting.block not in blocks:
            continue
        block = blocks[setting.block]
        if _WORD in setting.key:
            present = {fact.key for fact in result.facts if isinstance(fact, Setting) and fact.block == setting.block}
            made = _keys(setting.key, block, job, stem, place, present - {typed})
        elif _WORD in setting.text:
            made = _values(setting, block, job, place)
        else:
            continue
        for item in made:
            if item.label not in seen:
                seen.add(item.label)
                yield item


def _keys(key: str, block: Block, job: Job | None, stem: str, place: types.Range, present: set[str]) -> Iterator[types.CompletionItem]:
    """Keys that fit behind what stands before the word: what the file nests it in, and what is typed up to the last dot."""
    before = key[: key.index(_WORD)]
    known = version(job, block)
    minor = known.minor if known else None
    for table in tables(block):
        for name in table.keys(minor):
            if not name.startswith(before) or name in present or "<" in name or name.startswith("$"):
                continue
            option = table.option(name, minor)
            if option is None or option.scope == "internal":
                continue
            text = stem + name[len(before) :]
            yield types.CompletionItem(
                label=text,
                kind=types.CompletionItemKind.Property,
                tags=[types.CompletionItemTag.Deprecated] if option.deprecated else None,
                detail=f"{option.type or 'option'}" + (f", default {option.default}" if option.default is not None else ""),
                documentation=f"One of {', '.join(option.values)}" if option.values else None,
                sort_text=f"{'1' if option.deprecated else '0'}{text}",
                text_edit=types.TextEdit(place, text),
            )


def _values(setting: Setting, block: Block, job: Job | None, place: types.Range) -> Iterator[types.CompletionItem]:
    known = version(job, block)
    allowed: tuple[str, ...] = ()
    default = None
    if (block.engine, block.role, setting.key) == ("flink", "table", "connector"):
        allowed = connectors()
    else:
        for table in tables(block):
            option = table.option(setting.key, known.minor if known else None)
            if option is not None:
                allowed, default = values(option), option.default
                break
    for value in allowed:
        yield types.CompletionItem(
            label=value,
            kind=types.CompletionItemKind.EnumMember,
            detail="default" if default is not None and value.lower() == default.lower() else None,
            text_edit=types.TextEdit(place, value),
        )
