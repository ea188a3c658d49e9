"""No YAML makes a reader raise, hang or grow without bound; whatever is read shows where it stands."""

from __future__ import annotations

import time

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from shoal.facts import Setting
from shoal.model import Source
from shoal.readers import Reading, read
from shoal.readers.yaml_tree import MAX_NODES, compose, scalar, text_of, walk

DEPLOYMENT = "apiVersion: flink.apache.org/v1beta1\nkind: FlinkDeployment\nmetadata: {name: a}\nspec:\n  flinkVersion: v1_20\n  flinkConfiguration:\n"
BOMB = "a0: &a0 {x: 1, y: 2}\n" + "".join(f"a{n}: &a{n} {{p: *a{n - 1}, q: *a{n - 1}, r: *a{n - 1}}}\n" for n in range(1, 30))
MERGES = "m0: &m0 {a: 1}\n" + "".join(f"m{n}: &m{n} {{<<: [*m{n - 1}, *m{n - 1}], k{n}: 1}}\n" for n in range(1, 60))


def reading(text: str | bytes, path: str = "some.yaml") -> Reading:
    return read(Source(path, "yaml", text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")))[0]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("[" * 5000, {"too-deep"}),
        ("\n".join(" " * n + "a:" for n in range(3000)), {"too-deep"}),
        ("- " * 5000 + "a", {"too-deep"}),
        (BOMB + DEPLOYMENT + "    x: *a29\n", {"", "too-large"}),
        (BOMB + "services:\n" + "".join(f"  s{n}: {{image: flink, environment: *a29}}\n" for n in range(300)), {"", "too-large"}),
        (BOMB + "config:\n  state.backend: x\n  deep: *a29\n", {"", "too-large"}),
        (MERGES + DEPLOYMENT + "    <<: *m59\n", {""}),
        ("a: &a {state.backend: x, b: *a, c: *a}\n", {""}),
        (DEPLOYMENT + "    state.backend: *nowhere\n", {"unparsable"}),
        (DEPLOYMENT + "\tstate.backend: x\n", {"unparsable"}),
        (DEPLOYMENT + "    state.backend: \x00x\n", {""}),
        (DEPLOYMENT.encode() + b"    state.backend: \xff\xfe\n", {"unreadable"}),
        ("\ufeff" + DEPLOYMENT + "    a.b: c\n---\n[\n---\n" + DEPLOYMENT + "    d.e: f\n", {"unparsable"}),
        ("a: " + "x" * 1_000_000, {""}),
        ("? [a, b]\n: c\n? {state.backend: x}\n: d\n", {""}),
        ("services:\n  a: &a\n    image: flink\n    environment: *a\n", {""}),
        ("CREATE TABLE " * 20_000, {""}),
        ("sql: " + "CREATE TABLE t " * 20_000, {""}),
    ],
    ids=range(18),
)
def test_hostile_texts(text: str | bytes, kinds: set[str]) -> None:
    began = time.monotonic()
    out = reading(text)
    assert {problem.kind for problem in out.problems} <= kinds
    assert "" in kinds or out.problems
    assert len(out.facts) <= MAX_NODES
    assert time.monotonic() - began < 20  # a bound, no measure: without it, these take for ever


def test_the_other_documents_survive_a_broken_one() -> None:
    out = reading(DEPLOYMENT + "    a.b: c\n---\n[\n---\n" + DEPLOYMENT + "    d.e: f\n")
    assert {"a.b", "d.e"} <= {fact.key for fact in out.facts if isinstance(fact, Setting)}


def test_every_unquoted_url_inside_brackets_reads() -> None:
    roots, errors = compose("%YAML 1.2\n---\na: [s3://x/y, 'b:c', {d: e:f, \"g\":1}, !t:u v]\n")
    assert not errors
    assert [scalar(node) for node in roots[0].value[0][1].value][:2] == ["s3://x/y", "b:c"]


WORDS = st.sampled_from(
    [
        "apiVersion: flink.apache.org/v1beta1\n", "apiVersion: v1\n", "kind: FlinkDeployment\n", "kind: ConfigMap\n", "kind: Deployment\n", "kind: SparkApplication\n",
        "spec:\n", "data:\n", "metadata: {name: x}\n", "services:\n", "resources:\n", "jobs:\n", "tasks:\n", "execution:\n", "patches:\n",
        "  ", "    ", "      ", "- ", "\t", "\r\n", "\n", "---\n", "flinkConfiguration:\n", "flinkConfiguration: |\n", "flink-conf.yaml: |\n", "config.yaml: >-\n",
        "environment:\n", "- |\n", "FLINK_PROPERTIES=\n", "FLINK_PROPERTIES: |2\n", "state.backend: rocksdb\n", "state.backend:rocksdb\n", "state: {backend: 'a b'}\n",
        "image: flink:1.18\n", "<<: *a\n", "&a ", "*a", "!t ", "'", '"', "\\", "# c\n", "{{ x }}", "{{- if x }}\n", "${A:-b}", "$$", "é\ue000", "\u2028", "\U0001f600", "[", "]", "{", "}", ",",
        "spark.a: b\n", "bootstrap.servers: [a, b]\n", "template:\n", "containers:\n", "args: [-Da=b, '-py', x.py]\n", "sql: \"SET 'a' = 'b';\\n\"\n", "volumes: [a:/b, ./c:/d]\n",
    ]
)  # fmt: skip


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example("state.backend: rocksdb\ntemplate:\n- ")  # a list's span is the whole list, whichever way it is written
@given(st.lists(WORDS, max_size=25).map("".join))
def test_no_text_makes_a_reader_raise(text: str) -> None:
    out = reading(text, "docker-compose.yml")
    assert not [problem for problem in out.problems if problem.kind not in ("unparsable", "too-deep", "too-large")]
    for fact in out.facts:
        if isinstance(fact, Setting):
            assert 0 <= fact.key_span.start <= fact.key_span.end <= len(out.raw)
            assert 0 <= fact.value_span.start <= fact.value_span.end <= len(out.raw)
            shown = out.raw[fact.value_span.start : fact.value_span.end]
            if fact.known and fact.sure == "sure" and not shown.startswith(("[", "- ")) and not set(shown) & set("\n\r\\'\"\u2028"):
                assert shown in ("", fact.value)


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=st.sampled_from(list("ab: #'\"\\\n\r\t|>-&*!{}[],?%é\U0001f600")), max_size=60))
def test_every_character_of_a_scalar_is_found_where_it_stands(text: str) -> None:
    roots, _ = compose(text)
    for _path, item in walk(roots):
        for node in (item.key_node, item.value):
            value = scalar(node)
            if value is None or "\\" in text:
                continue
            inner = text_of(node, text)  # type: ignore[arg-type]
            for index, char in enumerate(value):
                at = inner.at(index)
                assert char in " \n" or text[at] == char, (value, index, at)


def test_an_anchor_may_be_given_anew() -> None:
    text = "services:\n" + "".join(
        f"  m{n}:\n    image: &image flink:1.20\n    command: jobmanager\n    environment:\n      FLINK_PROPERTIES: 'rest.port: {n}'\n"
        for n in range(3)
    )
    out = reading(text, "docker-compose.yml")
    assert out.problems == []
    assert [fact.text for fact in out.facts if isinstance(fact, Setting) and fact.key == "rest.port"] == ["0", "1", "2"]
    assert all(text[fact.value_span.start : fact.value_span.end] == fact.text for fact in out.facts if isinstance(fact, Setting))
    many = reading("jobmanager: 1\n" + "".join(f"a{n}: &again {n}\n" for n in range(500)))
    assert [problem.kind for problem in many.problems] == ["unparsable"]
