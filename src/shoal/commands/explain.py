"""`shoal explain RULE`: a rule's page."""

from __future__ import annotations

import argparse
import os
import re
import sys

from shoal.cli import CLEAN, UsageError
from shoal.commands import common
from shoal.rule_page import folded
from shoal.rulebook import Rule, Rulebook


def run(arguments: argparse.Namespace) -> int:
    where = common.project(arguments, ())
    rule = where.rulebook.get(arguments.rule)
    if rule is None:
        common.complain((*where.problems, *where.rulebook.problems), where.prefix)  # it may be a rule that fails to load
        raise UsageError(_unknown(arguments.rule, where.rulebook))
    text = page(rule, arguments.all)
    if common.colours(arguments.color, sys.stdout):
        from rich.console import Console
        from rich.markdown import Markdown

        console = Console(file=sys.stdout, force_terminal=True, no_color=False)
        console.print(Markdown(text), width=min(console.width, 110))
    else:
        sys.stdout.write(text)
    return CLEAN


def _unknown(name: str, rulebook: Rulebook) -> str:
    from difflib import get_close_matches

    ids = [rule.id for rule in rulebook]
    close = get_close_matches(name, ids, 3, 0.5) or [rule_id for rule_id in ids if name.lower() in rule_id][:5]
    return f"no rule is called {name!r}; " + (f"did you mean {' or '.join(close)}?" if close else "`shoal rules` lists them")


def page(rule: Rule, whole: bool = False) -> str:
    """The rule.md with the rule's properties under its title, and without the marks that make its examples tests; `whole`: with all of these."""
    try:
        with open(os.path.join(rule.folder, "rule.md"), encoding="utf-8") as file:
            text = file.read()
    except OSError:
        text = f"# {rule.id}\n\n{rule.summary}\n"
    if not whole:
        text = folded(text, lambda _, number: f"({number} more: `shoal explain --all {rule.id}`)")
    text = re.sub(r"(?m)^(```\w+) (?:bad|good|fixed)\b.*$", r"\1", text)
    text = re.sub(r"(?m)[ \t]*(?:#|--|//) expect: [\w-]+(?:, ?[\w-]+)*[ \t]*$", "  # <- here", text)
    title, _, rest = text.partition("\n")
    properties = [f"{rule.severity}, {rule.confidence} confidence", f"engines: {', '.join(rule.engines)}"]
    properties += [f"versions: {', '.join(f'{name} {wanted}' for name, wanted in rule.versions.items())}"] if rule.versions else []
    properties += [f"{rule.fix} fix"] if rule.fix != "none" else []
    properties += [] if rule.default else ["off unless selected"]
    lines = [title, "", f"{rule.summary}.", "", "; ".join(properties), rest.rstrip("\n")]
    if rule.options:
        lines += ["", "## Options", f"Under `[tool.shoal.rules.{rule.id}]`:", ""]
        lines += [
            f"- `{name}` ({schema['type']}, default `{_toml(schema['default'])}`): {schema['description']}"
            for name, schema in rule.options.items()
        ]
    if rule.references:
        lines += ["", "## References", *(f"- <{address}>" for address in rule.references)]
    return "\n".join(lines) + "\n"


def _toml(value: object) -> str:
    import json

    return json.dumps(value)
