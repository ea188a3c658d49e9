"""Short ways to say what a reader found, for the tables of the reader tests."""

from __future__ import annotations

from hypothesis import strategies as st

from shoal.facts import Block, Dependency, Entry, Oddity, Setting, Statement, Unknown
from shoal.model import Source
from shoal.readers import Reading, read


def reading(text: str | bytes, kind: str, path: str = "") -> Reading:
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    return read(Source(path or f"x.{kind}", kind, data))[0]


def of(out: Reading, kind: type) -> list:
    return [fact for fact in out.facts if isinstance(fact, kind)]


def blocks(out: Reading) -> list[tuple[str, str, str]]:
    return [(block.engine, block.role, block.name) for block in of(out, Block)]


def values(out: Reading, role: str = "") -> dict[str, str | None]:
    """Key to value, None for an unknown one."""
    roles = {block.id: block.role for block in of(out, Block)}
    return {
        one.key: None if isinstance(one.value, Unknown) else one.value for one in of(out, Setting) if not role or roles[one.block] == role
    }


def dependencies(out: Reading) -> list[tuple[str, str, str, bool]]:
    return [(one.ecosystem, one.name, one.version, one.exact) for one in of(out, Dependency)]


def entries(out: Reading) -> list[tuple[str, str]]:
    return [(one.kind, one.target) for one in of(out, Entry)]


def oddities(out: Reading) -> list[tuple[str, str]]:
    return [(one.kind, one.subject) for one in of(out, Oddity)]


def statements(out: Reading) -> list[tuple[str, str, tuple[str, ...], tuple[str, ...]]]:
    return [(one.kind, one.target, one.sources, one.features) for one in of(out, Statement)]


def assert_sound(out: Reading) -> None:
    """Whatever the text: no crash, every fact inside the file, every plainly written key and value sliced by its span."""
    assert not [problem for problem in out.problems if problem.kind in ("reader-crashed", "too-large")], out.problems
    size = len(out.raw)
    ids = {block.id for block in of(out, Block)}
    for fact in out.facts:
        place = getattr(fact, "place", None)
        if not isinstance(fact, Setting) and place is not None:
            assert 0 <= place.span.start <= place.span.end <= size, fact
        if isinstance(fact, Setting):
            assert fact.block in ids
            for span in (fact.key_span, fact.value_span):
                assert 0 <= span.start <= span.end <= size, fact
        for edit in getattr(fact, "edits", ()):
            assert 0 <= edit.span.start <= edit.span.end <= size, fact


def assert_sliced(out: Reading) -> None:
    """Spans give back key and value as they are written, for texts without escapes."""
    for one in of(out, Setting):
        assert out.raw[one.key_span.start : one.key_span.end] == one.key, one
        if one.known and one.value_span.end > one.value_span.start:
            assert out.raw[one.value_span.start : one.value_span.end] == one.value, one


def scraps(*words: str) -> st.SearchStrategy[str]:
    """Texts put together from a format's own words, marks and noise."""
    noise = [
        "'",
        '"',
        "\\",
        "\n",
        "\r\n",
        "\t",
        " ",
        "\x00",
        "\ufeff",
        "#",
        "$",
        "${",
        "}",
        "(",
        ")",
        "=",
        ",",
        ";",
        "{{",
        "}}",
        "\ue000",
        "é",
        "/*",
        "*/",
        "--",
    ]
    return st.lists(st.one_of(st.sampled_from([*words, *noise]), st.text(max_size=3)), max_size=40).map("".join)
