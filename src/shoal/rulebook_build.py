"""Prepares rule folders: every rule.yaml is read and validated once, and what a run needs is written as one JSON file.

Validating and parsing 150 rule.yaml costs about a second, loading the prepared file two milliseconds.
Run as `python -m shoal.rulebook_build RULES_DIR OUTPUT`; fails when a rule is not valid.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shoal import __version__
from shoal.files import cache_folder, read_bytes
from shoal.model import Problem
from shoal.rulebook import RuleLoadError, built_in_folder, from_json, written

_MAX_BYTES = 200_000  # a folder of rules may come with the scanned tree
_MAX_NODES = 5_000
_FORMAT = 5


def folders(root: Path) -> Iterator[Path]:
    """Rule folders below `root` (`<engine>/<rule>`), in order."""
    for engine in sorted(os.scandir(root), key=lambda entry: entry.name):
        if os.path.isdir(engine.path) and not engine.name.startswith((".", "__")):
            for rule in sorted(os.scandir(engine.path), key=lambda entry: entry.name):
                if os.path.isdir(rule.path) and not rule.name.startswith((".", "__")):
                    yield Path(rule.path)


def _is_left_over(folder: Path) -> bool:
    """Whether a folder is what git leaves of a rule that is no more: compiled code alone."""
    try:
        return set(os.listdir(folder)) == {"__pycache__"}
    except OSError:
        return False


def build(root: Path) -> dict[str, Any]:
    """The prepared form of all rules below `root`; a rule that is not valid becomes a problem in it."""
    import jsonschema
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError

    schema_path = root / "rule.schema.json"
    if not schema_path.exists():
        schema_path = built_in_folder() / "rule.schema.json"
    validator = jsonschema.Draft202012Validator(json.loads(schema_path.read_text(encoding="utf-8")))
    rules: list[dict[str, Any]] = []
    problems: list[Problem] = []
    digest = hashlib.sha256(f"{_FORMAT} {__version__}".encode())
    seen: dict[str, str] = {}
    for folder in folders(root):
        path = folder / "rule.yaml"
        shown = str(path)
        if not path.exists():
            if _is_left_over(folder):
                continue
            problems.append(Problem(shown, "rule-failed-to-load", "a rule folder has no rule.yaml", 0, "add one, or remove the folder"))
            continue
        try:
            text = read_bytes(str(path), _MAX_BYTES).decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            problems.append(Problem(shown, "rule-failed-to-load", f"cannot be read: {error}"))
            continue
        digest.update(text.encode())
        check = folder / "check.py"
        if check.exists():
            digest.update(check.read_bytes())
        try:
            data = YAML().load(text)
        except MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else 0
            problems.append(Problem(shown, "rule-failed-to-load", f"not valid YAML: {error.problem}", line))
            continue
        except (RecursionError, ValueError) as error:
            problems.append(Problem(shown, "rule-failed-to-load", f"not valid YAML: {type(error).__name__}"))
            continue
        if _size(data, _MAX_NODES) <= 0:
            problems.append(Problem(shown, "rule-failed-to-load", "anchors make it larger than a rule may be"))
            continue
        errors = sorted(validator.iter_errors(data), key=lambda error: list(map(str, error.absolute_path)))
        for invalid in errors:
            line, column = _position(data, list(invalid.absolute_path))
            problems.append(Problem(shown, "rule-failed-to-load", f"column {column}: {invalid.message}", line))
        if errors:
            continue
        rule_id = str(data["id"])
        if rule_id != folder.name.replace("_", "-"):
            problems.append(
                Problem(shown, "rule-failed-to-load", f"id {rule_id} is not the folder's name {folder.name}", _position(data, ["id"])[0])
            )
            continue
        if rule_id in seen:
            problems.append(
                Problem(shown, "rule-failed-to-load", f"id {rule_id} is also that of {seen[rule_id]}", _position(data, ["id"])[0])
            )
            continue
        if ("use" in data) == check.exists():
            problems.append(Problem(shown, "rule-failed-to-load", "a rule has either `use:` or a check.py", 1))
            continue
        if "use" in data and (wrong := _wrong_parameters(data)):
            line, column = _position(data, ["with", *wrong[1]])
            problems.append(Problem(shown, "rule-failed-to-load", f"column {column}: {wrong[0]}", line))
            continue
        if check.exists() and "code" not in data and "context.module" in check.read_text(encoding="utf-8"):
            problems.append(
                Problem(
                    shown, "rule-failed-to-load", "check.py asks context.module: say `code: true` (Python files only) or `code: false`", 1
                )
            )
            continue
        seen[rule_id] = shown
        rules.append(
            {
                "id": rule_id,
                "summary": data["summary"],
                "severity": data["severity"],
                "confidence": data["confidence"],
                "scope": data.get("scope", "file"),
                "engines": data["engines"],
                "versions": data.get("versions", {}),
                "needs": [need.lower() for need in data.get("needs", [])],
                "incidents": data.get("incidents", []),
                "references": data.get("references", []),
                "use": data.get("use", ""),
                "with": data.get("with", {}),
                "options": data.get("options", {}),
                "fix": data.get("fix", "none"),
                "code": data.get("code", False),
                "default": data.get("default", True),
                "tags": data.get("tags", []),
                "folder": f"{folder.parent.name}/{folder.name}",
                "asks": None,
            }
        )
    data = {"digest": digest.hexdigest(), "rules": rules, "problems": problems, "questions": []}
    if root == built_in_folder():
        _add_questions(data, root)
    return data


def _add_questions(data: dict[str, Any], root: Path) -> None:
    """Write down what our own rules ask of a job; the code of others is not run before it is asked for."""
    from shoal.relevance import questions

    numbers: dict[str, int] = {}
    book = from_json(data, root)
    for entry, rule in zip(data["rules"], book, strict=True):
        try:
            asked = questions(rule, book.check(rule))
        except RuleLoadError:  # for a run to say
            continue
        if asked is not None:
            entry["asks"] = [numbers.setdefault(json.dumps(question), len(numbers)) for question in asked]
    data["questions"] = [json.loads(question) for question in numbers]


def _size(data: Any, left: int) -> int:
    """How many of `left` nodes remain after counting those of `data`, each as often as an alias repeats it; gives up at 0."""
    left -= 1
    if left > 0 and isinstance(data, (dict, list)):
        for part in data.values() if isinstance(data, dict) else data:
            left = _size(part, left)
            if left <= 0:
                break
    return left


def _wrong_parameters(data: Any) -> tuple[str, list[Any]] | None:
    from importlib import import_module

    import jsonschema

    schema = import_module(f"shoal.templates.{str(data['use']).replace('-', '_')}").PARAMETERS
    error = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(data.get("with", {})))
    return (error.message, list(error.absolute_path)) if error else None


def _position(data: Any, path: list[Any]) -> tuple[int, int]:
    """1-based line and column of the entry at `path`, or of the nearest thing above it."""
    line, column = 1, 1
    for key in path:
        try:
            line, column = (number + 1 for number in data.lc.data[key][:2])
            data = data[key]
        except (KeyError, IndexError, TypeError, AttributeError):
            break
    return line, column


def _stamp(root: Path) -> str:
    """Changes whenever a rule.yaml or check.py does, or, of a checkout, anything that they may use."""
    parts = []
    for folder in (*folders(root),):
        for name in ("rule.yaml", "check.py"):
            try:
                info = os.stat(folder / name)
                parts.append(f"{folder.name}/{name} {info.st_mtime_ns} {info.st_size}")
            except OSError:
                continue
    for path in (root / "rule.schema.json", Path(__file__), *sorted(Path(__file__).parent.rglob("*.py"))):
        parts.append(f"{path.name} {os.stat(path).st_mtime_ns}")
    return hashlib.sha256("\n".join([str(root), __version__, *parts]).encode()).hexdigest()


def refresh(root: Path) -> Path:
    """The prepared file for a checkout's rules, rebuilt when stale."""
    target = Path(cache_folder()) / f"rulebook-{_stamp(root)[:32]}.json"
    if not target.exists():
        write(build(root), target)
    return target


def write(data: dict[str, Any], target: Path) -> None:
    """Write atomically: two runs may build at once."""
    target.parent.mkdir(parents=True, exist_ok=True)
    scratch = target.with_name(f"{target.name}.{os.getpid()}")
    scratch.write_bytes(written(data))
    os.replace(scratch, target)


def main(arguments: list[str]) -> int:
    data = build(Path(arguments[0]))
    for problem in data["problems"]:
        print(f"{problem.path}:{problem.line}: {problem.message}", file=sys.stderr)
    if data["problems"]:
        return 2
    write(data, Path(arguments[1]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
