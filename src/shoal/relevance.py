"""What a check asks of a job that holds nothing.

A check that finds nothing there finds nothing either in a job that answers all of this as an empty one does: it cannot tell them apart. So most
rules need not be loaded for most jobs. Worked out when the rulebook is prepared.
"""

from __future__ import annotations

import json
from inspect import signature
from typing import TYPE_CHECKING, Any

from shoal.context import Context
from shoal.job import Job

if TYPE_CHECKING:
    from shoal.rulebook import Check, Question, Rule

_KINDS = {"file": ("file",), "job": ("job", "cluster"), "project": ("project",)}


class _Given(Exception):
    """The check asked something else than the job."""


class _Blind(Context):
    """A context that tells nothing of the file at hand, nor of what the user has set."""

    def __getattribute__(self, name: str) -> Any:
        if name in ("module", "options"):
            raise _Given
        return super().__getattribute__(name)


class _Listener(Job):
    """A job that holds nothing and notes what it is asked."""

    def __init__(self, kind: str) -> None:
        self.heard: list[Question] | None = None
        super().__init__((), kind=kind)
        self.heard = []

    def __getattribute__(self, name: str) -> Any:
        value = super().__getattribute__(name)
        heard = None if name == "heard" or name.startswith("__") else super().__getattribute__("heard")
        if heard is None or name == "kind":  # each of those that the rule may meet is tried
            return value
        if not callable(value):
            if value:
                raise _Given
            heard.append((name,))
            return value

        def answer(*given: Any, **named: Any) -> Any:
            bound = signature(value).bind(*given, **named)
            bound.apply_defaults()
            heard.append((name, *map(_plain, bound.args)))
            self.heard = None  # what the job asks itself is its own matter
            found = value(*given, **named)
            self.heard = heard
            return found

        return answer


def questions(rule: Rule, check: Check) -> tuple[Question, ...] | None:
    """What the check asks of an empty job, each question once; None where its answer may hang on anything else."""
    if rule.code or rule.use == "suppression":
        return None
    asked: dict[str, Question] = {}
    for kind in _KINDS[rule.scope]:
        job = _Listener(kind)
        try:
            if any(True for _ in check(job, _Blind(rule))):
                return None
        except Exception:  # it asked something else, or is mistaken, which is for a run to say
            return None
        asked.update((json.dumps(question), question) for question in job.heard or ())
    return tuple(asked.values()) or None


def _plain(argument: Any) -> Any:
    """An argument as JSON has it. Raises _Given for what is none."""
    if argument is None or isinstance(argument, str):
        return argument
    if isinstance(argument, (list, tuple, set, frozenset)) and all(isinstance(item, str) for item in argument):
        return sorted(argument)
    raise _Given
