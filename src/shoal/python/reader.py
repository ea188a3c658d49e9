"""Python source as facts, and as the module that file-scope rules ask."""

from __future__ import annotations

import contextlib
import gc
from sys import modules
from typing import TYPE_CHECKING

from shoal.cells import HEADER
from shoal.lazy import pattern
from shoal.model import LeftOut, Place, Span
from shoal.python import guard, parser
from shoal.text import Text

if TYPE_CHECKING:
    import libcst as cst

    from shoal.readers import Reading


# In modules that make resources of Kubernetes, or ask Amazon's service or Flink's REST API for jobs.
_MANIFESTS = ("apiVersion", "api_version", "flinkConfiguration", "kinesisanalyticsv2", "NonRestoredState")
_JINJA = pattern(r"""[^'"#]*(?:\{\{-?\s*\w[^{}]*\}\}|\{%[^%]*%\})""")  # outside of strings: an f-string's braces are doubled too


def read(text: Text, out: Reading) -> None:
    """Read a module. What cannot be parsed is a `Problem`; a module that uses no streaming library yields nothing."""
    notebook = text.text.startswith(HEADER)
    if notebook and "# MAGIC %sql" in text.text:
        from shoal.python.notebook import read_sql_cells

        read_sql_cells(text, out)
    if "airflow" in text.text:
        from shoal.python import dags

        dags.read(text, out)
    if any(runs in text.text for runs in ("subprocess", "os.system", "pod_exec")):
        from shoal.python import commands

        commands.read(text, out)
    if any(word in text.text for word in _MANIFESTS):
        from shoal.python import manifests

        manifests.read(text, out)
    if not guard.concerns(text.text):
        if not out.told:
            return
        out.aside = True
    if library := guard.own_source(out.path, text.text):
        out.left_out.append(LeftOut(out.path, "vendored", f"a source file of {library} itself"))
        return
    read_source(text, out, notebook)


def read_source(text: Text, out: Reading, notebook: bool = False) -> None:
    """Parse, build the model and collect the facts.

    The garbage collector is paused: a tree makes no garbage, and looking for some in it takes a third of the time.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        _read(text, out, notebook)
    finally:
        if running:
            gc.enable()


def _read(text: Text, out: Reading, notebook: bool) -> None:
    source = text.text
    outline = guard.outline(source)
    if isinstance(outline, guard.Refusal) and source.startswith(HEADER):
        from shoal.python.notebook import without_magics

        source = without_magics(source)  # `%pip install …`, which Databricks itself writes as a comment and takes as it is
        outline = guard.outline(source)
    if isinstance(outline, guard.Refusal):
        if outline.kind == "unparsable" and (out.unfinished or _filled_in(source, outline.line)):
            out.left_out.append(LeftOut(out.path, "template", f"line {outline.line}: {outline.message}"))
            return
        out.problem(outline.kind, outline.message, help=outline.help)
        if outline.line:
            out.problems[-1] = out.problems[-1]._replace(line=outline.line)
        if outline.kind != "unparsable" or not source.startswith(HEADER):
            return
        from shoal.python.notebook import whole_cells

        source = whole_cells(source)
        outline = guard.outline(source)
        if not source.strip() or isinstance(outline, guard.Refusal):
            return
    parser.load()
    parsed = _again(source, out.path, outline.tops) or _parse(source, out)
    if parsed is None:
        return
    from shoal.python.facts import collect
    from shoal.python.module import Module
    from shoal.python.positions import Positions
    from shoal.python.walk import walk

    tree = walk(parsed)
    if notebook and "%run" in out.raw:
        from shoal.python.notebook import runs

        tree.root.stars += runs(out.raw)
    module = Module(out.path, out.raw, text, tree, Positions(tree, source, outline.starts), notebook, out.told)
    collect(module, out)
    if "FileSystem.initialize(" in source:
        from shoal.facts import Usage

        out.facts.append(Usage("sets-up-file-systems", "", Place(out.path, Span(0, 0))))
    out.module = module


def _filled_in(source: str, line: int) -> bool:
    """Whether Jinja has yet to fill in what is no Python, as in the projects that Cookiecutter makes."""
    lines = source.splitlines()
    return 0 < line <= len(lines) and _JINJA.match(lines[line - 1]) is not None


def _again(source: str, path: str, tops: list[tuple[int, int]]) -> cst.Module | None:
    """The module put together of statements that were parsed before, where somebody wants them remembered."""
    pieces = modules.get("shoal.python.pieces")
    if pieces is None or pieces.kept is None:
        return None
    try:
        found: cst.Module | None = pieces.kept.parse(path, source, tops)
    except Exception:  # parsed whole, it says what is wrong and where
        return None
    return found


def _parse(source: str, out: Reading) -> cst.Module | None:
    import libcst as cst

    try:
        return parser.parse(source)
    except cst.ParserSyntaxError as error:
        spaced = guard.without_tabs(source)
        if spaced is not None:
            with contextlib.suppress(cst.ParserSyntaxError):
                return parser.parse(spaced)
        out.problem(
            "unparsable", f"not valid Python for the parser used here: {error.message}", help="correct the syntax, or exclude the file"
        )
        out.problems[-1] = out.problems[-1]._replace(line=error.raw_line)
    except cst.CSTValidationError as error:  # what compiles no more than it parses here: `except:` before another handler
        out.problem("unparsable", f"not valid Python: {error}", help="correct the code, or exclude the file")
    return None
