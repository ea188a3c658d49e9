"""The user's settings: `[tool.shoal]` in pyproject.toml or `shoal.toml`, and what the command line adds."""

from __future__ import annotations

from typing import Any, NamedTuple

from shoal.model import Finding
from shoal.rulebook import Rule


class Settings(NamedTuple):
    """What a run was asked to do. Picklable."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def enabled(self, rule: Rule, path: str) -> bool:
        """Whether a rule is to run for a path."""
        if rule.id in self.ignore:
            return False
        return rule.id in self.select if self.select else rule.default

    def options(self, rule_id: str, path: str) -> dict[str, Any]:
        """The user's options for a rule at a path."""
        return {}

    def adjust(self, finding: Finding) -> Finding:
        """The finding with the user's severity for its rule and path."""
        return finding
