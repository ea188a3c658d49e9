"""Python source as facts, and as the module that file-scope rules ask."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from shoal.python import guard
from shoal.text import Text

if TYPE_CHECKING:
    import libcst as cst

    from shoal.readers import Reading


def read(text: Text, out: Reading) -> None:
    """Read a module. What cannot be parsed is a `Problem`; a module that uses no streaming library yields nothing."""
    notebook = text.text.startswith("# Databricks notebook source")
    if notebook and "# MAGIC %sql" in text.text:
        from shoal.python.notebook import read_sql_cells

        read_sql_cells(text, out)
    if guard.concerns(text.text):
        read_source(text, out, notebook)


def read_source(text: Text, out: Reading, notebook: bool = False) -> None:
    """Parse, build the model and collect the facts."""
    source = text.text
    outline = guard.outline(source)
    if isinstance(outline, guard.Refusal):
        out.problem(outline.kind, outline.message, help=outline.help)
        if outline.line:
            out.problems[-1] = out.problems[-1]._replace(line=outline.line)
        return
    parsed = parse(source, out)
    if parsed is None:
        return
    from shoal.python.facts import collect
    from shoal.python.module import Module
    from shoal.python.positions import Positions
    from shoal.python.tree import walk

    tree = walk(parsed)
    module = Module(out.path, out.raw, text, tree, Positions(tree, source, outline.starts), notebook)
    collect(module, out)
    out.module = module


def parse(source: str, out: Reading) -> cst.Module | None:
    """LibCST's tree, with the garbage collector paused: it makes no garbage, and looking for some takes a third of the time."""
    import libcst as cst

    running = gc.isenabled()
    gc.disable()
    try:
        return cst.parse_module(source)
    except cst.ParserSyntaxError as error:
        out.problem(
            "unparsable", f"not valid Python for the parser used here: {error.message}", help="correct the syntax, or exclude the file"
        )
        out.problems[-1] = out.problems[-1]._replace(line=error.raw_line)
        return None
    finally:
        if running:
            gc.enable()
