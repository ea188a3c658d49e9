"""Options that a finding says are missing: where in the job they can be set, and the edit that does it.

An edit is proposed only when the file, read again with it, has the setting, in the block that was meant, and is otherwise as it was.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.facts import Block, Setting
from shoal.fixes import edited
from shoal.job import Job
from shoal.jobs.effective import origin
from shoal.jobs.questions import INTERVAL
from shoal.lazy import pattern
from shoal.model import Edit, FileResult, Span
from shoal.records import NamedTuple
from shoal.server.checker import URGENT, Failed, Lost
from shoal.server.project import Project
from shoal.server.session import Session
from shoal.text import decode, encode
from shoal.wire import unpack


class Wish(NamedTuple):
    """An option of Flink that a rule misses, with a value to begin with."""

    key: str
    value: str


WISHES = {
    "checkpointing-not-enabled": Wish(INTERVAL, "1 min"),
    "sink-without-checkpointing": Wish(INTERVAL, "1 min"),
    "latest-offset-without-checkpointing": Wish(INTERVAL, "1 min"),
    "group-offsets-without-checkpointing": Wish(INTERVAL, "1 min"),
    "checkpoints-deleted-on-cancel": Wish("execution.checkpointing.externalized-checkpoint-retention", "RETAIN_ON_CANCELLATION"),
}
_FILES = frozenset({"cluster", "deployment", "sessionjob"})  # what is set for a program before the program says anything
_ENVIRONMENT = pattern(r"(\s*)(\w+)\s*(?::[^=]*)?=\s*StreamExecutionEnvironment\.get_execution_environment\(\)\s*\Z")
_MOST = 2


async def proposals(rule: str, path: str, project: Project, session: Session) -> list[tuple[Wish, Edit]]:
    """Edits that set what `rule` misses in the job of a file, the likeliest place first."""
    wish = WISHES.get(rule)
    if wish is None or not project.surveyed:
        return []
    jobs = await session.think(lambda: project.jobs_with(path))
    texts = project.texts(session.contents(project))
    made: list[tuple[Wish, Edit]] = []
    for job in jobs[:1]:
        if any(setting.known for setting in job.origins("flink", wish.key)):
            return []  # it is set, and what is wrong is the value
        for block in _places(job, path):
            data = await session.run(lambda path=block.place.path: texts.data(path))  # type: ignore[misc]
            edit = _edit(wish, block, job, decode(data).text) if data is not None else None
            if edit is not None and data is not None and await _holds(wish, edit, block, data, project, session):
                made.append((wish, edit))
            if len(made) == _MOST:
                break
    return made


def _places(job: Job, path: str) -> list[Block]:
    """The blocks in which an option of the whole job can be set: files of its cluster, those that say more about the job first; else its code."""
    ranked = [(block, source) for block in job.select("flink") if (source := origin(block)) is not None and not block.open]
    files = [(block, source) for block, source in ranked if block.role in _FILES]
    code = [(block, source) for block, source in ranked if block.form in ("sql", "python")]
    return [block for block, source in sorted(files or code, key=lambda item: (item[0].place.path != path, -item[1].rank))]


def _edit(wish: Wish, block: Block, job: Job, text: str) -> Edit | None:
    """A line with the setting: after the last one of the block, or where a script or program begins."""
    path = block.place.path
    if block.form == "sql":
        at = text.rfind("\n", 0, block.place.span.start) + 1
        return Edit(path, Span(at, at), f"SET '{wish.key}' = '{wish.value}';\n")
    if block.form == "python":
        end = text.find("\n", block.place.span.end)
        end = len(text) if end < 0 else end
        match = _ENVIRONMENT.match(text[text.rfind("\n", 0, block.place.span.start) + 1 : end])
        return Edit(path, Span(end, end), f"\n{match[1]}{match[2]}.enable_checkpointing(60000)") if match and wish.key == INTERVAL else None
    own = [setting for setting in job.settings if setting.block == block.id and setting.path == path]
    if block.form != "flink-yaml":  # beside options that stand there with their whole name; the resource has other fields too
        own = [one for one in own if one.key_span.end - one.key_span.start == len(one.key) and not one.key.startswith("spec.")]
    if not own:
        return None
    last = max(own, key=lambda setting: setting.value_span.end)
    end = text.find("\n", last.value_span.end)
    end = len(text) if end < 0 else end
    if text[end - 1 : end] == "\r":
        end -= 1
    if block.form == "flink-yaml":  # nested: a line of its own at the end of the file says the same
        return Edit(path, Span(len(text), len(text)), ("" if not text or text.endswith("\n") else "\n") + f"{wish.key}: {wish.value}\n")
    first = min(own, key=lambda setting: setting.key_span.start)
    indent = text[text.rfind("\n", 0, first.key_span.start) + 1 : first.key_span.start].rstrip("\"'")
    return Edit(path, Span(end, end), f"\n{indent}{wish.key}: {wish.value}") if not indent.strip() else None


async def _holds(wish: Wish, edit: Edit, block: Block, data: bytes, project: Project, session: Session) -> bool:
    decoded = decode(data)
    found = []
    for text in (data, encode(edited(decoded.text, [edit]), decoded)):
        try:
            packed = await session.checker.ask("read", project.loaded.key, edit.path, text, priority=URGENT)
        except (Lost, Failed):
            return False
        found.append(unpack(edit.path, packed))
    before, after = found
    new = [setting for setting in _settings(after) if setting.key == wish.key]
    blocks = {fact.id: fact for fact in after.facts if isinstance(fact, Block)}
    there = [blocks[setting.block] for setting in new if setting.block in blocks]
    same = [setting._replace(key_span=Span(0, 0), value_span=Span(0, 0)) for setting in _settings(before)]
    kept = [setting._replace(key_span=Span(0, 0), value_span=Span(0, 0)) for setting in _settings(after) if setting not in new]
    return (
        [(one.role, one.form, one.name) for one in there] == [(block.role, block.form, block.name)]
        and sorted(map(_text, same)) == sorted(map(_text, kept))
        and after.problems == before.problems
    )


def _settings(result: FileResult) -> Iterator[Setting]:
    return (fact for fact in result.facts if isinstance(fact, Setting))


def _text(setting: Setting) -> tuple[str, str, str]:
    return setting.engine, setting.key, setting.text
