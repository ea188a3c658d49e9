"""What a check gets besides the job: its rule, its options, and the means to make findings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Union

from shoal.classify import PROGRAMS
from shoal.facts import Block, Dependency, Entry, Mount, Oddity, Setting
from shoal.lazy import pattern
from shoal.model import Edit, Finding, Fix, Place, weaker

if TYPE_CHECKING:
    from shoal.rulebook import Rule

# What a finding can point at.
Target = Union[Setting, Block, Dependency, Entry, Mount, Oddity, Place]


def place_of(target: Target, role: str = "primary", label: str = "") -> Place:
    """The place of a fact: a setting's value, a block's introduction, a dependency's version …"""
    if isinstance(target, Setting):
        return target.place(role, label)
    found = target if isinstance(target, Place) else target.place
    return Place(found.path, found.span, role, label or found.label)


class Context:
    """Handed to a rule's check. `options` are the rule's options with the user's values over the defaults.

    `module` is the semantic model of the Python file at hand, None for any other file and for job-scope rules.
    """

    def __init__(self, rule: Rule, options: dict[str, Any] | None = None, module: Any = None) -> None:
        self.rule = rule
        self.options = {name: schema["default"] for name, schema in rule.options.items()} | (options or {})
        self.module = module

    @property
    def parameters(self) -> dict[str, Any]:
        return self.rule.parameters

    def finding(
        self,
        message: str,
        at: Target,
        related: Iterable[Target | tuple[Target, str]] = (),
        severity: str = "",
        confidence: str = "",
        fixes: Iterable[Fix] = (),
        label: str = "",
        covers: Iterable[Place | Setting] = (),
    ) -> Finding:
        """A finding at a fact. A setting that is not sure (an environment default, one branch of several) lowers the confidence.

        `related`: the other sides of a relation, each alone or with a label. `covers`: what the finding is about without pointing at it, a
        setting whose key is pointed at among it.
        """
        places = [place_of(at, "primary", label)]
        involved = [at]
        for other in related:
            target, text = other if isinstance(other, tuple) and len(other) == 2 and not hasattr(other, "_fields") else (other, "")
            places.append(place_of(target, "related", text))  # type: ignore[arg-type]
            involved.append(target)  # type: ignore[arg-type]
        behind = list(covers)
        settings = [target for target in (*involved, *behind) if isinstance(target, Setting)]
        origins = [setting.origin for setting in settings if setting.origin]
        places += [Place(*origin, "related", "its value") for origin in origins]
        places += [Place(*at, "covers") for at in (*((setting.path, setting.span) for setting in settings), *origins)]
        places += [Place(place.path, place.span, "covers") for place in behind if isinstance(place, Place)]
        level = confidence or self.rule.confidence
        if any(isinstance(target, Setting) and target.sure != "sure" for target in involved):
            level = weaker(level)
        return Finding(
            self.rule.id,
            message,
            tuple(places),
            severity or self.rule.severity,
            level,
            tuple(fix for fix in fixes if fix.edits),
            fingerprint=self._anchor(at),
        )

    def _anchor(self, at: Target) -> str:
        """What a finding is about, in words that do not change when lines move: a key, a name, a line of code."""
        if isinstance(at, Setting):
            return at.key
        if isinstance(at, Block):
            return f"{at.role} {at.name}"
        if isinstance(at, Dependency):
            return at.name
        if isinstance(at, Oddity):
            return f"{at.kind} {at.subject}"
        if isinstance(at, (Entry, Mount)):
            return str(at[0])
        return self.module.line_text(at.span) if self.module is not None else at.label

    def replace(self, setting: Setting, new_value: str, title: str, safety: str) -> Fix:
        """A fix that writes another value where the setting's value stands; quotes around it are not part of the span they replace.

        Where the text at the span is not the value itself (a name or call in Python) the fix has no edits, and `finding` leaves it out.
        """
        edits = (Edit(setting.path, setting.value_span, new_value),) if _takes(setting, new_value) else ()
        return Fix(title, safety, edits)

    def rename(self, setting: Setting, new_key: str, title: str, safety: str) -> Fix:
        """A fix that writes another key; without edits where the key does not stand there as a whole (the last part of a nested one)."""
        whole = setting.key_span.end - setting.key_span.start == len(setting.key)
        return Fix(title, safety, (Edit(setting.path, setting.key_span, new_key),) if whole else ())


_NUMBER = pattern(r"[-+]?\d[\d_.]*")


def _takes(setting: Setting, new_value: str) -> bool:
    """Whether a value may be overwritten by another as plain text. Source code takes a number for a number, and text for a literal text."""
    if setting.value_span.end - setting.value_span.start != len(setting.text):
        return False  # what a chart's values or a variable's default fill in does not stand there
    if not setting.path.endswith(PROGRAMS):
        return True
    if _NUMBER.fullmatch(setting.text):
        return _NUMBER.fullmatch(new_value) is not None
    literal = setting.key_span.end - setting.key_span.start == len(setting.key)  # else a method's name stands for the key
    return literal and setting.text.lower() not in ("true", "false", "none")
