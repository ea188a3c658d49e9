"""Did you mean: which of the known keys explains an unknown one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import log

from shoal.records import NamedTuple

_GOOD = 0.7  # calibrated on the table in tests/catalogue: typos and moved words above, unrelated keys below
_MOST_WORDS = 4096  # words remembered before all are forgotten: keys come from files, so there is no end to them
_SPREAD = 0.12  # candidates that far behind the best explain less


class Known(NamedTuple):
    """One spelling that may have been meant."""

    proposal: str
    words: tuple[str, ...]
    letters: str
    weight: float


class Speller:
    """The spellings of one version, prepared for comparison."""

    def __init__(self, candidates: Mapping[str, str]) -> None:
        """candidates: known spelling to the key to propose for it."""
        words = {spelling: _words(spelling) for spelling in candidates}
        counts = Counter(word for known in words.values() for word in set(known))
        self._weights = {word: log(1 + len(words) / count) for word, count in counts.items()}
        self._rarest = log(1 + len(words))
        self._known = [
            Known(proposal, words[spelling], "".join(words[spelling]), sum(self._weights[word] for word in words[spelling]))
            for spelling, proposal in candidates.items()
        ]
        self._holders: dict[str, list[int]] = {}
        self._by_length: dict[int, list[Known]] = {}
        for number, known in enumerate(self._known):
            self._by_length.setdefault(len(known.letters), []).append(known)
            for word in set(known.words):
                self._holders.setdefault(word, []).append(number)
        self._ends: dict[str, list[str]] = {}  # words that are alike begin or end with the same letter
        for word in self._weights:
            for end in {"^" + word[0], word[-1] + "$"}:
                self._ends.setdefault(end, []).append(word)
        self._close: dict[str, dict[str, float]] = {}  # keys that nobody knows share their words

    def nearest(self, key: str, n: int) -> list[str]:
        """Up to n proposals, best first; empty when none is good."""
        asked = _words(key)
        letters = "".join(asked)
        close = {word: self._alike(word) for word in asked}
        total = sum(self._weights.get(word) or max((self._weights[other] for other in close[word]), default=self._rarest) for word in asked)
        bounds: dict[int, float] = {}  # what a known key can have in common with this one at the most
        for word in asked:
            for other, alike in close[word].items():
                gain = 2 * alike * self._weights[other]
                for number in self._holders[other]:
                    bounds[number] = bounds.get(number, 0.0) + gain
        scored: dict[str, float] = {}

        def count(known: Known, score: float) -> None:
            if score >= _GOOD and score > scored.get(known.proposal, 0.0):
                scored[known.proposal] = score

        for number, bound in bounds.items():
            known = self._known[number]
            if bound >= _GOOD * (total + known.weight):
                count(known, self._shared(asked, known, close) / (total + known.weight))
        for length in range(len(letters) - 2, len(letters) + 3):
            for known in self._by_length.get(length, ()):
                count(known, _typo(letters, known.letters))
        best = max(scored.values(), default=0.0)
        ranked = sorted((proposal for proposal, score in scored.items() if score >= best - _SPREAD), key=lambda one: (-scored[one], one))
        return ranked[:n]

    def _alike(self, word: str) -> dict[str, float]:
        """The known words that a word resembles, and how much."""
        found = self._close.get(word)
        if found is None:
            others = dict.fromkeys([*self._ends.get("^" + word[0], ()), *self._ends.get(word[-1] + "$", ())])
            found = {other: alike for other in others if (alike := _likeness(word, other))}
            if len(self._close) >= _MOST_WORDS:
                self._close.clear()
            self._close[word] = found
        return found

    def _shared(self, asked: tuple[str, ...], known: Known, close: Mapping[str, Mapping[str, float]]) -> float:
        """Twice the weight of what both have in common, rare words weighing more, each known word used once."""
        left = list(known.words)
        shared = 0.0
        for word in asked:
            alike = close[word]
            match = max(left, key=lambda other: alike.get(other, 0.0), default="")
            if match in alike:
                left.remove(match)
                shared += 2 * alike[match] * self._weights[match]
        return shared


def _words(key: str) -> tuple[str, ...]:
    spaced = "".join(" " + letter.lower() if letter.isupper() else letter if letter.isalnum() else " " for letter in key)
    return tuple(spaced.split())


def _likeness(word: str, other: str) -> float:
    """From 0 to 1."""
    if word == other:
        return 1.0
    shorter, longer = sorted((len(word), len(other)))
    if shorter >= 3 and (word.startswith(other) or other.startswith(word)):
        return 0.85  # checkpoint, checkpointing; clean, cleanup
    if shorter < 4 or longer - shorter > 2 or (word[0] != other[0] and word[-1] != other[-1]):
        return 0.0
    distance = _distance(word, other)
    return 1 - distance / longer if distance <= max(1, longer // 4) else 0.0


def _typo(one: str, two: str) -> float:
    """Likeness of whole keys, separators apart, when they differ by a letter or two, else 0."""
    allowed = 1 if len(one) < 24 else 2
    third = len(one) // 3
    # Two slips leave one third untouched.
    if abs(len(one) - len(two)) > allowed or not (one[:third] == two[:third] or one[-third:] == two[-third:] or one[third:-third] in two):
        return 0.0
    distance = _distance(one, two)
    return 1 - distance / len(two) if distance <= allowed else 0.0


def _distance(one: str, other: str) -> int:
    """Edits (insert, delete, replace, swap of neighbours) from one to other."""
    start = 0
    while start < len(one) and start < len(other) and one[start] == other[start]:
        start += 1
    one, other = one[start:], other[start:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
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
