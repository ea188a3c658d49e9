"""Finds, reads and validates the settings file. What is wrong in it is said with its line and, for a typo, what was meant.

Validating costs 65 ms (the import of jsonschema), so a text that was found valid is remembered in the user's cache folder.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from shoal import __version__
from shoal.discover import reason
from shoal.files import cache_folder, read_bytes, write_bytes
from shoal.model import Problem
from shoal.records import NamedTuple
from shoal.settings import MAX_FILE_SIZE, SECONDS_PER_FILE, TEST_PATHS, Override, Settings, means

if TYPE_CHECKING:
    from shoal.git import Tree
    from shoal.rulebook import Rulebook

NAMES = ("shoal.toml", "pyproject.toml")
_MAX_BYTES = 5_000_000
_MAX_EXTENDS = 10
_OF_PYPROJECT = "a shoal.toml holds the settings themselves: [tool.shoal] and what begins with it is for pyproject.toml"

# Reads the bytes of a settings file. Raises OSError.
Load = Callable[[str], bytes]


class Located(NamedTuple):
    """The project's folder (absolute), and its settings file, empty when it has none."""

    root: str
    file: str


class Raw(NamedTuple):
    """A settings file as it stands: its table, text and path."""

    path: str
    text: str
    table: dict[str, Any]


def locate(paths: tuple[str, ...], cwd: str) -> Located:
    """The nearest folder above all `paths` that has settings or is the top of a repository; else the working directory.

    `shoal.toml` counts before a `pyproject.toml` with a `[tool.shoal]` table.
    """
    start = start_of(paths, cwd)
    at = start
    while True:
        for name in NAMES:
            file = os.path.join(at, name)
            if os.path.isfile(file) and (name == "shoal.toml" or _has_section(file)):
                return Located(at, file)
        if os.path.lexists(os.path.join(at, ".git")):
            return Located(at, "")
        parent = os.path.dirname(at)
        if parent == at:
            inside = start == cwd or start.startswith(cwd.rstrip(os.sep) + os.sep)
            return Located(cwd if inside else start, "")
        at = parent


def start_of(paths: tuple[str, ...], cwd: str) -> str:
    """The folder from which on upwards settings are looked for."""
    start = cwd
    wanted = [os.path.abspath(path) for path in paths]
    if wanted:
        try:
            common = os.path.commonpath(wanted)
        except ValueError:  # several drives
            common = cwd
        start = common if os.path.isdir(common) else os.path.dirname(common)
        if f"{cwd}{os.sep}".startswith(start.rstrip(os.sep) + os.sep):  # some path leads out of the working directory
            start = cwd
    return start


def locate_in(tree: Tree, load: Load, folder: str | None = None) -> str:
    """The settings file that holds for a folder of a git tree, by default the one that was asked for; empty for none. Raises GitError."""
    from shoal.jobs.boundaries import above  # which a run over a folder need not load for this

    folders = above(tree.prefix.rstrip("/") if folder is None else folder)
    files = [f"{each}/{name}" if each else name for each in folders for name in NAMES]
    tree.look_up(files)
    return next((file for file in files if tree.entry(file) and (file.endswith("shoal.toml") or _has_section(file, load))), "")


def load_file(file: str) -> bytes:
    return read_bytes(file, _MAX_BYTES)


def _has_section(file: str, load: Load = load_file) -> bool:
    try:
        return re.search(rb"(?m)^[ \t]*\[\[?[ \t]*tool[ \t]*\.[ \t]*shoal[ \t.\]]", load(file)) is not None
    except OSError:
        return False


