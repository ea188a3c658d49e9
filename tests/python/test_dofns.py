"""States of Beam's DoFns, and the keys before them."""

from __future__ import annotations

from typing import Any

import libcst as cst

from shoal.python import dofns
from shoal.python.tree import last_name
from tests.python.reading import module

IMPORTS = "import apache_beam as beam\nfrom apache_beam.transforms.userstate import BagStateSpec, ReadModifyWriteStateSpec, TimerSpec"
CODE = """
TOTAL = ReadModifyWriteStateSpec("total", None)


class Keep(beam.DoFn):
    SEEN = BagStateSpec("seen", None)

    def process(self, element, seen=beam.DoFn.StateParam(SEEN), total=beam.DoFn.StateParam(TOTAL)):
        seen.add(element)
        self.more(total)

    def expire(self, all=beam.DoFn.StateParam(SEEN)):
        all.clear()

    def more(self, total):
        total.write(1)


def key(ride):
    return ride.trip, ride


def run(p):
    rides = p | "read" >> beam.io.ReadFromPubSub(topic="t") | "key" >> beam.Map(key) | "keep" >> beam.ParDo(Keep())
    rides | beam.WithKeys("all") | beam.ParDo(Keep())
    rides | beam.ParDo(Keep())
"""


def _read() -> Any:
    return module(CODE, IMPORTS)


def test_cells_know_what_is_called_on_them_in_every_method() -> None:
    found = _read()
    seen = {cell.name: cell for cell in dofns.cells(found, found.classes[0], *dofns.STATES)}
    assert [call.name for call in seen["SEEN"].uses] == ["add", "clear"]
    assert not seen["SEEN"].shared
    assert seen["TOTAL"].shared


def test_keys_are_those_of_the_step_before() -> None:
    found = _read()
    keys = [cst.Module([]).code_for_node(node) for node, _ in dofns.keys(found, found.classes[0])]
    assert keys == ["ride.trip", '"all"']


def test_the_steps_before_are_found_behind_labels_and_names() -> None:
    found = _read()
    steps = dofns.pipeline(found)
    before = [
        [cst.Module([]).code_for_node(node.func) for node, _ in dofns.steps_before(found, call, steps)] for call in found.named("ParDo")
    ]
    read = "beam.io.ReadFromPubSub"
    assert before == [["beam.Map", read], ["beam.WithKeys", "beam.ParDo", "beam.Map", read], ["beam.ParDo", "beam.Map", read]]


def test_the_steps_before_follow_a_name_that_is_given_anew_and_one_of_several_outputs() -> None:
    code = """
    def run(p):
        rides = p | beam.Create([1])
        rides = rides | beam.Map(str)
        parsed = rides | "parse" >> beam.ParDo(Parse()).with_outputs("bad", main="good")
        parsed.good | beam.GroupByKey()
        good, bad = rides | beam.Partition(half, 2)
        bad | beam.Distinct()
    """
    found = module(code, IMPORTS)
    steps = dofns.pipeline(found)
    before = [
        [last_name(node.func) for node, _ in dofns.steps_before(found, call, steps)] for call in found.named("GroupByKey", "Distinct")
    ]
    assert before == [["ParDo", "Map", "Create"], ["Partition", "Map", "Create"]]


def test_a_step_is_taken_apart_into_what_makes_it_and_its_methods() -> None:
    step = cst.parse_expression('"name" >> beam.ParDo(Keep()).with_outputs("a").with_output_types(int)')
    made, methods = dofns.made(step)
    assert cst.Module([]).code_for_node(made) == "beam.ParDo(Keep())"
    assert [method.func.attr.value for method in methods] == ["with_output_types", "with_outputs"]
