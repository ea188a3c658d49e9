"""Suppression comments: `# shoal: ignore[rule-id] reason`, with `--` in SQL and `//` in Java."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from shoal.lazy import pattern
from shoal.model import Edit, Finding, Fix, Place, Span, Status
from shoal.records import NamedTuple
from shoal.rulebook import Rule, Rulebook

_COMMENT = pattern(
    r"(?:#|--|//|!)[ \t]*shoal:[ \t]*ignore(?:\[([^\]\r\n]*)\])?[ \t:,-]*([^\r\n]*?)[ \t]*(?=\r?$)", re.MULTILINE | re.IGNORECASE
)

# What JSON puts around and into the lines of a notebook, and what people see in its place.
_JSON = pattern(r'\\.|",?')
_SEEN = {'"': "\n", '",': "\n ", "\\n": " \n", '\\"': ' "', "\\t": "  ", "\\r": "  "}


class Suppression(NamedTuple):
    """A comment that silences `rules` (all when empty) for findings whose construct touches `reach`.

    `reach` is the comment's own line, or, for a comment that stands alone, that line and the next line of content.
    """

    path: str
    span: Span
    reach: Span
    rules: tuple[str, ...]
    reason: str


def suppressions(path: str, text: str) -> list[Suppression]:
    """All suppression comments of a file, in order."""
    if "shoal:" not in text:
        return []
    given, text = text, _lines(path, text)
    found = []
    for match in _COMMENT.finditer(text):
        start = text.rfind("\n", 0, match.start()) + 1
        end = _line_end(text, match.end())
        if not text[start : match.start()].strip():
            end = _next_content(text, end)
        rules = tuple(name.strip() for name in (match.group(1) or "").split(",") if name.strip())
        span = Span(match.start(), match.end() if text is given else match.start() + len(match.group().rstrip()))
        found.append(Suppression(path, span, Span(start, end), rules, match.group(2).strip()))
    return found


def _lines(path: str, text: str) -> str:
    """A text of the same length whose lines are those that people see: a notebook's are inside JSON strings, alone or one in each."""
    if not path.endswith(".ipynb"):
        return text
    return _JSON.sub(lambda match: _SEEN.get(match.group(), match.group()), text)


def _line_end(text: str, offset: int) -> int:
    at = text.find("\n", offset)
    return len(text) if at == -1 else at


def _next_content(text: str, end: int) -> int:
    """End of the next line that is neither blank nor a comment."""
    while end < len(text):
        next_end = _line_end(text, end + 1)
        line = text[end + 1 : next_end].strip()
        end = next_end
        if line and not line.startswith(("#", "--", "//")):
            return end
    return end


def apply(
    findings: Iterable[Finding],
    comments: list[Suppression],
    rulebook: Rulebook,
    lines: Mapping[str, str],
    enabled: Callable[[Rule, str], bool] = lambda rule, path: True,
    unread: Collection[str] = (),
) -> Iterator[Finding]:
    """The findings with their status, then those about the comments themselves (unused, without a reason, naming no rule).

    `lines` holds the text of each file with comments, for the fixes that remove them. `enabled` says whether a rule ran for a path;
    `unread` are the files that could not be read whole: a comment is called unused only where the rules it names had their say.
    """
    used: set[Suppression] = set()
    by_path: dict[str, list[Suppression]] = {}
    for comment in comments:
        by_path.setdefault(comment.path, []).append(comment)
    for finding in findings:
        hit = _silencer(finding, by_path)
        if hit:
            used.add(hit)
            finding = finding._replace(status=Status("suppressed", hit.reason, "comment"))
        yield finding
    for rule in rulebook.rules:
        if rule.use != "suppression":
            continue
        kind = rule.parameters["kind"]
        for comment in comments:
            if not enabled(rule, comment.path):
                continue
            fixes: tuple[Fix, ...] = ()
            if kind == "unused" and comment not in used:
                if comment.path in unread or not _all_ran(comment, rulebook, enabled):
                    continue
                named = ", ".join(comment.rules) or "any rule"
                message = f"this comment silences nothing: {named} finds nothing here"
                fixes = (Fix("remove the comment", "safe", (_removal(comment, lines[comment.path]),)),)
            elif kind == "reasonless" and comment in used and not comment.reason:
                message = "the comment gives no reason; the next reader cannot tell whether it still holds"
            elif kind == "unknown" and (strange := [name for name in comment.rules if name not in rulebook.known]):
                message = f"no rule is called {', '.join(strange)}"
            else:
                continue
            yield Finding(
                rule.id,
                message,
                (Place(comment.path, comment.span),),
                rule.severity,
                rule.confidence,
                fixes,
                fingerprint=f"{kind}:{','.join(comment.rules)}",
            )


def _all_ran(comment: Suppression, rulebook: Rulebook, enabled: Callable[[Rule, str], bool]) -> bool:
    """Whether every rule that the comment may mean was run over its file. One that does not exist is another rule's business."""
    if not comment.rules:
        return rulebook.usual <= {rule.id for rule in rulebook.rules if enabled(rule, comment.path)}
    ran = [rule.id for rule in rulebook.rules if rule.id in comment.rules and enabled(rule, comment.path)]
    return len(ran) == len(set(comment.rules))


def _silencer(finding: Finding, by_path: dict[str, list[Suppression]]) -> Suppression | None:
    for place in finding.places:
        if place.role == "related":
            continue
        for comment in by_path.get(place.path, ()):
            if comment.rules and finding.rule not in comment.rules:
                continue
            if comment.reach.start <= max(place.span.end - 1, place.span.start) and place.span.start <= comment.reach.end:
                return comment
    return None


def _removal(comment: Suppression, text: str) -> Edit:
    start, end = comment.span
    seen = _lines(comment.path, text)
    if seen is not text:
        return _removal_in_json(comment, text, seen)
    line_start = text.rfind("\n", 0, start) + 1
    if not text[line_start:start].strip():  # the comment has the line to itself
        return Edit(comment.path, Span(line_start, min(_line_end(text, end) + 1, len(text))), "")
    while start > line_start and text[start - 1] in " \t":
        start -= 1
    return Edit(comment.path, Span(start, end), "")


def _removal_in_json(comment: Suppression, text: str, seen: str) -> Edit:
    """The removal within one JSON string, which may be left empty."""
    start, end = comment.span
    line_start = seen.rfind("\n", 0, start) + 1
    alone = not seen[line_start:start].strip()
    while start > line_start and seen[start - 1] in " \t" and text[start - 1] in " \t":
        start -= 1
    if not alone:
        return Edit(comment.path, Span(start, end), "")
    return Edit(comment.path, Span(line_start, end + 2 if text.startswith("\\n", end) else end), "")
