"""The picture of jobs as a Mermaid flowchart: sources, statements, sinks, checkpoint storage with its timeouts, and findings marked on them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from shoal.facts import Block, Setting, Statement, Usage
from shoal.job import Job
from shoal.jobs import questions
from shoal.jobs.describe import engines
from shoal.model import Finding

_STATEFUL = {
    "group-by",
    "regular-join",
    "select-distinct",
    "aggregate-distinct",
    "over",
    "row-number",
    "match-recognize",
    "windowed-group-by",
    "interval-join",
}
_SYMBOLS = {"error": "⛔", "warning": "⚠", "info": "ℹ"}


def mermaid(jobs: Iterable[Job], findings: Iterable[Finding]) -> str:
    """One flowchart with a box for each job."""
    found = list(findings)
    lines = ["flowchart LR"]
    for number, job in enumerate(jobs):
        lines += _Picture(job, f"j{number}", found).lines()
    lines.append("  classDef error stroke:#c00,stroke-width:3px")
    lines.append("  classDef warning stroke:#d80,stroke-width:3px")
    lines.append("  classDef info stroke:#06c,stroke-width:2px")
    return "\n".join(lines) + "\n"


class _Picture:
    def __init__(self, job: Job, prefix: str, findings: list[Finding]) -> None:
        self._job = job
        self._prefix = prefix
        self._findings = [finding for finding in findings if finding.primary.path in job.paths]
        self._marked: set[Finding] = set()
        self._lines: list[str] = []
        self._classes: list[str] = []
        self._count = 0

    def lines(self) -> list[str]:
        job = self._job
        title = job.name + (f" ({job.environment})" if job.environment else "")
        engine = next(iter(engines(job)), "")
        version = job.version(engine) if engine else None
        blocks = [
            block
            for block in job.blocks.values()
            if block.role in ("source", "sink", "table", "reader", "writer") and block.trait("hint") != "true"
        ]
        names = {self._short(block.name): self._node(block) for block in blocks if block.name}
        statements = job.statements("insert", "create-table-as", "create-view")
        linked: set[str] = set()
        for statement in statements:
            node = self._statement(statement)
            for source in statement.sources:
                if at := names.get(self._short(source)):
                    self._lines.append(f"    {at} --> {node}")
                    linked.add(at)
            target = names.get(self._short(statement.target)) or self._named(statement.target, names)
            self._lines.append(f"    {node} --> {target}")
            linked.add(target)
        loose = [block for block in blocks if not (block.name and names[self._short(block.name)] in linked)]
        main = ""
        if not statements or loose or job.kind == "cluster":
            label = f"{engine.capitalize() or 'job'} {version.text if version else ''}".strip()
            main = self._add(f'["{_text(label)}"]')
        for block in loose:
            at = names.get(self._short(block.name)) if block.name else self._node(block)
            if self._writes(block):
                self._lines.append(f"    {main} --> {at}")
            else:
                self._lines.append(f"    {at} --> {main}")
        if main:
            self._operators(main)
        if engine == "flink":
            self._storage(main or next(iter(names.values()), ""))
        rest = [finding for finding in self._findings if finding not in self._marked]
        if rest:
            self._add(f'>"{_text(_marks(rest))}"]', rest)
        return [f'  subgraph {self._prefix}["{_text(title)}"]', *self._lines, "  end", *self._classes]

    def _operators(self, main: str) -> None:
        """What is known of the operators that a program builds: the state they keep, the requests they wait for, what may fail in them."""
        known = {
            "keyed-state": "keeps {detail}",
            "async-timeout": "waits for requests<br/>at most {detail} ms each",
            "unguarded-parse": "{detail}",
        }
        shown: dict[tuple[str, str], list[Usage]] = {}
        for usage in self._job.usages(*known):
            shown.setdefault((usage.kind, usage.detail), []).append(usage)
        for (kind, detail), usages in shown.items():
            word = (
                detail.removesuffix("Descriptor")
                if kind == "keyed-state"
                else f"parses with {detail.partition(':')[2]}"
                if ":" in detail
                else detail
            )
            spots = {(usage.place.path, usage.place.span) for usage in usages}
            about = [finding for finding in self._findings if (finding.primary.path, finding.primary.span) in spots]
            self._marked.update(about)
            times = f" ×{len(usages)}" if len(usages) > 1 else ""
            node = self._add(f'(["{known[kind].format(detail=_text(word))}{times}{_suffix(about)}"])', about)
            self._lines.append(f"    {main} --- {node}")

    def _storage(self, main: str) -> None:
        job = self._job
        interval, directory = questions.interval(job), next(iter(job.origins("flink", questions.CHECKPOINT_DIR)), None)
        if interval is None and directory is None:
            return
        timeout = next(iter(job.origins("flink", questions.TIMEOUT)), None)
        where = directory.text.strip() if directory is not None else "the JobManager's heap"
        every = f"every {interval.text.strip()}" if interval is not None else "never"
        label = (
            f"checkpoints<br/>{_text(where)}<br/>{_text(every)}, timeout {_text(timeout.text.strip()) if timeout else '10 min (default)'}"
        )
        about = self._about([setting for setting in (interval, directory, timeout) if setting is not None])
        node = self._add(f'[("{label}{_suffix(about)}")]', about)
        if main:
            self._lines.append(f"    {main} -.-> {node}")

    def _node(self, block: Block) -> str:
        topic = next(
            (setting.text.strip() for key in ("topic", "subscribe", "path", "table-name") if (setting := self._job.get(block, key))), ""
        )
        kind = block.trait("connector") or block.trait("format") or block.role
        parts = list(dict.fromkeys(part for part in (block.name, f"{kind}: {topic}" if topic else kind) if part))
        about = self._about(self._job.of(block), block)
        label = "<br/>".join(_text(part) for part in parts) + _suffix(about)
        return self._add(f'[/"{label}"/]' if self._writes(block) else f'[\\"{label}"\\]', about)

    def _statement(self, statement: Statement) -> str:
        features = ", ".join(statement.features)
        about = [
            finding
            for finding in self._findings
            if finding.primary.path == statement.place.path
            and statement.place.span.start <= finding.primary.span.start < statement.place.span.end
        ]
        self._marked.update(about)
        keeps = "<br/>keeps state" if _STATEFUL & set(statement.features) else ""
        label = _text(statement.kind) + (f"<br/>{_text(features)}" if features else "") + keeps + _suffix(about)
        return self._add(f'(["{label}"])', about)

    def _named(self, name: str, names: dict[str, str]) -> str:
        node = self._add(f'[/"{_text(name)}"/]')
        names[self._short(name)] = node
        return node

    def _add(self, shape: str, about: list[Finding] | None = None) -> str:
        node = f"{self._prefix}n{self._count}"
        self._count += 1
        self._lines.append(f"    {node}{shape}")
        if about:
            worst = next(level for level in ("error", "warning", "info") if any(finding.severity == level for finding in about))
            self._classes.append(f"  class {node} {worst}")
        return node

    def _about(self, settings: list[Setting], block: Block | None = None) -> list[Finding]:
        """Findings that point at one of these settings, or at what introduces the block."""
        spots = {(setting.path, span) for setting in settings for span in (setting.value_span, setting.key_span)}
        if block is not None:
            spots.add((block.place.path, block.place.span))
        found = [finding for finding in self._findings if (finding.primary.path, finding.primary.span) in spots]
        self._marked.update(found)
        return found

    def _writes(self, block: Block) -> bool:
        return block.role in ("sink", "writer") or (block.trait("sink") == "true" and block.trait("source") != "true")

    @staticmethod
    def _short(name: str) -> str:
        return name.strip("`").rsplit(".", 1)[-1].strip("`").lower()


def _marks(findings: list[Finding]) -> str:
    counts: dict[tuple[str, str], int] = {}
    for finding in findings:
        counts[finding.severity, finding.rule] = counts.get((finding.severity, finding.rule), 0) + 1
    return " · ".join(f"{_SYMBOLS[severity]} {rule}{f' ×{count}' if count > 1 else ''}" for (severity, rule), count in counts.items())


def _suffix(findings: list[Finding]) -> str:
    return f"<br/>{_text(_marks(findings))}" if findings else ""


def _text(text: str) -> str:
    """A text that ends no label and starts no markup: what is scanned is not trusted."""
    cut = re.sub(r"[\x00-\x1f\x7f]", " ", text)
    cut = cut if len(cut) <= 120 else cut[:117] + "…"
    return cut.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;").replace("#", "&num;")
