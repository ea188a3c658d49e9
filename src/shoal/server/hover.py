"""What stands under the cursor: an option with its type, history and what its job uses; a rule that a comment silences."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable

from lsprotocol import types

from shoal.catalogue import Change
from shoal.commands.explain import page as rule_text
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.jobs.effective import origin
from shoal.model import FileResult, Place, Span
from shoal.report.layout import visible
from shoal.rulebook import Rule
from shoal.server.checker import URGENT, Failed, Lost
from shoal.server.options import Described, describe, page, values
from shoal.server.positions import Document
from shoal.server.project import Project
from shoal.server.session import Session
from shoal.suppress import Suppression
from shoal.wire import unpack

_ENGINES = {
    "flink": "Flink",
    "flink-cdc": "Flink CDC",
    "spark": "Spark",
    "kafka": "Kafka",
    "kafka-connect": "Kafka Connect",
    "beam": "Beam",
}
_MOST = 6
Where = Callable[[Place], str]


async def find(session: Session, params: types.HoverParams) -> types.Hover | None:
    """The hover at a position."""
    await session.settled(params.text_document.uri)
    found = session.at(params.text_document.uri)
    if found is None:
        return None
    document, project, path = found
    offset = document.ruler.offset(params.position)
    result = project.results.get(path) or FileResult(path)
    if not result.facts and project.loaded.settings.kind(path):  # no rule looks at the file
        with contextlib.suppress(Lost, Failed):
            result = unpack(path, await session.checker.ask("read", project.loaded.key, path, document.data, priority=URGENT))
    return await session.think(lambda: _rule(offset, result, document, project) or _option(session, offset, result, document, project))


def _rule(offset: int, result: FileResult, document: Document, project: Project) -> types.Hover | None:
    for fact in result.facts:
        if isinstance(fact, Suppression) and fact.span.start <= offset <= fact.span.end:
            for match in re.finditer(r"[\w-]+", document.text[fact.span.start : fact.span.end]):
                span = Span(fact.span.start + match.start(), fact.span.start + match.end())
                if span.start <= offset <= span.end and (rule := project.loaded.rulebook.get(match.group())):
                    return _hover(short(rule), span, document)
    return None


def short(rule: Rule) -> str:
    """A rule's page without its examples."""
    head, *sections = re.split(r"(?m)^## ", rule_text(rule))
    wanted = ("What it finds", "Why it hurts", "How to fix", "When to ignore")
    return head + "\n".join(
        f"**{title}.** {body.strip()}\n" for section in sections for title, body in [section.split("\n", 1)] if title in wanted
    )


def at(offset: int, result: FileResult) -> list[tuple[Setting, Span]]:
    """The settings whose key or value stands at an offset, the closest first; of one place, as written before as a client sees it."""
    found = []
    for number, fact in enumerate(result.facts):
        if isinstance(fact, Setting):
            for span in (fact.key_span, fact.value_span):
                if span.start <= offset <= span.end and span.end > span.start:
                    found.append((span.end - span.start, number, fact, span))
                    break
    return [(fact, span) for _, _, fact, span in sorted(found, key=lambda item: item[:2])]


def _option(session: Session, offset: int, result: FileResult, document: Document, project: Project) -> types.Hover | None:
    jobs = project.jobs_with(result.path)
    blocks = {fact.id: fact for fact in result.facts if isinstance(fact, Block)}

    def where(place: Place) -> str:
        words, address = session.spot(project, place)
        return f"[{visible(words)}]({address})"

    for setting, span in at(offset, result):
        block = blocks.get(setting.block)
        own = [job for job in jobs if block and block.id in job.blocks]
        described = describe(setting, block, next(iter(own), None)) if block else None
        if block is not None and described is not None:
            return _hover(say(setting, block, described, own, where), span, document)
    return None


def _hover(text: str, span: Span, document: Document) -> types.Hover:
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), document.ruler.range(span))


def say(setting: Setting, block: Block, described: Described, jobs: list[Job], where: Where) -> str:
    """An option in a few lines of Markdown."""
    option, table, known = described
    kind = f"{option.type or 'type unknown'}" + (", required" if option.required else "")
    default = f"default {_code(option.default)}" if option.default is not None else "no default"
    named = f"`{visible(setting.key)}`" + (f", an older name of `{option.key}`" if option.key != setting.key and not option.prefix else "")
    lines = [f"**{named}**", "", f"{kind}, {default} ({_whose(block, described)})"]
    if allowed := values(option):
        lines += ["", "One of " + ", ".join(map(_code, allowed)) + "."]
    if option.deprecated:
        lines += ["", f"Deprecated since {option.deprecated}."]
    if option.removed and not (known and option.removed > known.minor):
        lines += ["", f"Not read any more since {option.removed}."]
    if history := [_change(change) for change in table.history(setting.key)]:
        lines += ["", "*History*", "", *(f"- {line}" for line in history[-_MOST:])]
    for job in jobs[:3]:
        lines += _in_force(setting, block, job, where, len(jobs) > 1)
    if address := page(described, block):
        lines += ["", f"[{_ENGINES.get(block.engine, block.engine)} documentation]({address})"]
    return "\n".join(lines)


def _whose(block: Block, described: Described) -> str:
    name = _ENGINES.get(block.engine, block.engine)
    if described.version:
        return f"{name} {described.version.text}"
    return f"{name} {described.table.versions[-1]}, the newest known: the job's version is not" if described.table.versions else name


def _in_force(setting: Setting, block: Block, job: Job, where: Where, several: bool) -> list[str]:
    """What the job uses, where that comes from, and who else says something."""
    if origin(block) is None:
        own = job.effective(block, setting.key)
        return ["", f"In force: {_code(own.text)}, {where(own.place())}"] if own is not None and own.place() != setting.place() else []
    settings = job.origins(setting.engine, setting.key)
    if not settings:
        return []
    first, *rest = settings
    title = f"In force in {visible(job.name)}" if several or job.kind == "job" else "In force"
    title += f" ({job.environment})" if job.environment else ""
    lines = ["", f"{title}: {_code(first.text)}, {_source(first, job)}, {where(first.place())}"]
    for other in rest[:_MOST]:
        verb = "the same in" if other.text.strip() == first.text.strip() else f"overrides {_code(other.text)} in"
        lines.append(f"- {verb} {where(other.place())}")
    return lines


def _source(setting: Setting, job: Job) -> str:
    found = origin(job.blocks[setting.block])
    return found.word if found else ""


def _change(change: Change) -> str:
    before, after = _code(change.before), _code(change.after)
    said = {
        "added": "added",
        "removed": "removed",
        "deprecated": "deprecated",
        "renamed": f"renamed to {after}",
        "type": f"type {before} became {after}",
        "default": f"default {before} became {after}",
        "values": f"values {before} became {after}",
    }
    return f"{change.version}: {said.get(change.what, change.what)}"


def _code(text: str | None) -> str:
    return "nothing" if text is None else f"`{visible(text).replace('`', chr(39))}`" if text else "empty"
