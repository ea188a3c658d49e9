"""Contents are checked, each once, in a child process of the Python worker."""

from __future__ import annotations

import contextlib
import json
import time
import zlib
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

from shoal import host, pool
from shoal.discover import Found
from shoal.model import FileResult, Problem, Told
from shoal.readers import READERS
from shoal.rulebook import RuleLoadError
from shoal.spark import rows
from shoal.spark.plan import Plan, column, plan_in, rulebook, shown_of, text_of
from shoal.spark.rows import Batches, Row
from shoal.spark.scanning import scanned_rows
from shoal.wire import pack, told_of, unpack

_GIVEN_BYTES = 300_000
_GIVEN_FILES = 64


def check(plan: Plan, found: Batches) -> Batches:
    """Check each content once, in a child process of this worker: what kills it is a problem of the file."""
    yield from rows.batches(checked_rows(plan, rows.rows(found)), rows.CHECKED)


def scan_and_check(plan: Plan, found: Batches) -> Batches:
    """Read the files of portions and check them where they are: of few files it costs less to check a content twice than to find out."""
    yield from rows.batches(_scanned_and_checked(plan, found), rows.JOINED)


def _scanned_and_checked(plan: Plan, found: Batches) -> Iterator[Row]:
    scanned = [row for portion in rows.rows(found) for row in scanned_rows(plan, portion)]
    contents = {row["key"]: row for row in scanned if row.get("key")}
    packed = {row["key"]: row["packed"] for row in checked_rows(plan, contents.values())}
    for row in scanned:
        yield {**row, "packed": packed.get(row.get("key"))}


def checked_rows(plan: Plan, found: Iterable[Row]) -> Iterator[Row]:
    for items in _given(found):
        for item, answer in zip(items, apart(plan, items), strict=True):
            if isinstance(answer, pool.Lost):
                answer = (pack(lost_result(shown_of(item[0]), answer)), plan_in(plan, item[5]).settings.timeout)
            packed, seconds = answer
            text = json.dumps(packed) if packed else ""
            yield {"key": column(item[0]), "packed": text, "sure": _sure(packed), "seconds": seconds}


def _sure(packed: list[Any] | None) -> bool:
    """`FileResult.sure`; few results have problems, so that the others are not unpacked for it."""
    return not (packed and packed[2]) or unpack("", packed).sure


def lost_result(path: str, lost: pool.Lost) -> FileResult:
    problem = Problem(path, lost.kind, lost.message, help="exclude the file, and please report this with it")
    return FileResult(path, problems=(problem,))


def _given(found: Iterable[Row]) -> Iterator[list[list[Any]]]:
    """Items for the child process, in portions of about as many bytes, each under one tree's settings."""
    kept: list[list[Any]] = []
    weight = 0
    for row in found:
        if kept and kept[-1][5] != row["settings"]:
            yield kept
            kept, weight = [], 0
        kept.append([text_of(row["key"]), row["kind"], row["named"], row["content"], None, row["settings"]])
        weight += len(row["content"])
        if weight >= _GIVEN_BYTES or len(kept) >= _GIVEN_FILES:
            yield kept
            kept, weight = [], 0
    if kept:
        yield kept


# The child process of this Python worker, with the plan that it works for. It outlives a task, as the worker does: what it has loaded is worth keeping.
_children: dict[str, pool.Steady] = {}


def apart(plan: Plan, items: list[list[Any]]) -> list[Any]:
    """Check contents in the child process: [key or path, kind, named, deflated content, what it is told, settings of their tree] each.

    Answers (packed result, seconds) or Lost.
    """

    def work(item: list[Any]) -> tuple[list[Any] | None, float]:
        began = time.process_time()
        name, kind, named, content, told, settings = item
        path = shown_of(name) if told is None else name
        data = zlib.decompress(content)
        about = told_of(*told) if told else None
        packed = examined(Found(path, kind, (len(data), 0, 0, 0), named), data, plan_in(plan, settings), about)
        return packed, time.process_time() - began

    if not pool.AVAILABLE:
        return [work(item) for item in items]
    name = repr(plan)
    if name not in _children:
        for child in _children.values():
            child.close()
        _children.clear()
        _prepare(plan)
        _children[name] = pool.Steady(work)
    return _children[name].do(items, plan_in(plan, items[0][5]).settings.timeout) if items else []


def examined(found: Found, data: bytes, plan: Plan, told: Told | None = None) -> list[Any] | None:
    """The packed result of a content, made by the very code of the local engine; None for nothing found."""
    _, _, packed = host._answer(found, _not_here, rulebook(plan), plan.settings, None, True, False, data, told)
    return packed


def _not_here(path: str) -> bytes:
    raise FileNotFoundError(path)


def _prepare(plan: Plan) -> None:
    """Load in this process what each child would otherwise load again."""
    book = rulebook(plan)
    for rule in book:
        if not rule.use:
            continue
        with contextlib.suppress(RuleLoadError):  # said for each file, as the local engine does
            book.check(rule)
    for module in set(READERS.values()):
        import_module(module)
