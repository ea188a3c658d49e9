"""Readers: one for each format. A reader knows its format and no rule; what it yields are facts with exact spans.

A reader is a module with `read(text, out)`: `text` is the file's (masked) `Text`, `out` the `Reading` that collects facts.
It never raises for what stands in a file: what it cannot read becomes a `Problem`, and the rest is still read.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING

from shoal.classify import PROGRAMS, is_template
from shoal.facts import ABOVE, Block, Dependency, Entry, Fact, Mount, Oddity, Origin, Setting, Unknown, Usage, Value, value_of
from shoal.lazy import pattern
from shoal.model import DATA, Edit, LeftOut, Place, Problem, Source, Span, Told
from shoal.text import MASK, Decoded, Lines, Text, decode

if TYPE_CHECKING:
    from shoal.readers.shell_flow import Launch

# kind (see classify.py) -> module with read(text, out)
READERS = {
    "flink-conf": "shoal.readers.flink_conf",
    "yaml": "shoal.readers.yaml_documents",
    "json": "shoal.readers.json_documents",
    "properties": "shoal.readers.properties",
    "ini": "shoal.readers.ini",
    "spark-conf": "shoal.readers.spark_conf",
    "sql": "shoal.readers.sql",
    "shell": "shoal.readers.shell",
    "dockerfile": "shoal.readers.dockerfile",
    "makefile": "shoal.readers.shell",
    "requirements": "shoal.readers.requirements",
    "toml": "shoal.readers.toml_pins",
    "lock": "shoal.readers.toml_pins",
    "pom": "shoal.readers.pom",
    "gradle": "shoal.readers.gradle",
    "terraform": "shoal.readers.terraform",
    "python": "shoal.python.reader",
    "notebook": "shoal.python.notebook",
    "java": "shoal.java.reader",
}

# Kinds whose files may be Helm, Jinja or envsubst templates.
TEMPLATED = frozenset({"flink-conf", "yaml", "json", "properties", "ini", "spark-conf", "sql", "shell", "dockerfile"})

_COMMENT = pattern(r"[ \t]*(?:#|--|//)(.*)")
_AMOUNT = pattern(r"[0-9]|\b(?:one|two|three|five|ten|fifteen|thirty|sixty|every|an?) (?:second|minute|hour|day|week)", re.IGNORECASE)
_OPENER = pattern(r"\{\{|\{%|\{#|</?#")
_TERRAFORM = pattern(r"(?m)^[ \t]*%\{~?[ \t]*(?:if|for|else|endif|endfor)\b")
_TERRAFORM_OPENER = pattern(_OPENER.pattern + r"|(?<!%)%\{")
_CLOSERS = {"{{": "}}", "{%": "%}", "{#": "#}", "<#": ">", "</#": ">", "%{": "}"}
# `image: {ACCOUNT ID}.dkr.ecr…`, to be filled in by hand: no YAML, where a map in braces ends the value.
_HOLE = r"\{ ?[A-Z][A-Z0-9_ -]*\}"
_FILLED = pattern(rf"{_HOLE}[\w./-]")  # looked for first, since it costs less
# `replicas: @REPLICAS@`, `%slots%`: no value begins with these signs.
_MARKED = r"%%?[A-Za-z_]\w*%%?|@@?[A-Za-z_][\w.-]*@@?"
_TO_FILL = pattern(rf"(?m)^( *(?:- )*(?:[\w./-]+: )?)({_HOLE}(?=[\w./-])|{_MARKED})")


# What reads these takes bytes as they come, so one that is not UTF-8 (a Latin-1 comment) spoils nothing but the value it stands in.
_BYTEWISE = frozenset({"shell", "dockerfile", "makefile", "requirements", "flink-conf", "spark-conf"})


class Reading:
    """Collects the facts of one file. Readers call `block`, then `setting`, `dependency`, `entry` and `oddity`."""

    def __init__(self, path: str, raw: str, templated: bool = False, told: Told | None = None) -> None:
        self.path = path
        self.raw = raw
        self.templated = templated
        self.told = told  # what other Python files of the project say
        self.aside = False  # read only because of that: no library that shoal knows is imported
        self.inner = False  # what is read now is a program in a file of another kind
        self.facts: list[Fact] = []
        self.problems: list[Problem] = []
        self.left_out: list[LeftOut] = []
        self.launches: list[Launch] = []  # what Flink's client is told to do with jobs
        self.module: object = None  # the semantic model of a Python file, for rules of scope `file`
        self._lines: Lines | None = None
        self._blocks = 0

    @property
    def unfinished(self) -> bool:
        """Whether something else makes the file what it is to be, so that it need not be well-formed now."""
        return self.templated or is_template(self.path)

    @property
    def lines(self) -> Lines:
        if self._lines is None:
            self._lines = Lines(self.raw)
        return self._lines

    def place(self, span: Span, role: str = "primary", label: str = "") -> Place:
        return Place(self.path, span, role, label)

    def block(
        self,
        engine: str,
        role: str,
        form: str,
        place: Span | Place,
        name: str = "",
        parent: Block | None = None,
        traits: tuple[tuple[str, str], ...] = (),
        open: bool = False,
    ) -> Block:
        where = place if isinstance(place, Place) else self.place(place)
        made = Block(f"{self.path}#{self._blocks}", engine, role, form, name, where, parent.id if parent else "", traits, open)
        self._blocks += 1
        self.facts.append(made)
        return made

    def setting(
        self,
        block: Block,
        key: str,
        value: str | Value,
        key_span: Span,
        value_span: Span,
        comment: str = "",
        engine: str = "",
        sure: str = "",
        origin: Origin | None = None,
    ) -> Setting | None:
        """Add a setting. A `str` value is resolved (masks and `${VAR}` become Unknown); a key that is masked is no setting."""
        if MASK in key or "\ufffd" in key or not key:
            return None
        resolved, certainty = (value, "sure") if isinstance(value, Unknown) else value_of(value)
        if isinstance(resolved, Unknown) and MASK in resolved.text:
            resolved = resolved._replace(text=self.raw[value_span.start : value_span.end])
        key_span, value_span = (
            self._unquoted(key_span, key),
            self._unquoted(value_span, resolved if isinstance(resolved, str) else resolved.text),
        )
        if self.inner or self.path.endswith(PROGRAMS):
            key_span = self._told_apart(key_span, key)
            value_span = self._told_apart(value_span, resolved if isinstance(resolved, str) else resolved.text)
        comment = comment or (self._said_above(key_span.start) if key == "enable.idempotence" else self._above(key_span.start))
        made = Setting(block.id, engine or block.engine, key, resolved, self.path, key_span, value_span, sure or certainty, comment, origin)
        self.facts.append(made)
        return made

    def _above(self, offset: int) -> str:
        """The comment that stands alone on the line above, if it names an amount; one of several lines is about more than what follows."""
        line = self.lines.line(offset)
        above, earlier = (_COMMENT.fullmatch(self.lines.content(line - up)) if line > up else None for up in (1, 2))
        if above is None or earlier is not None or not _AMOUNT.search(above[1]):
            return ""
        return ABOVE + above[1].strip()

    def _said_above(self, offset: int) -> str:
        """The comment of up to five lines above a switch, if it speaks of what is switched."""
        line = self.lines.line(offset)
        found: list[str] = []
        while len(found) < 5 and line > len(found) + 1 and (said := _COMMENT.fullmatch(self.lines.content(line - len(found) - 1))):
            found.insert(0, said[1].strip())
        text = " ".join(found)
        return ABOVE + text if "idempot" in text.lower() else ""

    def _told_apart(self, span: Span, text: str) -> Span:
        """The span of what stands for a text in a program: never as long as the text, so that no fix takes a name for what it names.

        A keyword is an option of a client in Python, with underscores. No fix goes into a program in a file of another kind.
        """
        written = self.raw[span.start : span.end]
        own = text in (written, written.replace("_", ".")) and not self.inner
        return Span(span.start, span.end - 1) if len(written) == len(text) and not own else span

    def _unquoted(self, span: Span, text: str) -> Span:
        """The span inside the quotes, so that a fix replaces the text and leaves the quotes."""
        first, last = self.raw[span.start : span.start + 1], self.raw[span.end - 1 : span.end]
        if span.end - span.start >= 2 and first == last and first in "'\"`" and not text.startswith(first):
            return Span(span.start + 1, span.end - 1)
        return span

    def dependency(self, ecosystem: str, name: str, version: str, span: Span, exact: bool = True, block: Block | None = None) -> None:
        if MASK in name or MASK in version or "$" in version:
            return
        self.facts.append(Dependency(ecosystem, name, version, self.place(span), exact, block.id if block else ""))

    def entry(self, kind: str, target: str, args: tuple[str, ...], span: Span, block: Block | None = None) -> None:
        self.facts.append(Entry(kind, target, args, self.place(span), block.id if block else ""))

    def mount(self, path: str, kind: str, name: str, span: Span, block: Block | None = None) -> None:
        self.facts.append(Mount(path, kind, name, self.place(span), block.id if block else ""))

    def oddity(
        self,
        kind: str,
        subject: str,
        span: Span,
        detail: str = "",
        block: Block | None = None,
        related: tuple[Place, ...] = (),
        edits: tuple[Edit, ...] = (),
    ) -> None:
        self.facts.append(Oddity(kind, block.id if block else "", subject, detail, self.place(span), related, edits))

    def edit(self, span: Span, new_text: str) -> Edit:
        return Edit(self.path, span, new_text)

    def problem(self, kind: str, message: str, offset: int | None = None, help: str = "") -> None:
        line = self.lines.line(offset) if offset is not None else 0
        self.problems.append(Problem(self.path, kind, message, line, help))


def mask(text: str, terraform: bool = False) -> str:
    """The text with every template expression overwritten by as many MASK characters; line endings are kept.

    A line that holds nothing but template directives becomes a `#` comment, so that the lines around it still read.
    `terraform`: the template is one of Terraform's, where `%{ if … }` is a directive, as it is where a line begins with one.
    """
    terraform = "%{" in text and (terraform or _TERRAFORM.search(text) is not None)
    if not terraform and "{{" not in text and "{%" not in text and "{#" not in text and "<#" not in text:
        return text

    parts = []
    done = 0
    missing: set[str] = set()  # closers that do not come any more: looking again would make this quadratic
    for found in (_TERRAFORM_OPENER if terraform else _OPENER).finditer(text):
        closer = _CLOSERS[found.group()]
        if found.start() < done or closer in missing:
            continue
        close = text.find(closer, found.end())
        if close == -1:
            missing.add(closer)
            continue
        end = close + len(closer)
        covered = text[found.start() : end]
        parts += [text[done : found.start()], re.sub(r"[^\r\n]", MASK, covered)]
        done = end
    masked = "".join(parts) + text[done:]
    return re.sub(rf"(?m)^([ \t]*){MASK}([ \t{MASK}]*\r?)$", r"\1#\2", masked)


def read(source: Source, told: Told | None = None, concerns: bool = True) -> tuple[Reading, Decoded]:
    """Read one source with the reader of its kind. Never raises for what the bytes hold.

    `concerns`: it may speak of an engine itself. Of data that does not, only what modules ask for is read.
    """
    decoded = decode(source.data, "latin-1" if source.kind == "properties" else "utf-8")
    shown = mask(decoded.text, source.path.endswith(".tftpl")) if source.kind in TEMPLATED else decoded.text
    if source.kind == "yaml" and (": @" in shown or ": %" in shown or _FILLED.search(shown)):
        shown = _TO_FILL.sub(lambda found: found[1] + MASK * len(found[2]), shown)  # the same text, where there is none
    out = Reading(source.path, decoded.text, shown is not decoded.text, told)
    if decoded.bad_at >= 0 and source.kind not in _BYTEWISE:
        out.problem("unreadable", f"byte {decoded.bad_at} is not valid {decoded.encoding.upper()}", help="save the file as UTF-8")
        if source.kind == "python":
            return out, decoded
    try:
        if told and DATA in told.wanted:
            import_module("shoal.readers.data").read(Text(shown), out)
            if not concerns:
                return out, decoded
        import_module(READERS[source.kind]).read(Text(shown), out)
        if (at := decoded.text.find("spark.deploy.defaultCores")) >= 0:
            out.facts.append(Usage("core-limit", "", out.place(Span(at, at + 25))))
    except RecursionError:
        out.problem("too-deep", "nested too deep to be read", help="shoal reads at most 1,000 levels")
    except MemoryError:
        out.problem("too-large", "ran out of memory while reading", help="exclude the file or split it")
    except Exception as error:  # a reader that trips over one file must not take the others with it
        out.problem(
            "reader-crashed", f"the {source.kind} reader failed: {type(error).__name__}: {error}", help="please report this with the file"
        )
    return out, decoded
