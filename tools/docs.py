"""Writes what is generated: docs/rules/, the settings schema, and the parts of README.md between `<!-- generated: … -->` marks.

`python tools/docs.py` writes, `python tools/docs.py --check` fails when something is stale.
"""

from __future__ import annotations

import difflib
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from shoal import rulebook_build
from shoal.rule_page import folded
from shoal.rulebook import Rule, from_json
from shoal.settings_file import schema

ROOT = Path(__file__).parents[1]
RULES = ROOT / "rules"
ENGINES = {
    "flink": "Flink",
    "connectors": "Flink SQL connectors",
    "cdc": "Flink CDC pipelines",
    "spark": "Spark",
    "kafka": "Kafka",
    "beam": "Beam",
    "python": "Python job code",
    "java": "Java job code",
    "asyncio": "asyncio",
    "jobs": "Whole jobs (code, config and manifests together)",
    "shoal": "shoal itself",
}
INCIDENTS = {
    "I1": "The job runs, nothing is consumed",
    "I2": "Brokers were removed, the job restarts for an hour",
    "I3": "The sink blocks, the TaskManager kills itself",
    "I4": "The JobManager restarts and messages are gone",
    "I5": "Every record is consumed twice after a restore",
}
_EXPECT = re.compile(r"(?m)[ \t]*(#|--|//) expect: ([\w-]+(?:, ?[\w-]+)*)[ \t]*$")
_FENCE = re.compile(r"(?m)^```(\w+) (bad|good|fixed)((?: \S+=\S+)*)[ \t]*$")
_MARK = re.compile(r"(<!-- generated: ([\w ./-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_KEEP_TIMES = re.compile(r"in \d+\.\d+ s")


def page(rule: Rule) -> str:
    """A rule's published page: its facts, then its rule.md with the markers made readable."""
    text = Path(rule.folder, "rule.md").read_text(encoding="utf-8")
    title, _, body = text.partition("\n")
    facts = [f"**{rule.severity}** · {rule.confidence} confidence · {ENGINES[rule.engine_folder]}"]
    if rule.versions:
        facts.append("; ".join(f"{name} {specifier}" for name, specifier in rule.versions.items()))
    if rule.fix != "none":
        facts.append(f"{rule.fix} fix")
    if rule.incidents:
        facts.append("incident " + ", ".join(rule.incidents))
    if not rule.default:
        facts.append("off unless selected")
    body = folded(body, lambda rest, number: f"<details>\n<summary>{number} more</summary>\n\n{rest}\n\n</details>")
    body = _FENCE.sub(_fence, _EXPECT.sub(r"  \1 ← \2", body))
    parts = [title, "", f"> {rule.summary}.", "", " · ".join(facts), body.rstrip()]
    if rule.options:
        parts += ["", "## Options", "", "| Option | Default | Meaning |", "|---|---|---|"]
        parts += [f"| `{name}` | `{json.dumps(option['default'])}` | {option['description']} |" for name, option in rule.options.items()]
    if rule.references:
        parts += ["", "## References", "", *(f"- <{reference}>" for reference in rule.references)]
    return "\n".join(parts) + "\n"


def _fence(match: re.Match[str]) -> str:
    attributes = dict(part.split("=", 1) for part in match.group(3).split())
    name = f" `{attributes['path']}`" if "path" in attributes else ""
    label = {"bad": "Found", "good": "Not found", "fixed": "After the fix"}[match.group(2)]
    return f"*{label}*{name}\n\n```{match.group(1)}"


def index(rules: list[Rule]) -> str:
    """All rules by engine and by incident."""
    parts = ["# Rules", "", f"{len(rules)} rules. This page and the ones it links to are generated from `rules/`.", ""]
    for folder, title in ENGINES.items():
        own = [rule for rule in rules if rule.engine_folder == folder]
        if own:
            parts += [f"## {title}", "", "| Rule | Severity | Confidence | Fix | What it finds |", "|---|---|---|---|---|"]
            parts += [
                f"| [{rule.id}]({rule.id}.md) | {rule.severity} | {rule.confidence} | {rule.fix if rule.fix != 'none' else ''} | {rule.summary} |"
                for rule in own
            ]
            parts.append("")
    parts += ["## By incident", "", "The five production failures that shoal exists for, and the rules that find their causes.", ""]
    for name, title in INCIDENTS.items():
        links = ", ".join(f"[{rule.id}]({rule.id}.md)" for rule in rules if name in rule.incidents)
        parts += [f"- **{name}. {title}**: {links}"]
    return "\n".join(parts) + "\n"


def _shoal(arguments: str) -> str:
    """What a command prints, run at the top of the project."""
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "120", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "-m", "shoal", *arguments.split()], cwd=ROOT, capture_output=True, text=True, env=environment, timeout=300
    )
    return _KEEP_TIMES.sub("in 0.1 s", done.stdout)


