"""The pool and what crosses it."""

from __future__ import annotations

import faulthandler
import json
import marshal
import os
import select
import signal
import subprocess
import sys
import time
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import pool
from shoal.facts import Block, Dependency, Entry, Fact, Mount, Oddity, Setting, Statement, Unknown, Usage
from shoal.model import Edit, FileResult, Finding, Fix, LeftOut, Place, Problem, Span
from shoal.suppress import Suppression
from shoal.wire import _TAGS, pack, unpack

PLACE = Place("a.yaml", Span(1, 5), "related", "the other side")
EDIT = Edit("a.yaml", Span(1, 5), "x")
RESULT = FileResult(
    "a.yaml",
    (Finding("rule", "message \udcff", (PLACE,), "error", "high", (Fix("do it", "safe", (EDIT,)),), fingerprint="anchor"),),
    (
        Block("a#0", "flink", "table", "sql", "t", PLACE, "a#1", (("connector", "kafka"),), True),
        Setting("a#0", "flink", "key", "value", "a.yaml", Span(1, 2), Span(3, 4), "default", "comment"),
        Setting("a#0", "flink", "key", Unknown("{{ x }}"), "a.yaml", Span(1, 2), Span(3, 4)),
        Dependency("pypi", "apache-flink", "1.18", PLACE, False, "a#0"),
        Entry("python", "job.py", ("--a", "b"), PLACE, "a#0"),
        Mount("/data", "pvc", "claim", PLACE, "a#0"),
        Oddity("line-dropped", "a#0", "subject", "detail", PLACE, (PLACE, PLACE), (EDIT,)),
        Statement("insert", "t", ("a", "b"), ("group-by",), PLACE, "a#0", "main"),
        Usage("import", ".a:b", PLACE, "a#0"),
        Suppression("a.yaml", Span(1, 2), Span(0, 9), ("rule",), "reason"),
    ),
    (Problem("a.yaml", "unparsable", "message", 3, "help"),),
    (LeftOut("a.yaml", "generated", "detail"),),
)


def test_results_come_out_as_they_went_in() -> None:
    packed = pack(RESULT)
    assert unpack("a.yaml", marshal.loads(marshal.dumps(packed))) == RESULT
    assert unpack("a.yaml", json.loads(json.dumps(packed))) == RESULT
    types = {type(part) for part in unpack("a.yaml", packed).facts} | {type(RESULT.findings[0].places[0].span)}
    assert types == {type(part) for part in RESULT.facts} | {Span}


def test_every_kind_of_fact_crosses() -> None:
    assert set(_TAGS) == {*get_args(Fact), Suppression}
    assert {type(fact) for fact in RESULT.facts} == set(_TAGS)


def test_without_facts_the_suppressions_stay() -> None:
    assert [type(fact) for fact in unpack("a.yaml", pack(RESULT, facts=False)).facts] == [Suppression]


@given(st.lists(st.integers(0, 3_000_000), max_size=80), st.integers(1, 8))
def test_portions_hold_every_item_once(sizes: list[int], workers: int) -> None:
    portions = pool.chunks(sizes, workers)
    assert sorted(number for portion in portions for number in portion) == list(range(len(sizes)))
    assert all(len(portion) == 1 or sum(sizes[number] for number in portion) <= 1_000_000 for portion in portions)


def work(number: int) -> Any:
    if number == 13:
        os.kill(os.getpid(), signal.SIGKILL)
    if number == 17:
        os._exit(3)
    while number == 19:
        pass
    return [number, os.getpid()]


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_every_item_is_answered_whatever_becomes_of_its_worker(workers: int) -> None:
    answers = dict(pool.spread(work, [20_000] * 40, workers, 0.5))
    assert sorted(answers) == list(range(40))
    lost = {number: answer for number, answer in answers.items() if isinstance(answer, pool.Lost)}
    assert {number: answer.kind for number, answer in lost.items()} == {13: "worker-died", 17: "worker-died", 19: "timed-out"}
    assert "SIGKILL" in lost[13].message and "code 3" in lost[17].message
    assert all(answer[0] == number and answer[1] != os.getpid() for number, answer in answers.items() if number not in lost)


def test_no_worker_is_left_behind() -> None:
    answers = pool.spread(lambda number: [os.getpid()], [100_000] * 8, 2, 5)
    _, (process,) = next(answers)
    answers.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    descriptors = len(os.listdir("/proc/self/fd"))
    list(pool.spread(lambda number: [number], [100_000] * 8, 2, 5))
    assert len(os.listdir("/proc/self/fd")) == descriptors


def test_big_answers() -> None:
    answers = dict(pool.spread(lambda number: ["x" * 3_000_000, number], [1] * 4, 2, 30))
    assert [answers[number][1] for number in range(4)] == [0, 1, 2, 3] and len(answers[0][0]) == 3_000_000


def hang(number: int) -> Any:
    while number == 1:
        pass
    return number


def test_here_an_item_that_hangs_is_given_up() -> None:
    before = signal.getsignal(signal.SIGALRM)
    answers = dict(pool.here(hang, 3, 0.2))
    assert answers[0] == 0 and answers[2] == 2 and answers[1].kind == "timed-out"
    assert signal.getsignal(signal.SIGALRM) is before


def burn(number: int) -> Any:
    began = time.process_time()
    while time.process_time() - began < 0.4:
        pass
    return number


@pytest.mark.skipif(sys.platform != "linux", reason="no other system tells what a process has taken")
@pytest.mark.parametrize("way", ["here", "spread", "steady"])
def test_what_others_take_of_the_processor_is_no_time_of_an_item(way: str) -> None:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(3)]
    try:
        if way == "steady":
            steady = pool.Steady(burn)
            answers = dict(enumerate(steady.do([0], 0.8)))
            steady.close()
        else:
            answers = dict(pool.here(burn, 1, 0.8) if way == "here" else pool.spread(burn, [1], 1, 0.8))
    finally:
        os.sched_setaffinity(0, before)
        for other in others:
            other.kill()
            other.wait()
    assert answers == {0: 0}


def test_what_sleeps_is_given_up() -> None:
    (answer,) = dict(pool.spread(lambda number: select.select([], [], []), [1], 1, 0.2)).values()
    assert answer.kind == "timed-out"


def test_a_steady_worker_answers_in_order_and_loses_only_what_kills_or_stops_it() -> None:
    def work(item: Any) -> Any:
        if item == "die":
            faulthandler.disable()  # what pytest prints of it would look like a crash of the suite
            os.kill(os.getpid(), signal.SIGSEGV)
        while item == "hang":
            pass
        return [item, b"\0"]

    portions = [["a", "b"], ["c", "die", "d"], [], ["hang"], ["e"]]
    steady = pool.Steady(work)
    done = [steady.do(items, 1.0) for items in portions]
    steady.close()
    assert [len(answers) for answers in done] == [2, 3, 0, 1, 1]
    assert [answer[0] for answers in done for answer in answers if not isinstance(answer, pool.Lost)] == ["a", "b", "c", "d", "e"]
    died, hung = (answer for answers in done for answer in answers if isinstance(answer, pool.Lost))
    assert died.kind == "worker-died" and "SIGSEGV" in died.message
    assert hung.kind == "timed-out"
