"""Notebooks as Python: the code cells of an `.ipynb` one after another, magics masked, every offset that of the file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from json import loads
from typing import TYPE_CHECKING, Any

from shoal.cells import BORDER
from shoal.lazy import pattern
from shoal.python.values import names
from shoal.text import Text

if TYPE_CHECKING:
    from shoal.readers import Reading

_SPACE = pattern(r"[ \t\r\n]*")
_STRING = pattern(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_WORD = pattern(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null|NaN|-?Infinity")
_ESCAPE = pattern(r'\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|["\\/bfnrt])')
_HALF = pattern("[\ud800-\udfff]")  # of a character that takes two escapes: by itself it is none
# `pip install …` counts as `%pip install …`: no Python starts like that.
# A line that ends with a backslash goes on in the next.
_REST = r"(?:[^\n\\]|\\.|\\\n)*\\?"
_MAGIC = pattern(rf"(?m)^([ \t]*)((?:[%!?]{_REST}|[\w.]+\?{{1,2}}[ \t]*|(?:pip3?|conda|mamba)[ \t]+(?:install|uninstall)\b{_REST}))$")
_ASSIGNED = pattern(rf"(?m)^([ \t]*[\w., \t]+=[ \t]*)([%!]{_REST})$")
_PIP = pattern(r"(?m)^[ \t]*[%!]?[ \t]*((?:python3?[ \t]+-m[ \t]+)?(?:uv[ \t]+)?pip3?[ \t]+install\b[^\n]*)$")
# Cell magics whose cell is still Python.
_PYTHON_CELLS = names("time timeit capture spark pyspark python python3 prun flink.pyflink flink.ipyflink")
# What Databricks takes the whole cell for, with one percent sign; to Jupyter it is a magic of one line.
_LANGUAGES = names("sql scala r sh md md-sandbox fs python")
_LANGUAGE = pattern(r"%([a-z-]+)([^\n]*)\n?")
# Languages of whole notebooks; what is none of these is taken for Python.
_OTHERS = names("scala spark r sql sparksql java kotlin julia csharp c# f# fsharp javascript typescript bash rust go ruby perl")
_SQL_CELLS = names("sql sparksql flink_sql flink.ssql flink.bsql sql_flink")
_INDENT = pattern(r"(?:[ \t]*\n)*([ \t]+)(?=\S)")
_NO_LINE_END = pattern(r"[^\r\n]")
_LINE = pattern(r"[^\r\n]+")
_GIVEN = pattern(r"([^\W\d]\w*)[ \t]*=[^=]")
_DATABRICKS = pattern(r"(?m)^# MAGIC %sql[^\n]*\n((?:# MAGIC[^\n]*(?:\n|$))+)")
# `%run ./config`, in a notebook's own format or in the one that Databricks writes into Python; in JSON it begins a text.
_RUNS = pattern(r"(?m)(?:^# MAGIC[ \t]+|^[ \t]*|\")%run[ \t]+(?:\\?[\"'])?([\w./-]+)")
_DEPTH = 100


class _Scanner:
    """Just enough JSON to find the sources of cells, with offsets."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def space(self) -> None:
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def value(self, level: int = 0) -> Any:
        """dicts, lists, ("text", start, end) for strings, None for the rest. Raises ValueError."""
        if level > _DEPTH:
            raise ValueError("nested too deep")
        self.space()
        head = self.text[self.at : self.at + 1]
        if head == '"':
            match = _STRING.match(self.text, self.at)
            if not match:
                raise ValueError("a text without an end")
            self.at = match.end()
            return ("text", match.start(), match.end())
        if head == "{":
            return self.items("}", level)
        if head == "[":
            return self.items("]", level)
        match = _WORD.match(self.text, self.at)
        if not match:
            raise ValueError("no JSON value here")
        self.at = match.end()
        return None

    def items(self, close: str, level: int) -> Any:
        self.at += 1
        found: Any = {} if close == "}" else []
        self.space()
        if self.text[self.at : self.at + 1] == close:
            self.at += 1
            return found
        while True:
            item = self.value(level + 1)
            if close == "}":
                self.space()
                if self.text[self.at : self.at + 1] != ":" or not item:
                    raise ValueError("a colon is missing")
                self.at += 1
                found[self.text[item[1] + 1 : item[2] - 1]] = self.value(level + 1)
            else:
                found.append(item)
            self.space()
            mark = self.text[self.at : self.at + 1]
            self.at += 1
            if mark == close:
                return found
            if mark != ",":
                raise ValueError(f"a comma or {close} is missing")


