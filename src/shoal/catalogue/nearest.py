"""Did you mean: which of the known keys explains an unknown one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from math import log

_GOOD = 0.7  # calibrated on the table in tests/catalogue: typos and moved words above, unrelated keys below
_SPREAD = 0.12  # candidates that far behind the best explain less


def nearest(key: str, candidates: Mapping[str, str], n: int) -> list[str]:
    """Up to n proposals, best first. candidates: known spelling to the key to propose for it."""
    words = {spelling: _words(spelling) for spelling in candidates}
    counts = Counter(word for known in words.values() for word in set(known))
    asked = _words(key)
    if not asked:
        return []
    close = {word: _close(word, counts) for word in asked}
    weights = {word: log(1 + len(words) / count) for word, count in counts.items()}
    rarest = log(1 + len(words))
    scored: dict[str, float] = {}
    for spelling, known in words.items():
        score = _typo(key, spelling)
        if any(word in close_words for close_words in close.values() for word in known):
            score = max(score, _overlap(asked, known, close, weights, rarest))
        if score:
            proposal = candidates[spelling]
            if score >= _GOOD and score > scored.get(proposal, 0.0):
                scored[proposal] = score
    best = max(scored.values(), default=0.0)
    ranked = sorted((proposal for proposal, score in scored.items() if score >= best - _SPREAD), key=lambda one: (-scored[one], one))
    return ranked[:n]


def _words(key: str) -> list[str]:
    spaced = "".join(" " + letter.lower() if letter.isupper() else letter if letter.isalnum() else " " for letter in key)
    return spaced.split()


def _close(word: str, vocabulary: Iterable[str]) -> dict[str, float]:
    """The known words that word may stand for, with how alike they are (0 to 1)."""
    found = {}
    for other in vocabulary:
        likeness = _likeness(word, other)
        if likeness:
            found[other] = likeness
    return found


def _likeness(word: str, other: str) -> float:
    if word == other:
        return 1.0
    shorter, longer = sorted((len(word), len(other)))
    if shorter >= 4 and (word.startswith(other) or other.startswith(word)):
        return 0.85  # checkpoint, checkpointing; clean, cleanup
    if shorter < 4 or longer - shorter > 2:
        return 0.0
    distance = _distance(word, other)
    return 1 - distance / longer if distance <= max(1, longer // 4) else 0.0


def _overlap(asked: list[str], known: list[str], close: Mapping[str, Mapping[str, float]], weights: Mapping[str, float], rarest: float) -> float:
    """Dice's coefficient over words, rare words weighing more, each known word used once."""
    left = list(known)
    shared = 0.0
    for word in asked:
        match = max(left, key=lambda other: close[word].get(other, 0.0), default=None)
        likeness = close[word].get(match, 0.0) if match is not None else 0.0
        if match is not None and likeness:
            left.remove(match)
            shared += 2 * likeness * weights[match]
    total = sum(weights.get(word) or max((weights[other] for other in close[word]), default=rarest) for word in asked)
    return shared / (total + sum(weights[word] for word in known))


def _typo(key: str, other: str) -> float:
    """Likeness of whole keys, separators and case apart, when they differ by a letter or two, else 0."""
    one, two = (("".join(letter for letter in text.lower() if letter.isalnum())) for text in (key, other))
    allowed = 1 if len(one) < 24 else 2
    if abs(len(one) - len(two)) > allowed:
        return 0.0
    distance = _distance(one, two)
    return 1 - distance / len(two) if distance <= allowed else 0.0


def _distance(one: str, other: str) -> int:
    """Edits (insert, delete, replace, swap of neighbours) from one to other."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        older, before, row = before, row, [i]
        for j, wanted in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
    return row[-1]
