"""The legacy conf grammar, in files, config maps and FLINK_PROPERTIES; the first table was run on Flink 1.18.1 and 1.20.5."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.facts import Oddity, Setting, Unknown
from shoal.model import Edit, Source
from shoal.readers import Reading, read


def reading(text: str, kind: str = "flink-conf", path: str = "flink-conf.yaml") -> Reading:
    return read(Source(path, kind, text.encode()))[0]


def values(out: Reading) -> dict[str, str]:
    return {fact.key: fact.text for fact in out.facts if isinstance(fact, Setting)}


def oddities(out: Reading) -> list[tuple[str, str]]:
    return [(fact.kind, fact.subject) for fact in out.facts if isinstance(fact, Oddity)]


def edited(text: str, edits: tuple[Edit, ...]) -> str:
    for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):
        text = text[: edit.span.start] + edit.new_text + text[edit.span.end :]
    return text


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a.b: 1", {"a.b": "1"}),
        ("c.d:2", {}),
        ('e: "quoted"', {"e": '"quoted"'}),
        ("  g.h: indented", {"g.h": "indented"}),
        ("i: x#y", {"i": "x"}),
        ("j: z # t", {"j": "z"}),
        ("k:  two  ", {"k": "two"}),
        ("l: a: b", {"l": "a: b"}),
        ("m:\ttab", {}),
        ("n : sp", {"n": "sp"}),
        ("o: ", {}),
        ("a: 1\na: 2", {"a": "2"}),
        ("a: 1\rb: 2\r\nc: 3", {"a": "1", "b": "2", "c": "3"}),
        ("---", {}),
        ("# a: 1", {}),
        ("dir: ${BASE}/x", {"dir": "${BASE}/x"}),
    ],
)
def test_lines_as_the_engine_reads_them(line: str, expected: dict[str, str]) -> None:
    assert values(reading(line)) == expected


@pytest.mark.parametrize(
    ("text", "kind", "subject", "fixed"),
    [
        ("rest.port:8081\n", "line-dropped", "rest.port:8081", "rest.port: 8081\n"),
        ("state.backend=rocksdb\n", "line-dropped", "state.backend=rocksdb", "state.backend: rocksdb\n"),
        ("nonsense\n", "line-dropped", "nonsense", None),
        ('rest.port: "8081"\n', "quoted-value", "rest.port", "rest.port: 8081\n"),
        ("a: 1\nb: 1\na: 2\n", "duplicate-key", "a", None),
        ("AWS_REGION=us-east-1\nAWS_KEY=x\n", "foreign-line", "AWS_REGION=us-east-1", None),
        ("rootLogger.level = INFO\n", "foreign-line", "rootLogger.level = INFO", None),
        ("rest.port:\n", "empty-value", "rest.port", None),
        (
            "execution:\n  checkpointing:\n    timeout: 1s # soon\n    interval: 5s\nrest.port: 1\n",
            "nested-yaml",
            "execution",
            "execution.checkpointing.timeout: 1s # soon\nexecution.checkpointing.interval: 5s\nrest.port: 1\n",
        ),
        ("metrics:\n  reporters:\n  - prom\n", "nested-yaml", "metrics", None),
    ],
)
def test_what_goes_wrong_and_its_edit(text: str, kind: str, subject: str, fixed: str | None) -> None:
    out = reading(text)
    assert oddities(out) == [(kind, subject)]
    odd = next(fact for fact in out.facts if isinstance(fact, Oddity))
    if fixed is None:
        assert odd.edits == ()
    else:
        assert edited(text, odd.edits) == fixed
        assert oddities(reading(fixed)) == []


def test_nested_leaves_are_no_settings_and_their_meaning_is_told() -> None:
    out = reading("execution:\n  checkpointing:\n    timeout: 1s\nrest.port: 1\n")
    assert values(out) == {"rest.port": "1"}
    odd = next(fact for fact in out.facts if isinstance(fact, Oddity))
    assert odd.detail == "execution.checkpointing.timeout"


def test_a_heading_over_whole_options_drops_only_itself() -> None:
    out = reading("flink-conf:\n  state.backend: rocksdb\n  rest.port: 1\n")
    assert values(out) == {"state.backend": "rocksdb", "rest.port": "1"}


def test_template_values_are_unknown_and_the_block_is_open() -> None:
    out = reading("rest.port: {{ .Values.port }}\n{{- if .Values.ha }}\nhigh-availability.type: kubernetes\n{{- end }}\n")
    settings_ = {fact.key: fact.value for fact in out.facts if isinstance(fact, Setting)}
    assert settings_["rest.port"] == Unknown("{{ .Values.port }}")
    assert settings_["high-availability.type"] == "kubernetes"
    assert out.facts[0].open  # type: ignore[union-attr]
    assert oddities(out) == []


def test_what_a_template_puts_in_on_a_condition_is_not_sure() -> None:
    text = "{{- if .Values.enabled }}\nrest.port: 1\n{{- if .Values.ha }}\nhigh-availability.type: zookeeper\n{{- else }}\nhigh-availability.type: NONE\n{{- end }}\na.b: c\n{{- end }}\n"
    out = reading(text)
    assert {fact.key: fact.sure for fact in out.facts if isinstance(fact, Setting)} == {
        "rest.port": "sure",
        "high-availability.type": "branch",
        "a.b": "sure",
    }
    assert oddities(out) == []


def test_nested_block_in_a_config_map_is_flattened_in_place() -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  flink-conf.yaml: |\n    state:\n      backend: rocksdb\n    rest.port: 1\n"
    out = reading(text, "yaml", "cm.yaml")
    odd = next(fact for fact in out.facts if isinstance(fact, Oddity))
    assert edited(text, odd.edits) == text.replace("    state:\n      backend: rocksdb\n", "    state.backend: rocksdb\n")


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=st.sampled_from(list("ab.:= #\t\r\n'\"-{}$|>\ufeff\x00é\u2028")), max_size=80))
def test_no_text_makes_it_raise_and_spans_show_key_and_value(text: str) -> None:
    out = reading(text)
    assert not out.problems
    for fact in out.facts:
        if isinstance(fact, Setting):
            assert out.raw[fact.key_span.start : fact.key_span.end] == fact.key
            if fact.known and fact.sure == "sure":
                assert out.raw[fact.value_span.start : fact.value_span.end] == fact.value


NAMES = st.sampled_from(["state", "backend", "rest", "port", "a-b", "execution", "checkpointing"])
TREES = st.recursive(
    st.sampled_from(["1", "x y", "s3://a/b"]), lambda inner: st.dictionaries(NAMES, inner, min_size=1, max_size=3), max_leaves=6
)


def lines_of(tree: dict[str, object], depth: int = 0) -> list[str]:
    result = []
    for key, value in tree.items():
        if isinstance(value, dict):
            result += [f"{'  ' * depth}{key}:", *lines_of(value, depth + 1)]
        else:
            result.append(f"{'  ' * depth}{key}: {value}")
    return result


def flat(tree: dict[str, object], prefix: str = "") -> dict[str, object]:
    result: dict[str, object] = {}
    for key, value in tree.items():
        if isinstance(value, dict):
            result.update(flat(value, f"{prefix}{key}."))
        else:
            result[f"{prefix}{key}"] = value
    return result


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(NAMES, TREES, min_size=1, max_size=3), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_flattening_says_what_was_meant(tree: dict[str, object], ending: str, inside: bool) -> None:
    text = "".join(line + ending for line in lines_of(tree))
    kind = "flink-conf"
    if inside:
        head = ["apiVersion: v1", "kind: ConfigMap", "metadata: {name: c}", "data:", "  flink-conf.yaml: |"]
        text = "".join(line + ending for line in [*head, *(f"    {line}" for line in lines_of(tree))])
        kind = "yaml"
    out = reading(text, kind, "cm.yaml" if inside else "flink-conf.yaml")
    edits = [edit for fact in out.facts if isinstance(fact, Oddity) and fact.kind == "nested-yaml" for edit in fact.edits]
    fixed = reading(edited(text, tuple(edits)), kind, "cm.yaml" if inside else "flink-conf.yaml")
    assert values(fixed) == flat(tree)
    assert oddities(fixed) == []


def test_a_conf_that_grows_with_every_start_is_told_a_few_times_and_its_last_line_counts() -> None:
    out = reading("rest.port: 1\n" * 40 + "rest.port: 2\n")
    assert oddities(out) == [("duplicate-key", "rest.port")] * 3
    assert values(out) == {"rest.port": "2"}
