"""Which findings make a run fail: `--fail-on`, or `fail-on` in the settings.

A policy is one condition or several with commas between, any of which suffices: `SEVERITY`, `SEVERITY:CONFIDENCE` (that, and all above it),
`new` (not in the earlier run), `new:SEVERITY`, `new:SEVERITY:CONFIDENCE`; or `never`. Without one, every finding fails a run.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from shoal.discover import reason
from shoal.files import read_bytes
from shoal.model import CONFIDENCES, SEVERITIES, Finding
from shoal.records import NamedTuple

_MAX_BYTES = 1_000_000_000


class Condition(NamedTuple):
    """The least severity and confidence; `new`: only what an earlier run did not have."""

    severity: str
    confidence: str
    new: bool

    @property
    def severities(self) -> tuple[str, ...]:
        return SEVERITIES[SEVERITIES.index(self.severity) :]

    @property
    def confidences(self) -> tuple[str, ...]:
        return CONFIDENCES[CONFIDENCES.index(self.confidence) :]


def parse(text: str) -> tuple[Condition, ...]:
    """The conditions of a policy, none for `never`. Raises ValueError with what is wrong."""
    if text.strip() == "never":
        return ()
    return tuple(_condition(part.strip()) for part in text.split(","))


def _condition(text: str) -> Condition:
    words = text.split(":")
    new = words[0] == "new"
    words = words[1:] if new else words
    severity, confidence = (*words, "", "")[:2]
    if len(words) > 2 or (not new and not severity) or "" in words:
        raise ValueError(f"{text!r} is none of SEVERITY[:CONFIDENCE], new[:SEVERITY[:CONFIDENCE]], never")
    if severity and severity not in SEVERITIES:
        raise ValueError(f"{severity!r} is no severity (there are {', '.join(SEVERITIES)})")
    if confidence and confidence not in CONFIDENCES:
        raise ValueError(f"{confidence!r} is no confidence (there are {', '.join(CONFIDENCES)})")
    return Condition(severity or SEVERITIES[0], confidence or CONFIDENCES[0], new)


def stopping(policy: tuple[Condition, ...], findings: Iterable[Finding], known: frozenset[str]) -> list[Finding]:
    """The findings that make a run fail; `known` are the fingerprints of the earlier run."""
    return [finding for finding in findings if any(_meets(finding, condition, known) for condition in policy)]


def _meets(finding: Finding, condition: Condition, known: frozenset[str]) -> bool:
    return (
        finding.severity in condition.severities
        and finding.confidence in condition.confidences
        and not (condition.new and finding.fingerprint in known)
    )


def earlier(file: str) -> frozenset[str]:
    """The fingerprints in a JSON report of an earlier run, or in a baseline. Raises ValueError with what is wrong."""
    try:
        data = json.loads(read_bytes(file, _MAX_BYTES))
        if data["version"] != 1:
            raise ValueError(f"{file}: version {data['version']} is not known here")
        return frozenset(str(entry["fingerprint"]) for entry in data["findings"])
    except OSError as error:
        raise ValueError(f"cannot read {file}: {reason(error)}") from error
    except (KeyError, TypeError, RecursionError, json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{file} is neither a report (--format json --output {file}) nor a baseline of shoal") from error
