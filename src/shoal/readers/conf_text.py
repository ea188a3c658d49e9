"""The line grammar of Flink's legacy `flink-conf.yaml`, wherever such text stands: a file, a ConfigMap, FLINK_PROPERTIES.

Checked against GlobalConfiguration of Flink 1.18.1 and 1.20.5: each line is cut at the first `#` and trimmed, then split
at the first ": "; a line without one, or without a key or value, is dropped; indentation and quotes mean nothing; the
last of several equal keys wins. The container entry point of Flink 1.19 and later reads FLINK_PROPERTIES differently:
a line is split at its first ":", no blank is needed, every blank in it is removed, and `#` is not a comment (read in the
released scripts, and their result run through BashJavaUtils of 1.20.5: `rest.port: 8081 # ui` becomes `8081#ui`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shoal.lazy import pattern
from shoal.readers.template_branches import Branches
from shoal.records import NamedTuple
from shoal.text import MASK, Text

if TYPE_CHECKING:
    from shoal.facts import Block
    from shoal.model import Edit, Place, Span
    from shoal.readers import Reading

# Java's String.trim drops every character up to the blank.
BLANKS = "".join(map(chr, range(33)))

# First segments of Flink's own option keys: what stands under another name is no option.
_ROOTS = (
    "akka blob classloader client cluster collect-sink containerized env execution external-resource external-resources fs heartbeat "
    "high-availability historyserver io jmx job jobmanager jobstore kubernetes local metrics parallelism pekko pipeline plugin process "
    "python query queryable-state resourcemanager rest restart-strategy s3 security slot slotmanager sql-client sql-gateway state table "
    "task taskmanager traces web yarn zookeeper $internal"
)
ROOTS = frozenset(_ROOTS.split())

_KEY_VALUE = pattern(r"""["']?([A-Za-z$][\w.\-$]*)["']?[ \t]*([:=])[ \t]*(\S.*)?$""")
_ASSIGNMENT = pattern(r"(?:-[ \t]+|export[ \t]+)?[\"']?[A-Z_][A-Z0-9_]*=")
_VARIABLE = pattern(r"[A-Z][A-Z0-9]*_[A-Z0-9_]+:[ \t]")
_LOGGING = pattern(r"(?:rootLogger|loggers?|appenders?|log4j|monitorInterval|status|packages|filters?)\b[\w.\-]*[ \t]*=")
# Such a line with a colon reaches Flink, as an option that nothing reads.
_LOGGING_OPTION = pattern(r"(?:rootLogger|logger|appender|log4j2?|logging\.level)\.[\w.\-]+$")
# Another option behind the first, parted from it by anything but the end of the line.
_IN_VALUE = pattern(r"(?:[;,\s]|\\n)([a-z][\w\-]{1,60}(?:\.[\w\-]{1,80}){1,12}):\s+\S")
_BLOCK_SCALAR = pattern(r"[|>][-+0-9]*$")

_MOST_REPEATS = 3
# Helm's `{{ .Values.a | quote }}`; Jinja's filter of that name quotes for a shell, and its expressions begin otherwise.
_QUOTED_BY_HELM = pattern(r"(\{\{-?\s*[.$(][^{}]*?)\s*\|\s*s?quote\s*-?\}\}")


class _Line(NamedTuple):
    start: int  # of the content, after the indentation
    end: int  # of the content, before comment and trailing blanks
    indent: int
    content: str
    comment: str


class _Entry(NamedTuple):
    key: str
    value: str
    key_span: Span
    value_span: Span
    comment: str


def read_legacy(text: Text, out: Reading, block: Block, properties: bool = False, entry_point: str = "") -> None:
    """Add the settings and oddities of a legacy conf text to `block`.

    properties: the text is a FLINK_PROPERTIES value, so that strange lines are named for what goes wrong there.
    entry_point: `new` when that of Flink 1.19 or later reads the text, `unknown` when it cannot be told, else empty.
    """
    lines = _content_lines(text)
    groups = _nested_groups(lines)
    found: dict[str, _Entry] = {}
    index = 0
    foreign_seen = ""
    told = False
    repeats: dict[str, int] = {}
    while index < len(lines):
        if index in groups:
            _report_nested(lines[index : groups[index]], text, out, block)
            index = groups[index]
            continue
        line = lines[index]
        index += 1
        foreign = _foreign(line.content) or ("environment" if properties and _VARIABLE.match(line.content) else "")
        if foreign:
            if foreign != foreign_seen and not (properties and foreign_seen):
                _report_foreign(line, foreign, text, out, block, properties)
            foreign_seen = foreign
            continue
        if not properties:
            foreign_seen = ""
        entry = _entry(line, text, bool(entry_point))
        prose = entry is None and not _KEY_VALUE.match(line.content)
        if prose and told:  # of a run of lines that are no conf at all, the first is enough
            continue
        told = prose
        if entry is None:
            _report_dropped(line, text, out, block, properties, bool(entry_point))
            continue
        if properties and (inner := _second_option(entry)):
            detail = f"{inner} stands in the value of {entry.key}, and every option needs a line of its own"
            out.oddity("flink-properties-malformed", entry.key, entry.value_span, detail, block)
        if entry.key in found:
            earlier = found.pop(entry.key)
            repeats[entry.key] = repeats.get(entry.key, 0) + 1
            # of a file that grows with each start of a container, a few are enough; and in a template the two may stand in different branches
            if not out.templated and repeats[entry.key] <= _MOST_REPEATS:
                related = (out.place(earlier.key_span, "related", "the earlier one is ignored"),)
                out.oddity("duplicate-key", entry.key, entry.key_span, "the last one wins", block, related)
        found[entry.key] = entry
        if entry_point == "new":
            _report_new_entry_point(line, entry, text, out, block)
    _add_settings(list(found.values()), out, block)


def _add_settings(entries: list[_Entry], out: Reading, block: Block) -> None:
    branches = Branches(out)
    for entry in entries:
        value = entry.value
        raw = out.raw[entry.value_span.start : entry.value_span.end].strip() if MASK in value else value
        key = out.raw[entry.key_span.start : entry.key_span.end] if MASK in entry.key else entry.key
        if (
            len(value) > 1
            and value[0] == value[-1]
            and value[0] in "\"'"
            and (MASK not in value or raw.count("{{") == raw.count("}}") == 1)
        ):
            out.oddity("quoted-value", key, entry.value_span, raw[1:-1], block, edits=_strip_quotes(entry, out))
        elif MASK in value and (quoted := _QUOTED_BY_HELM.fullmatch(raw)):
            out.oddity("quoted-value", key, entry.value_span, f"{quoted[1]} }}}}", block)
        sure = "branch" if branches.hold(entry.key_span.start, block.place.span.start) else ""
        out.setting(block, entry.key, value, entry.key_span, entry.value_span, entry.comment, sure=sure)


def first_content(text: Text) -> Span:
    """Span of the first key of a legacy conf text: where an absence is reported; empty at the start when it has none."""
    for line in _content_lines(text):
        cut = line.content.find(":")
        return text.span(line.start, line.start + cut if cut > 0 else line.end)
    return text.span(0, 0)


def _report_new_entry_point(line: _Line, entry: _Entry, text: Text, out: Reading, block: Block) -> None:
    """What the newer entry point makes of a line that the older one, and every reader, takes as it is meant."""
    end = line.start + len(line.content)
    if line.comment:
        stop = text.text.find("\n", end)
        span = text.span(end, len(text.text) if stop == -1 else stop)
        kept = re.sub(r"\s+", "", f"{entry.value}#{line.comment}")
        out.oddity("comment-in-value", entry.key, span, kept, block, edits=(out.edit(span, ""),))
    elif entry.key.startswith("env.java.opts") and " " in entry.value:
        out.oddity("blanks-removed", entry.key, entry.value_span, re.sub(r"\s+", "", entry.value), block)


def _strip_quotes(entry: _Entry, out: Reading) -> tuple[Edit, ...]:
    # they stand at the ends of the span, whatever the characters between look like in the file
    from shoal.model import Span

    start, end = entry.value_span
    return out.edit(Span(start, start + 1), ""), out.edit(Span(end - 1, end), "")


def _content_lines(text: Text) -> list[_Line]:
    """Lines that hold more than blanks and comments. Java's BufferedReader ends a line at LF, CR or CR LF."""
    whole = text.text
    result = []
    bounds = text.lines()
    if "\r" in whole:
        bounds = [
            (start + match.start(), start + match.end()) for start, end in bounds for match in re.finditer(r"[^\r]+", whole[start:end])
        ]
    for start, end in bounds:
        cut = whole.find("#", start, end)
        stop = end if cut == -1 else cut
        content = whole[start:stop]
        stripped = content.strip(BLANKS)
        if not stripped or stripped in ("---", "..."):
            continue
        at = start + len(content) - len(content.lstrip(BLANKS))
        result.append(_Line(at, at + len(stripped), at - start, stripped, whole[cut + 1 : end].strip() if cut != -1 else ""))
    return result


def _entry(line: _Line, text: Text, relaxed: bool) -> _Entry | None:
    """The key and value the engine gets from a line, or None when it drops the line."""
    content = line.content
    at = content.find(": ")
    width = 2
    if at == -1 and relaxed:
        loose = _KEY_VALUE.match(content)
        if loose and loose.group(2) == ":" and loose.group(3):
            at, width = content.index(":"), 1
    if at == -1:
        return None
    key = content[:at].rstrip(BLANKS)
    rest = content[at + width :]
    value = rest.lstrip(BLANKS)
    if not key or not value:
        return None
    start = line.start + len(content) - len(value)
    return _Entry(key, value, text.span(line.start, line.start + len(key)), text.span(start, line.end), line.comment)


def _second_option(entry: _Entry) -> str:
    """The key of another option that the value holds, when several were put into one line; empty when it is a value."""
    if entry.key.startswith("env."):
        return ""
    found = _IN_VALUE.search(entry.value)
    return found.group(1) if found and found.group(1).partition(".")[0] in ROOTS else ""


def _foreign(content: str) -> str:
    """What else a line is, when it is no conf line at all: `environment`, `logging`, or an empty text."""
    if _ASSIGNMENT.match(content):
        return "environment"
    if _LOGGING.match(content) and ": " not in content.split("=", 1)[0]:
        return "logging"
    if is_logging(content.partition(": ")[0]):
        return "logging"
    return ""


def is_logging(key: str) -> bool:
    """Whether a key is one of log4j's."""
    return _LOGGING_OPTION.match(key.strip("\"'")) is not None


def _report_foreign(line: _Line, foreign: str, text: Text, out: Reading, block: Block, properties: bool) -> None:
    kind = "env-var-inside-flink-properties" if properties and foreign == "environment" else "foreign-line"
    detail = "an environment variable" if foreign == "environment" else "a logging property"
    out.oddity(kind, line.content, text.span(line.start, line.end), detail, block)


def _report_dropped(line: _Line, text: Text, out: Reading, block: Block, properties: bool, relaxed: bool) -> None:
    content = line.content
    if MASK in content or content.startswith(("{", "}", "[", "]")):
        return
    span = text.span(line.start, line.end)
    match = _KEY_VALUE.match(content)
    if match is None:
        if "$" not in content:
            out.oddity("line-dropped", content, span, 'it has no ": "', block)
        return
    key, sign, value = match.groups()
    if not value:
        if sign == ":" and properties:
            out.oddity("flink-properties-malformed", content, span, "the key has no value", block)
        elif sign == ":":
            out.oddity("empty-value", key, span, "a key without a value is dropped", block)
        return
    if relaxed and sign == ":":
        return
    edits: tuple[Edit, ...] = ()
    certain = "." in key or key.split(".")[0] in ROOTS
    if certain and (sign == ":" or key.split(".")[0] in ROOTS):
        edits = (out.edit(text.span(line.start + match.start(2), line.start + match.start(3)), ": "),)
    out.oddity("line-dropped", content, span, key, block, edits=edits)


def _nested_groups(lines: list[_Line]) -> dict[int, int]:
    """First and past-the-end index of every run of lines that is nested YAML, which this grammar does not know."""
    groups: dict[int, int] = {}
    index = 0
    while index < len(lines):
        line = lines[index]
        following = lines[index + 1] if index + 1 < len(lines) else None
        if following is not None and _opens(line, following):
            end = index + 1
            while end < len(lines) and (
                lines[end].indent > line.indent or (lines[end].indent == line.indent and lines[end].content.startswith("- "))
            ):
                end += 1
            groups[index] = end
            index = end
        else:
            index += 1
    return groups


def _opens(line: _Line, following: _Line) -> bool:
    if not line.content.endswith(":") or ": " in line.content or not _KEY_VALUE.match(line.content):
        return False
    if following.content.startswith("- ") and following.indent >= line.indent:
        return not _ASSIGNMENT.match(following.content)
    if following.indent <= line.indent:
        return False
    # a heading over lines that are whole options by themselves ("flink-conf:") is only a dropped line
    inner = following.content.split(":")[0]
    heading = line.content[:-1].split(".")[0]
    return heading in ROOTS or "." not in inner or inner.split(".")[0] not in ROOTS


def _report_nested(lines: list[_Line], text: Text, out: Reading, block: Block) -> None:
    """One oddity for a nested group; `detail` lists the full keys that were meant, the edits write them out."""
    parents: list[tuple[int, str]] = []
    edits: list[Edit] = []
    meant: list[str] = []
    clean = True
    for line in lines:
        while parents and parents[-1][0] >= line.indent:
            parents.pop()
        match = _KEY_VALUE.match(line.content)
        if MASK in line.content or match is None or match.group(2) != ":":
            clean = False
            continue
        key, _, value = match.groups()
        full = ".".join([*(name for _, name in parents), key])
        begin = line.start - line.indent
        if not value:
            parents.append((line.indent, key))
            whole = _own_line(text.at(line.start), out)
            clean = clean and whole is not None
            if whole is not None:
                edits.append(out.edit(whole, ""))
        elif _BLOCK_SCALAR.match(value) or value[0] in "[{&*":
            clean = False
            meant.append(full)
        else:
            meant.append(full)
            head = " " * lines[0].indent + full
            edits.append(out.edit(text.span(begin, line.start + match.end(1) + (line.content[:1] in "\"'")), head))
    if any(line.comment for line in lines if line.content.endswith(":")):
        clean = False  # deleting such a line would lose its comment
    first = lines[0]
    out.oddity(
        "nested-yaml",
        first.content.rstrip(":"),
        text.span(first.start, first.end),
        ", ".join(meant),
        block,
        related=_leaf_places(lines, text, out),
        edits=tuple(edits) if clean and meant else (),
    )


def _leaf_places(lines: list[_Line], text: Text, out: Reading) -> tuple[Place, ...]:
    return tuple(out.place(text.span(line.start, line.end), "related") for line in lines[1:] if not line.content.endswith(":"))[:10]


def _own_line(offset: int, out: Reading) -> Span | None:
    """The file's line around an offset, with its line ending, when nothing but blanks stands before the offset."""
    from shoal.model import Span

    start = max(out.raw.rfind("\n", 0, offset), out.raw.rfind("\r", 0, offset)) + 1
    if out.raw[start:offset].strip(" \t"):
        return None
    end = out.raw.find("\n", offset)
    return Span(start, len(out.raw) if end == -1 else end + 1)
