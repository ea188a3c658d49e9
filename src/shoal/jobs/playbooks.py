"""Ansible: what the simple references of a role's templates to variables come to.

Only what is certain is filled in: `{{ name }}`, with `default`, `int` and the like behind it, of a variable that has one value in the whole project. Who sets it twice,
for two environments say, is not followed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from shoal.facts import Fact, Setting, Unknown, Usage
from shoal.jobs.environments import Environment, written_at
from shoal.lazy import pattern
from shoal.model import Place

_EXPRESSION = pattern(r"\{\{-?\s*(.*?)\s*-?\}\}")
_REFERENCE = pattern(r"([A-Za-z_]\w*)(.*)")
_FILTER = pattern(
    r"\s*\|\s*(?:(?:int|string|trim|mandatory)(?:\(\))?|d(?:efault)?\(\s*(?:'([^']*)'|\"([^\"]*)\"|(-?\d+))\s*(?:,\s*\w+\s*)?\))"
)
_DEEPEST = 5
LABEL = "the variable"

Variables = dict[
    str, "tuple[str, Place] | None"
]  # name -> its value, and where that stands; None where it has several, or none that is known


def variables_of(facts: Mapping[str, tuple[Fact, ...]], projects: Mapping[str, str]) -> dict[str, Variables]:
    """The variables of each project."""
    found: dict[str, Variables] = {}
    for path, of_file in facts.items():
        for fact in of_file:
            if not isinstance(fact, Usage) or fact.kind != "playbook-variable":
                continue
            name, sign, value = fact.detail.partition("=")
            variables = found.setdefault(projects[path], {})
            one = (value, fact.place) if sign else None
            name = name.rstrip("?")
            before = variables.get(name, one)
            variables[name] = before if before is not None and one is not None and before[0] == value else None
    return found


def with_variables(environment: Environment, variables: Variables) -> Environment:
    """An environment with the settings that variables fill in, and for each where these stand (`filled`)."""
    facts = tuple(_filled(environment.facts, variables))
    files = dict.fromkeys(fact.place.path for fact in facts if isinstance(fact, Usage) and fact.kind == "filled")
    return environment._replace(facts=facts, paths=(*environment.paths, *(path for path in files if path not in environment.paths)))


def is_template(path: str) -> bool:
    return path.endswith((".j2", ".jinja2")) or "/templates/" in f"/{path}"


def _filled(facts: Iterable[Fact], variables: Variables) -> Iterator[Fact]:
    for fact in facts:
        if not isinstance(fact, Setting) or not isinstance(fact.value, Unknown) or "{{" not in fact.value.text:
            yield fact
            continue
        used: list[Place] = []
        text = _resolved(fact.value.text.strip(), variables, used)
        if text is None:
            yield fact
            continue
        made = fact._replace(value=text, sure="default")  # who runs the playbook may say otherwise
        yield made
        for place in dict.fromkeys(used) or [made.place()]:  # where no variable says anything, the template's own `default` stands
            yield Usage("filled", written_at(made), place._replace(label=LABEL))


def _resolved(text: str, variables: Variables, used: list[Place], level: int = 0) -> str | None:
    """A text with its references filled in; None where any of it is not certain."""
    parts, done = [], 0
    for match in _EXPRESSION.finditer(text) if level < _DEEPEST else ():
        value = _value(match[1], variables, used, level)
        if value is None:
            return None
        parts += [text[done : match.start()], value]
        done = match.end()
    whole = "".join(parts) + text[done:]
    return whole if "{{" not in whole and "{%" not in whole and "\n" not in whole else None


def _value(expression: str, variables: Variables, used: list[Place], level: int) -> str | None:
    reference = _REFERENCE.fullmatch(expression)
    if reference is None:
        return None
    name, rest = reference[1], reference[2]
    default = None
    while rest:
        found = _FILTER.match(rest)
        if found is None:
            return None
        default = next((group for group in found.groups() if group is not None), default)
        rest = rest[found.end() :]
    if name not in variables:
        return default
    known = variables[name]
    if known is None:
        return None
    used.append(known[1])
    return _resolved(known[0], variables, used, level + 1)