def generated(name: str, rules: list[Rule]) -> str:
    """The text for one mark: `rules table`, `count` or `shoal <arguments>` (its output in a fence)."""
    if name == "rules table":
        rows = ["| Engine | Rules | For example |", "|---|---|---|"]
        for folder, title in ENGINES.items():
            own = [rule for rule in rules if rule.engine_folder == folder]
            if own:
                shown = ", ".join(
                    f"[{rule.id}](docs/rules/{rule.id}.md)"
                    for rule in sorted(own, key=lambda rule: (not rule.incidents, rule.severity, rule.id))[:3]
                )
                rows.append(f"| {title} | {len(own)} | {shown} |")
        return "\n".join(rows) + "\n"
    if name.startswith("shoal "):
        return f"```console\n$ {name}\n{_shoal(name[6:]).rstrip()}\n```\n"
    raise SystemExit(f"nothing generates {name!r}")


def picture(arguments: str, title: str) -> str:
    """A command's output on a terminal, as SVG."""
    from rich.console import Console
    from rich.text import Text

    environment = {**os.environ, "COLUMNS": "118"}
    environment.pop("NO_COLOR", None)
    done = subprocess.run(
        [sys.executable, "-m", "shoal", *arguments.split(), "--color", "always"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env=environment,
        timeout=300,
    )
    console = Console(record=True, width=118, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(f"$ shoal {arguments}\n{_KEEP_TIMES.sub('in 0.1 s', done.stdout)}"))
    return console.export_svg(title=title, unique_id="shoal")


def outputs() -> dict[Path, str]:
    """Every generated file with what it should hold."""
    built = rulebook_build.build(RULES)
    if built["problems"]:
        raise SystemExit("\n".join(f"{problem.path}:{problem.line}: {problem.message}" for problem in built["problems"]))
    rules = sorted(from_json(built, RULES).rules, key=lambda rule: (list(ENGINES).index(rule.engine_folder), rule.id))
    files = {ROOT / "docs/rules" / f"{rule.id}.md": page(rule) for rule in rules}
    files[ROOT / "docs/rules/README.md"] = index(rules)
    files[ROOT / "docs/settings.schema.json"] = json.dumps(schema(from_json(built, RULES)), indent=1) + "\n"
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        text = path.read_text(encoding="utf-8")
        made = _MARK.sub(lambda match: match.group(1) + generated(match.group(2), rules) + match.group(3), text)
        if "<!-- generated:" in text:
            files[path] = made
    if "docs/finding.svg" in (ROOT / "README.md").read_text(encoding="utf-8"):
        files[ROOT / "docs/finding.svg"] = picture(
            "check examples/incidents/i2-broker-scale-down/jobs examples/incidents/i2-broker-scale-down/conf/flink-conf.yaml --severity warning --confidence medium",
            "shoal",
        )
    return files


def main(arguments: list[str]) -> int:
    wanted = outputs()
    present = {path: path.read_text(encoding="utf-8") if path.exists() else None for path in wanted}
    left_over = [path for path in (ROOT / "docs/rules").glob("*.md") if path not in wanted]
    stale = [path for path in wanted if present[path] != wanted[path]]
    if "--check" in arguments:
        for path in stale:
            print(f"stale: {path.relative_to(ROOT)}", file=sys.stderr)
            difference = difflib.unified_diff(
                (present[path] or "").splitlines(), wanted[path].splitlines(), "committed", "generated", lineterm="", n=1
            )
            print("\n".join(list(difference)[:20]), file=sys.stderr)
        for path in left_over:
            print(f"no longer generated: {path.relative_to(ROOT)}", file=sys.stderr)
        if stale or left_over:
            print("run `make docs` and commit the result", file=sys.stderr)
        return 1 if stale or left_over else 0
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wanted[path], encoding="utf-8")
    for path in left_over:
        path.unlink()
    print(f"{len(stale)} written, {len(left_over)} removed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
