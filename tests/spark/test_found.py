"""Findings as rows hold all that reports show, however long the lines and wherever the places are. No session is needed for that."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import rulebook
from shoal.model import Edit, Finding, Fix, Place, Span
from shoal.report import Positions, Run, render
from shoal.report.html.rows import rows_of
from shoal.report.layout import Locator
from shoal.spark.found import finding_of, finding_row
from shoal.text import decode

BOOK = rulebook.load()
# Lines from nothing to far more than a report shows, indented or not, with tabs, wide characters and every line ending.
_LINES = st.builds(
    lambda indent, words, times, end: " " * indent + words * times + end,
    st.integers(0, 900),
    st.text(st.sampled_from("ab \t😀é\x1b"), max_size=12),
    st.integers(0, 200),
    st.sampled_from(["\n", "\r\n", "\n\n"]),
)


@st.composite
def _runs(draw: st.DrawFn) -> Run:
    text = decode("".join(draw(st.lists(_LINES, min_size=1, max_size=14))).encode())
    offsets = st.integers(0, len(text.text))

    def span() -> Span:
        return Span(*sorted((draw(offsets), draw(offsets))))

    def place(role: str) -> Place:
        start = draw(offsets)
        return Place("a/b.yaml", draw(st.sampled_from([span(), Span(start, min(start + 5, len(text.text)))])), role, "label")

    findings = tuple(
        Finding(
            "made-up-rule",
            f"finding {number}",
            tuple(map(place, ("primary", *draw(st.lists(st.sampled_from(["related", "covers"]), max_size=2))))),
            "error",
            "high",
            (Fix("change it", "safe", (Edit("a/b.yaml", span(), "new"),)),),
            fingerprint=f"{number:020x}",
        )
        for number in range(draw(st.integers(1, 4)))
    )
    return Run(findings, (), (), 1, 1, BOOK, lambda path: text if path == "a/b.yaml" else None, command="audit")


@settings(max_examples=60, deadline=None)
@given(_runs())
def test_every_report_is_the_same_from_rows(run: Run) -> None:
    positions, locator = Positions.none(), Locator(run)
    rows = [finding_row(finding, locator, ()) for finding in run.findings]
    again = run._replace(findings=tuple(finding_of(row, str, positions) for row in rows), text=lambda path: None, positions=positions)
    assert again.findings == run.findings
    for name in ("text", "json", "sarif"):
        assert render(name, again) == render(name, run), name
    assert rows_of(again) == rows_of(run)
