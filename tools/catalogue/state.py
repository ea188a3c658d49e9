"""What one version of an engine says about one option, and how many versions fold into ranges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class State(NamedTuple):
    """One option in one version.

    default is None when there is none; aliases hold (key, deprecated) in the engine's order of precedence;
    flags: "d" deprecated, "h" undocumented, "p" prefix family (a trailing <placeholder> stands for any rest).
    """

    key: str
    type: str
    default: str | None = None
    values: tuple[str, ...] = ()
    aliases: tuple[tuple[str, bool], ...] = ()
    flags: str = ""
    scope: str = ""


Snapshot = Mapping[str, State]


def render(engine: str, snapshots: Sequence[tuple[str, Snapshot]]) -> str:
    """The stored form: a header line, then one line per option and per run of versions in which nothing about it changes.

    snapshots: (minor version, options by key), oldest version first. A blank "from" is the oldest version, a blank "to" the newest,
    so that adding a version touches only the lines it changes.
    """
    versions = [version for version, _ in snapshots]
    lines = [f"# {engine}\t" + " ".join(versions)]
    for key in sorted({key for _, snapshot in snapshots for key in snapshot}):
        start, current = 0, snapshots[0][1].get(key)
        for index in range(1, len(versions) + 1):
            state = snapshots[index][1].get(key) if index < len(versions) else None
            if index < len(versions) and state == current:
                continue
            if current is not None:
                first = "" if start == 0 else versions[start]
                last = "" if index == len(versions) else versions[index - 1]
                lines.append(_line(current, first, last))
            start, current = index, state
    return "\n".join(lines) + "\n"


def filled(snapshots: Sequence[tuple[str, Snapshot]]) -> list[tuple[str, Snapshot]]:
    """Snapshots of a table of "part/key" in which every version has every part.

    A part that a version lacks (its artefact is not to be had, or older ones do not list their options) is taken from the next version
    that has it, else from the last one before: a rule must not call an option unknown because nobody could look.
    """
    parts = sorted({key.partition("/")[0] for _, snapshot in snapshots for key in snapshot})
    complete = [(version, dict(snapshot)) for version, snapshot in snapshots]
    for part in parts:
        owned = [{key: state for key, state in snapshot.items() if key.partition("/")[0] == part} for _, snapshot in snapshots]
        for index, options in enumerate(owned):
            if not options:
                later = next((one for one in owned[index:] if one), None)
                complete[index][1].update(later or next(one for one in reversed(owned[:index]) if one))
    return list(complete)


def _line(state: State, first: str, last: str) -> str:
    aliases = "|".join(("" if deprecated else "-") + key for key, deprecated in state.aliases)
    default = "" if state.default is None else state.default or '""'
    cells = (state.key, first, last, state.type, default, "|".join(state.values), aliases, state.flags, state.scope)
    return "\t".join(cells).rstrip("\t")