def read(text: Text, out: Reading) -> None:
    """Read the code cells of a notebook. Cells in other languages are masked; SQL cells go to the SQL reader."""
    scanner = _Scanner(text.text)
    try:
        document = scanner.value()
    except ValueError as error:
        out.problem("unparsable", f"not a notebook: {error}", scanner.at, help="correct the JSON, or exclude the file")
        return
    spoken = _spoken(text.text, document)
    kept: list[tuple[str, Text]] = []
    numbers: list[int] = []
    for number, cell in enumerate(_cells(document), 1):
        if not isinstance(cell, dict) or _plain(text.text, cell.get("cell_type")) != "code":
            continue
        source = _source(text, cell.get("source", cell.get("input")))
        if source is None or not source.text.strip():
            continue
        source = _to_the_left(source)
        masked = _masked(source, out, spoken)
        if masked:
            kept.append((masked, source))
            numbers.append(number)
    if not kept:
        return
    from shoal.python import guard

    if not guard.concerns("".join(body for body, _ in kept)):
        if not out.told:
            return
        out.aside = True
    if isinstance(guard.outline("".join(body for body, _ in kept)), guard.Refusal):
        kept = [(_looked_over(number, body, source, out), source) for number, (body, source) in zip(numbers, kept, strict=True)]
    from shoal.python.reader import read_source

    read_source(_assembled(kept), out, notebook=True)


def runs(raw: str) -> list[str]:
    """The notebooks that one runs in its own place (`%run ../common/config`), as relative dotted names: `..common.config`.

    All of their names are this one's from then on. Absolute paths are those of a workspace.
    """
    found = []
    for match in _RUNS.finditer(raw) if "%run" in raw else ():
        parts = match[1].removesuffix(".py").removesuffix(".ipynb").split("/")
        ups = 1
        while len(parts) > 1 and parts[0] in (".", ".."):
            ups += parts.pop(0) == ".."
        if all(part.strip(".") and "." not in part for part in parts):
            found.append("." * ups + ".".join(parts))
    return list(dict.fromkeys(found))


def _cells(document: Any) -> list[Any]:
    """The cells as they stand in the file."""
    if not isinstance(document, dict):
        return []
    cells = document.get("cells")
    if cells is None and isinstance(document.get("worksheets"), list) and document["worksheets"]:
        cells = document["worksheets"][0].get("cells") if isinstance(document["worksheets"][0], dict) else None
    return cells if isinstance(cells, list) else []


def _spoken(raw: str, document: Any) -> str:
    """The language of cells that name none, where that is not Python."""
    metadata = document.get("metadata") if isinstance(document, dict) else None
    for part, key in (("application/vnd.databricks.v1+notebook", "language"), ("kernelspec", "language"), ("language_info", "name")):
        about = metadata.get(part) if isinstance(metadata, dict) else None
        language = _plain(raw, about.get(key)).lower() if isinstance(about, dict) else ""
        if language:
            return language if language in _OTHERS else ""
    return ""


def sources(text: Text) -> Iterator[tuple[int, Text]]:
    """The number of each cell, from 1 and counting cells of text too, and its source; of no notebook nothing."""
    try:
        cells = _cells(_Scanner(text.text).value())
    except ValueError:
        return
    for number, cell in enumerate(cells, 1):
        source = _source(text, cell.get("source", cell.get("input"))) if isinstance(cell, dict) else None
        if source is not None:
            yield number, source


def _plain(raw: str, token: Any) -> str:
    return raw[token[1] + 1 : token[2] - 1] if isinstance(token, tuple) else ""


def _source(text: Text, value: Any) -> Text | None:
    """A cell's source, one text or a list of lines, with its escapes undone."""
    tokens = [value] if isinstance(value, tuple) else value if isinstance(value, list) else []
    parts: list[tuple[str, int]] = []
    for token in tokens:
        if not isinstance(token, tuple):
            return None
        start, end = token[1] + 1, token[2] - 1
        at = start
        for match in _ESCAPE.finditer(text.text, start, end):
            parts.append((text.text[at : match.start()], at))
            try:
                parts.append((_HALF.sub("\ufffd", loads(f'"{match.group()}"')), match.start()))
            except ValueError:
                return None
            at = match.end()
        parts.append((text.text[at:end], at))
    return text.compose(parts) if parts else None


def _to_the_left(source: Text) -> Text:
    """A cell without the indentation of its first line, which Jupyter takes from all lines that have it."""
    text = source.text
    indent = _INDENT.match(text)
    if indent is None:
        return source
    space = indent[1]
    parts, at = [], 0
    for line in text.splitlines(keepends=True):
        cut = len(space) if line.startswith(space) else 0
        parts.append((line[cut:], at + cut))
        at += len(line)
    return source.compose(parts)