def read(file: str, remember: bool = True, load: Load = load_file) -> tuple[list[Raw], list[Problem]]:
    """A settings file and those it extends, the outermost first. `remember`: use what an earlier run found out."""
    chain: list[Raw] = []
    problems: list[Problem] = []
    seen: set[str] = set()
    while file:
        if file in seen or len(seen) >= _MAX_EXTENDS:
            problems.append(Problem(_shown(file), "settings", "settings files extend each other in a circle"))
            break
        seen.add(file)
        try:
            text = load(file).decode("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            problems.append(Problem(_shown(file), "settings", f"cannot be read: {reason(error)}"))
            break
        table, wrong = _parse(file, text, remember)
        if wrong:
            problems.append(wrong)
            break
        chain.insert(0, Raw(file, text, table))
        extend = table.get("extend")
        file = os.path.normpath(os.path.join(os.path.dirname(file), extend)) if isinstance(extend, str) else ""
    return chain, problems


def _parse(file: str, text: str, remember: bool) -> tuple[dict[str, Any], Problem | None]:
    remembered = _remembered(text) if remember else None
    if remembered is not None:
        return remembered["table"], None
    tomllib = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        message = str(error) or "nested too deep"
        line = re.search(r"at line (\d+)", message)
        return {}, Problem(_shown(file), "settings", f"not valid TOML: {message}", int(line.group(1)) if line else 0)
    if os.path.basename(file) == "pyproject.toml":
        tool = table.get("tool")
        table = tool.get("shoal", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        return {}, Problem(_shown(file), "settings", "tool.shoal is not a table")
    return table, None


def validate(chain: list[Raw], rulebook: Rulebook, remember: bool = True) -> list[Problem]:
    """What is wrong in settings files, by the schema with the options of these rules in it."""
    problems: list[Problem] = []
    for raw in chain:
        remembered = _remembered(raw.text) if remember else None
        if remembered and rulebook.digest in remembered["valid"]:
            continue
        found = _validate(raw, rulebook)
        problems += found
        if not found and remember:
            _remember(raw, [rulebook.digest, *(remembered["valid"] if remembered else [])][:4])
    return problems


def _validate(raw: Raw, rulebook: Rulebook) -> list[Problem]:
    import jsonschema

    shown = _shown(raw.path)
    problems = []
    formats = jsonschema.FormatChecker(())
    formats.checks("flink-duration", ValueError)(_is_duration)
    plain = jsonschema.Draft202012Validator.TYPE_CHECKER
    kinds = plain.redefine("number", lambda _, value: plain.is_type(value, "number") and value == value)  # TOML has `nan`, beyond no limit
    kind: Any = jsonschema.validators.extend(jsonschema.Draft202012Validator, type_checker=kinds)  # type: ignore[no-untyped-call]
    validator = kind(schema(rulebook), format_checker=formats)
    for error in sorted(validator.iter_errors(raw.table), key=lambda error: list(map(str, error.absolute_path))):
        where = [str(part) for part in error.absolute_path]
        if error.validator == "additionalProperties":
            known = sorted(error.schema.get("properties", {}))
            for name in sorted(set(error.instance) - set(known)):
                what = "rule" if where[-1:] == ["rules"] else "option" if len(where) >= 2 and where[-2] == "rules" else "setting"
                whose = f" of {where[-1]}" if what == "option" else ""
                help = _OF_PYPROJECT if name == "tool" and not where else meant(name, known)
                problems.append(Problem(shown, "settings", f"no {what}{whose} is called {name!r}", line_of(raw.text, [*where, name]), help))
        else:
            name, example = ".".join(where), error.schema.get("default")
            unfit = error.validator in ("format", "pattern", "oneOf") and isinstance(example, str)
            said = f"{error.instance!r} cannot be used here" if unfit else error.message
            help = f"the default is {example!r}" if unfit else ""
            problems.append(Problem(shown, "settings", f"{name}: {said}" if name else said, line_of(raw.text, where), help))
    if not problems:
        problems += _unknown_rules(raw, rulebook)
    return problems


def _is_duration(value: object) -> bool:
    from shoal.values import Bad
    from shoal.values.flink import parse_duration

    return not isinstance(value, str) or not isinstance(parse_duration(value), Bad)


def _unknown_rules(raw: Raw, rulebook: Rulebook) -> list[Problem]:
    lists: list[tuple[dict[str, Any], tuple[str, ...]]] = [(raw.table, ("select", "extend-select", "ignore"))]
    lists += [(override, ("select", "ignore")) for override in raw.table.get("overrides", ())]
    problems = []
    for table, keys in lists:
        for key in keys:
            for name, help in strangers(table.get(key, ()), rulebook):
                problems.append(
                    Problem(_shown(raw.path), "settings", f"{key}: no rule is called {name!r}", line_of(raw.text, [name]), help)
                )
    return problems


def strangers(names: list[str] | tuple[str, ...], rulebook: Rulebook) -> list[tuple[str, str]]:
    """The names that mean no rule at all, each with what may have been meant."""
    found = []
    for name in names:
        if name != "all" and not any(means((name,), rule) for rule in rulebook.rules):
            engines = {f"engine:{engine}" for engine in rulebook.engines}
            tags = {f"tag:{tag}" for rule in rulebook.rules for tag in rule.tags}
            found.append((name, meant(name, sorted({rule.id for rule in rulebook.rules} | engines | tags))))
    return found


def meant(name: str, known: list[str]) -> str:
    """`did you mean …?`, or an empty string."""
    from difflib import get_close_matches

    close = get_close_matches(name, known, 3, 0.6)
    return f"did you mean {' or '.join(close)}?" if close else ""


def line_of(text: str, where: list[str]) -> int:
    """The 1-based line on which the last of the names in `where` stands as a key, a table or a string; 0 when none does.

    The names before it narrow the search: it starts where they stand.
    """
    start = 0
    line = 0
    for name in where:
        if name.isdigit():
            continue
        word = rf"""(?:["']{re.escape(name)}["']|(?<![\w-]){re.escape(name)}(?![\w-]))"""
        match = re.compile(rf"(?m)^[^#\n]*?{word}").search(text, start)
        if not match:
            break
        line = text.count("\n", 0, match.end()) + 1
        start = match.start()
    return line


def schema(rulebook: Rulebook) -> dict[str, Any]:
    """The JSON Schema of the settings with every rule's options in it, so that an editor completes them."""
    with open(os.path.join(os.path.dirname(__file__), "settings.schema.json"), "rb") as file:
        found: dict[str, Any] = json.load(file)
    found["properties"]["rules"]["properties"] = {
        rule.id: {
            "type": "object",
            "description": rule.summary,
            "additionalProperties": False,
            "properties": {"severity": {"$ref": "#/$defs/severity", "default": rule.severity}, **rule.options},
        }
        for rule in rulebook.rules
    }
    found["properties"]["rules"]["additionalProperties"] = False
    names = ["all", *sorted(f"engine:{engine}" for engine in rulebook.engines), *(rule.id for rule in rulebook.rules)]
    found["$defs"]["rules"]["items"] = {"anyOf": [{"enum": names}, {"type": "string", "minLength": 1}]}
    return found


def settings_of(chain: list[Raw]) -> Settings:
    """The settings that valid files say, each adding to those it extends."""
    merged: dict[str, Any] = {}
    for raw in chain:
        base = os.path.dirname(raw.path)
        for key, value in raw.table.items():
            if key == "rules":
                merged["rules"] = {**merged.get("rules", {}), **value}
            elif key in ("overrides", "jobs"):
                merged[key] = [*merged.get(key, ()), *value]
            elif key in ("rule-paths",):
                merged[key] = [*merged.get(key, ()), *(os.path.join(base, path) for path in value)]
            elif key == "baseline":
                merged[key] = os.path.join(base, value)
            else:
                merged[key] = value
    return Settings(
        select=tuple(merged.get("select", ())),
        ignore=tuple(merged.get("ignore", ())),
        extend_select=tuple(merged.get("extend-select", ())),
        severity=merged.get("severity", "info"),
        confidence=merged.get("confidence", "low"),
        exclude=tuple(merged.get("exclude", ())),
        include=tuple(merged.get("include", ())),
        max_file_size=size(merged.get("max-file-size", MAX_FILE_SIZE)),
        timeout=float(merged.get("timeout", SECONDS_PER_FILE)),
        baseline=merged.get("baseline", ""),
        fail_on=",".join(merged.get("fail-on", ())),
        rule_paths=tuple(merged.get("rule-paths", ())),
        rule_packages=tuple(merged.get("rule-packages", ())),
        test_paths=tuple(merged.get("test-paths", TEST_PATHS)),
        kinds=tuple(merged.get("kinds", {}).items()),
        rules=merged.get("rules", {}),
        overrides=tuple(
            Override(
                tuple(item["paths"]),
                tuple(item.get("select", ())),
                tuple(item.get("ignore", ())),
                item.get("severity", ""),
                item.get("confidence", ""),
                item.get("rules", {}),
            )
            for item in merged.get("overrides", ())
        ),
        jobs=tuple(merged.get("jobs", ())),
    )


def size(value: int | str) -> int:
    """`2 MB` as bytes."""
    if isinstance(value, int):
        return value
    match = re.fullmatch(r"(\d+) ?([kMG]?)B?", value)
    if not match:
        raise ValueError(f"{value!r} is no size")
    return int(match.group(1)) * {"": 1, "k": 10**3, "M": 10**6, "G": 10**9}[match.group(2)]


def _memory(text: str) -> str:
    from shoal.digests import sha256

    return os.path.join(cache_folder(), f"settings-{sha256(f'{__version__} {text}'.encode()).hexdigest()[:32]}.json")


def _remembered(text: str) -> dict[str, Any] | None:
    try:
        with open(_memory(text), "rb") as file:
            found = json.load(file)
        return found if isinstance(found["table"], dict) and isinstance(found["valid"], list) else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _remember(raw: Raw, digests: list[str]) -> None:
    try:
        path = _memory(raw.text)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write_bytes(path, json.dumps({"table": raw.table, "valid": digests}).encode())
    except (OSError, TypeError, ValueError):  # a date cannot be kept; then it is read again
        return


def _shown(path: str) -> str:
    return path.replace(os.sep, "/")
