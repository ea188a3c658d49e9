"""Which commands of a script may follow one another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reader_facts import assert_sound, reading

from shoal.facts import Oddity

END, RUN = 'flink cancel "$ID"', "flink run -d orders.jar"


def found(text: str, kind: str = "shell", path: str = "run.sh") -> bool:
    out = reading(text, kind, path)
    assert_sound(out)
    return any(isinstance(fact, Oddity) and fact.kind == "redeploy-without-state" for fact in out.facts)


@pytest.mark.parametrize(
    "text",
    [
        f"{END}\n{RUN}\n",
        f'if [ -n "$ID" ]; then {END}; fi; {RUN}\n',
        f'if [ -z "$ID" ]; then\n  echo none\nelse\n  {END}\nfi\n{RUN}\n',
        f"{END} || exit 1\n{RUN}\n",
        f'if [ -n "$ID" ]; then\n  {END}\n  if [ $? -ne 0 ]; then\n    exit 1\n  fi\nfi\n{RUN}\n',
        f"curl -d '{{\n  \"if\": {{ }}\n}}' host  # it's }}\n{END}\n{RUN}\n",
        f"cat <<EOF\nif fi }} esac\nEOF\n{END}\n{RUN}\n",
        f"redeploy() {{\n  {END}\n  {RUN}\n}}\n",
        f'case "$1" in\n  (re*)\n    {END}\n    {RUN} ;;\nesac\n',
        f"for id in $(ids); do\n  {END} && \\\n    echo gone\ndone\n{RUN}\n",
        f"sh -c 'flink cancel 1'\nsh -c \"{RUN}\"\n",
    ],
)
def test_a_run_follows(text: str) -> None:
    assert found(text)


@pytest.mark.parametrize(
    "text",
    [
        f"{RUN}\n{END}\n",
        f'if [ "$1" = stop ]; then\n  {END}\nelse\n  {RUN}\nfi\n',
        f'if [ "$1" = stop ]; then\n  {END}\n  exit 0\nfi\n{RUN}\n',
        f'if true; then\n  if [ "$1" = stop ]; then\n    {END}\n  fi\n  exit\nfi\n{RUN}\n',
        f"function stop {{\n  {END}\n}}\n{RUN}\n",
        f"{END}\nstart() {{\n  {RUN}\n}}\n",
        f'case "$1" in\n  stop) {END} ;;\n  start) {RUN} ;;\nesac\n',
        f'case "$1" in\n  stop) {END} ;;\nesac\n{RUN}\n',
        f"{END}\n{RUN}\nfi\n",  # not understood
        f"{END}\nflink run $OPTS orders.jar\n",
        f"{END}\nflink run -s $PATH orders.jar\n",
        f"{END}\nflink run --help\n",
        f"flink cancel $CANCEL_OPTS 1\n{RUN}\n",
    ],
)
def test_a_run_may_not_follow(text: str) -> None:
    assert not found(text)


def test_targets_of_a_makefile_stand_alone() -> None:
    assert found(f"again:\n\t{END}\n\t{RUN}\n", "makefile", "Makefile")
    assert not found(f"stop:\n\t{END}\n\nstart: build\n\t{RUN}\n", "makefile", "Makefile")


@given(
    st.lists(
        st.sampled_from(
            [END, RUN, "if x; then", "else", "fi", "f() {", "}", "case x in", "a)", ";;", "esac", "exit", "'", '"', "\\", "<<E", "E", "# '"]
        )
    )
)
def test_nothing_makes_it_fail(lines: list[str]) -> None:
    found("\n".join([*lines, END, RUN]))


def test_deep_nesting_is_given_up() -> None:
    assert not found("if x; then\n" * 20_000 + f"{END}\n{RUN}\n" + "fi\n" * 20_000)
