"""Helm charts: what the simple references of a template to the chart's values come to, in each environment.

Only what is certain is filled in: `{{ .Values.a.b }}`, with `default`, `quote` and the like behind it. Everything else stays unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from shoal.facts import Dependency, Fact, Setting, Unknown, Usage
from shoal.job import Job
from shoal.jobs.boundaries import folder_of
from shoal.jobs.environments import VALUES, Environment, written_at
from shoal.jobs.terraform_modules import Module, with_defaults
from shoal.lazy import pattern
from shoal.model import Place, Span
from shoal.records import NamedTuple

_EXPRESSION = pattern(r"\{\{-?\s*(.*?)\s*-?\}\}", re.DOTALL)
_PATH = r"\$?\.Values\.([A-Za-z_][\w.]*)"
_TEXT = r"\"([^\"\\]*)\"|'([^'\\]*)'|`([^`]*)`|(-?\d+(?:\.\d+)?|true|false)"
_LEADING_DEFAULT = pattern(rf"default\s+(?:{_TEXT})\s+\(?{_PATH}\)?")
_REFERENCE = pattern(_PATH)
_PIPE = pattern(rf"\s*\|\s*(?:(quote|squote|toString|trim)|default\s+(?:{_TEXT}))")
_VERSION = pattern(r"v?(\d+)[._](\d+)(?:[._](\d+))?")
_IMAGES = ("spec.image", "spec.container-image")


class Chart(NamedTuple):
    """`variants`: environment -> path of its values file; `values`: path of a values file -> the value at each path in it, None when unknown.

    `places` are those of the values.
    """

    variants: dict[str, str]
    values: dict[str, dict[str, str | None]]
    places: dict[str, dict[str, Place]]

    def of(self, variant: str) -> dict[str, str | None]:
        """The values of an environment: those of the chart, and its own in their place."""
        base, own = self.variants.get("", ""), self.variants[variant]
        return {**self.values.get(base, {}), **self.values[own]}

    def place(self, variant: str, key: str) -> Place | None:
        """Where an environment gets a value from."""
        return self.places[self.variants[variant]].get(key) or self.places[self.variants[""]].get(key)


def charts_of(facts: Mapping[str, tuple[Fact, ...]]) -> dict[str, Chart]:
    """The charts of a run, by folder: those that hold a `values.yaml`."""
    charts: dict[str, Chart] = {}
    for path, found in facts.items():
        match = VALUES.fullmatch(path.rsplit("/", 1)[-1])
        leaves = [fact for fact in found if isinstance(fact, Usage) and fact.kind == "chart-value"] if match else []
        if match and leaves:
            chart = charts.setdefault(folder_of(path), Chart({}, {}, {}))
            chart.variants[match.group(1) or ""] = path
            values, places = chart.values.setdefault(path, {}), chart.places.setdefault(path, {})
            for leaf in leaves:
                key, sign, value = re.split(r"([=?])", leaf.detail, maxsplit=1)
                values[key] = value if sign == "=" else None
                places[key] = leaf.place
    return {folder: chart for folder, chart in charts.items() if "" in chart.variants}


def filled(environment: Environment, charts: Mapping[str, Chart], modules: Mapping[str, Module]) -> list[Environment]:
    """An environment once for each values file of its chart; just itself where it uses no values that are known.

    A file of Terraform has the defaults of its module's variables.
    """
    if environment.paths[0].endswith(".tf"):
        module = modules.get(folder_of(environment.paths[0]))
        return [with_defaults(environment, module) if module else environment]
    chart = charts.get(environment.paths[0].rpartition("/templates/")[0]) if "/templates/" in f"/{environment.paths[0]}" else None
    if chart is None and environment.paths[0].startswith("templates/"):
        chart = charts.get("")
    if chart is None or not any(isinstance(fact, Setting) and ".Values." in fact.text and not fact.known for fact in environment.facts):
        return [environment]
    made = []
    for variant in sorted(chart.variants):
        facts = tuple(_filled(environment.facts, chart, variant))
        name = variant or environment.name
        files = (chart.variants[""], *((chart.variants[variant],) if variant else ()))
        made.append(Environment(name, facts, (*environment.paths, *files)))
    return made if any(one.facts != environment.facts for one in made) else [environment]


def _filled(facts: Iterable[Fact], chart: Chart, variant: str) -> Iterable[Fact]:
    """The facts with the settings that values fill in, and for each where its values stand (`filled`)."""
    from shoal.readers.images import named

    values = chart.of(variant)
    for fact in facts:
        if isinstance(fact, Setting) and isinstance(fact.value, Unknown) and (text := resolve(fact.value.text, values)) is not None:
            # what a chart says holds until an install says otherwise
            made = fact._replace(value=text, sure="default")
            yield made
            places = [place for key in _REFERENCE.findall(fact.value.text) if (place := chart.place(variant, key))]
            for place in places or [made.place()]:  # where the chart says nothing, the template's own `default` stands
                yield Usage("filled", written_at(made), place)
            if fact.key == "spec.flinkVersion" and (match := _VERSION.fullmatch(text)):
                version = ".".join(part for part in match.groups() if part)
                yield Dependency("field", "flink", version, made.place(), True, fact.block)
            elif fact.key in _IMAGES and (image := named(text, made.place(), fact.block)) is not None:
                yield image
        else:
            yield fact


def filled_in(job: Job) -> dict[tuple[str, Span], list[Place]]:
    """By path and span of a value that a template takes from its chart, or a file of Terraform from a variable, where that stands."""
    found: dict[str, list[Place]] = {}
    for usage in job.usages("filled"):
        found.setdefault(usage.detail, []).append(usage.place)
    return {(one.path, one.value_span): found[at] for one in job.settings if (at := written_at(one)) in found} if found else {}


def resolve(text: str, values: Mapping[str, str | None]) -> str | None:
    """A value with its references filled in; None when any of it is not certain."""
    text = text.strip()
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        text = text[1:-1]
    parts = []
    done = 0
    for match in _EXPRESSION.finditer(text):
        found = _value(match.group(1), values)
        if found is None:
            return None
        parts += [text[done : match.start()], found]
        done = match.end()
    whole = "".join(parts) + text[done:]
    return whole if done and "{{" not in whole and "$" not in whole and "\n" not in whole else None


def _value(expression: str, values: Mapping[str, str | None]) -> str | None:
    """What one expression comes to: a reference, and what stands behind it."""
    if match := _LEADING_DEFAULT.match(expression):
        found = _or(_at(match.group(5), values), next(group for group in match.groups()[:4] if group is not None))
    elif match := _REFERENCE.match(expression):
        found = _at(match.group(1), values)
    else:
        return None
    at = match.end()
    while at < len(expression):
        pipe = _PIPE.match(expression, at)
        if pipe is None:
            return None
        if not pipe.group(1):
            found = _or(found, next(group for group in pipe.groups()[1:] if group is not None))
        at = pipe.end()
    return found or None  # what is missing renders as nothing, or ends the rendering


_MISSING = ""


def _at(path: str, values: Mapping[str, str | None]) -> str | None:
    """The value at a path; empty when there is none, None when it is not known or no single value."""
    if path in values:
        return values[path]
    return None if any(key.startswith(f"{path}.") for key in values) else _MISSING


def _or(found: str | None, default: str) -> str | None:
    """Helm's `default`: the value, unless it is empty. Whether `0` and `false` are, their type says, which is not known here."""
    if found in ("0", "false"):
        return found if found == default else None
    return default if found == _MISSING else found