def _language(cell: str) -> str:
    """What Databricks takes a cell for by its first line, such as `%sql`; empty for Python with a magic of one line in front."""
    from shoal.python import guard

    match = _LANGUAGE.match(cell)
    if match is None or match[1] not in _LANGUAGES:
        return ""
    rest = cell[match.end() :]
    alone = match[2].strip() and rest.strip() and not isinstance(guard.outline(without_magics(rest)), guard.Refusal)
    return "" if alone else match[1]


def _masked(source: Text, out: Reading, spoken: str) -> str:
    """The cell's code with magics overwritten by as many characters; empty for a cell in another language.

    `spoken`: the notebook's own, where that is not Python.
    """
    body = source.text
    first = body.lstrip()
    if (language := _language(first)) == "python":
        start = body.index("%python")
        source = source.slice(start + len("%python"), len(body))
        body = source.text
    elif language:
        if language == "sql":
            from shoal.readers.sql import read_sql

            read_sql(source.slice(body.index("%sql") + len("%sql"), len(body)), out, engine="spark")
        return ""
    if first.startswith("%%"):
        name = re.match(r"%%([\w.]*)", first)
        magic = name.group(1) if name else ""
        if magic in _SQL_CELLS:
            end = body.find("\n")
            if end >= 0:
                from shoal.readers.sql import read_sql

                read_sql(source.slice(end + 1, len(body)), out, engine="spark" if "spark" in magic or "flink" not in magic else "flink")
            return ""
        if magic not in _PYTHON_CELLS:
            return ""
    elif spoken and not language:
        if spoken in ("sql", "sparksql"):
            from shoal.readers.sql import read_sql

            read_sql(source, out, engine="spark")
        return ""
    for line in _PIP.finditer(body):
        from shoal.readers import delegate

        delegate.command(source.slice(*line.span(1)), out, None)
    body = without_magics(body)
    return body if body.endswith("\n") else body + "\n"


def _looked_over(number: int, body: str, source: Text, out: Reading) -> str:
    """A cell as it is, or what is left of one that is no Python, which is a problem: one broken cell does not hide the others."""
    from shoal.python import guard

    outline = guard.outline(body)
    if not isinstance(outline, guard.Refusal):
        return body
    above = body.splitlines(keepends=True)[: max(outline.line - 1, 0)]
    out.problem(
        outline.kind, f"cell {number}: {outline.message}", source.at(min(sum(map(len, above)), len(source.text))), help=outline.help
    )
    return _forgotten(body)


def _forgotten(body: str) -> str:
    """A cell that is no Python, with all overwritten but the names that it gives values to: nothing is known of them then."""

    def shown(line: re.Match[str]) -> str:
        given = _GIVEN.match(line.group())
        return (f"{given.group(1)}=_" if given else "").ljust(len(line.group()))

    return _LINE.sub(shown, body)


def whole_cells(source: str) -> str:
    """A Databricks notebook whose cells that do not parse are blank: one broken cell does not hide the others."""
    from shoal.python import guard

    cells = source.split(BORDER)
    return BORDER.join(_NO_LINE_END.sub(" ", cell) if isinstance(guard.outline(cell), guard.Refusal) else cell for cell in cells)


def without_magics(body: str) -> str:
    """The code with a number in place of each magic, of the same length."""

    def masked(match: re.Match[str]) -> str:
        return match.group(1) + "0" + _NO_LINE_END.sub(" ", match.group(2)[1:])

    return _MAGIC.sub(masked, _ASSIGNED.sub(masked, body))


def _assembled(cells: list[tuple[str, Text]]) -> Text:
    """The cells' code as one text; a line end added after a cell stands at the cell's end."""
    whole: list[str] = []
    pieces: list[tuple[int, int]] = []
    at = 0
    for body, source in cells:
        for inner, outer in zip(source._inner, source._outer, strict=True):
            pieces.append((at + inner, outer))
        whole.append(body)
        at += len(body)
    return Text("".join(whole), pieces)


def read_sql_cells(text: Text, out: Reading) -> None:
    """The SQL cells of a Databricks source notebook, which are comments to Python."""
    from shoal.readers.sql import read_sql

    for match in _DATABRICKS.finditer(text.text):
        parts: list[tuple[str, int]] = []
        at = match.start(1)
        for line in match.group(1).splitlines(keepends=True):
            cut = len("# MAGIC ") if line.startswith("# MAGIC ") else len("# MAGIC")
            parts.append((line[cut:], at + cut))
            at += len(line)
        read_sql(text.compose(parts), out, engine="spark")
