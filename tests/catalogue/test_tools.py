"""The commands that show what changed and compare with another list."""

from collections import defaultdict
from pathlib import Path

import pytest

import shoal.catalogue
from shoal.catalogue import load
from tools.catalogue import beam, flink_operator, librdkafka, pyflink
from tools.catalogue.__main__ import differences, main


@pytest.mark.parametrize(
    ("older", "newer", "line"),
    [
        ("1.19", "1.20", "> state.checkpoints.dir\texecution.checkpointing.dir"),
        ("1.19", "1.20", "+ execution.checkpointing.dir\tstring\t"),
        ("1.19", "1.20", "~ heartbeat.timeout\ttype: long -> duration"),
        ("1.19", "1.20", "~ heartbeat.timeout\tdefault: 50000 -> 50 s"),
        ("1.20", "2.0", "- jobmanager.heap.size"),
        ("1.20", "2.0", "- recovery.job.delay"),
        ("1.18", "1.19", "~ restart-strategy.exponential-delay.max-backoff\tdefault: 5 min -> 1 min"),
    ],
)
def test_diff(older, newer, line):
    assert line in differences("flink", older, newer)


def test_nothing_changes_within_a_version():
    assert differences("flink", "1.20", "1.20") == []


def test_compare(tmp_path, capsys):
    listed = tmp_path / "list.tsv"
    table = load("kafka-admin")
    listed.write_text("key\n" + "\n".join(table.keys("3.9")) + "\n")
    assert main(["compare", "kafka-admin", "3.9", str(listed)]) == 0
    assert capsys.readouterr().out == ""
    listed.write_text("key\nno.such.option\n")
    assert main(["compare", "kafka-admin", "3.9", str(listed)]) == 1
    assert "theirs\tno.such.option" in capsys.readouterr().out


def test_beam_options_are_read_from_source_text():
    source = """
class StandardOptions(PipelineOptions):
  @classmethod
  def _add_argparse_args(cls, parser):
    parser.add_argument("--streaming", default=False, action="store_true")
    parser.add_argument("--experiment", "--experiments", dest="experiments", action="append", default=None)
    parser.add_argument("--parallelism", type=int, default=-1)
    parser.add_argument("--mode", choices=["a", "b"], default="a")
"""
    found = beam.python_options(source)
    assert {key: (state.type, state.default, state.values) for key, state in found.items()} == {
        "streaming": ("boolean", "false", ()),
        "experiment": ("list<string>", None, ()),
        "parallelism": ("int", "-1", ()),
        "mode": ("string", "a", ("a", "b")),
    }
    assert found["experiment"].aliases == (("experiments", False),)


def test_librdkafka_table():
    text = """
Property                  | C/P | Range           |       Default | Importance | Description
--------------------------|-----|-----------------|--------------:|------------|-------------
metadata.broker.list      |  *  |                 |               | high       | Initial list.<br>*Type: string*
bootstrap.servers         |  *  |                 |               | high       | Alias for `metadata.broker.list`: Initial list.<br>*Type: string*
linger.ms                 |  P  | 0 .. 900000     |             5 | high       | Alias for `queue.buffering.max.ms`.<br>*Type: float*
auto.offset.reset         |  C  | earliest, latest | latest | high | Action.<br>*Type: enum value*
"""
    found = librdkafka.parse(text)
    assert found["metadata.broker.list"].aliases == (("bootstrap.servers", False),)
    assert (found["auto.offset.reset"].type, found["auto.offset.reset"].values) == ("enum", ("earliest", "latest"))
    assert found["auto.offset.reset"].scope == "consumer"


def test_the_operators_table_is_rebuilt_from_itself_where_no_jar_is_to_be_had(tmp_path, monkeypatch):
    monkeypatch.setattr("tools.catalogue.pins.FLINK_OPERATOR_JARS", {})
    stored = Path(shoal.catalogue.__file__).parent / "data" / "flink-operator.tsv"
    assert flink_operator.build(tmp_path)["flink-operator"] == stored.read_text(encoding="utf-8")


def test_angle_brackets_in_a_reference_table_are_text():
    assert flink_operator.shown("<code>&lt;host&gt;.k8soperator</code> ") == "<host>.k8soperator"


def test_names_that_pyflink_has(tmp_path):
    sources = {
        "pyflink/common/__init__.py": "from pyflink.common.time import *\n",
        "pyflink/common/time.py": "class Base:\n    def of(self):\n        self.millis = 0\n\n\nclass Time(Base):\n    DAY = 1\n",
        "pyflink/table/schema.py": "class Schema:\n    class Base:\n        def build(self):\n            pass\n\n    class Builder(Base):\n        def column(self):\n            pass\n",
        "pyflink/testing/cases.py": "CASE = 1\n",
        "pemja/other.py": "OTHER = 1\n",
    }
    for name, text in sources.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    modules, classes = defaultdict(set), defaultdict(set)
    pyflink.read(sorted(tmp_path.rglob("*.py")), modules, classes)
    assert modules == {
        "pyflink.common": {"Base", "Time", "time"},
        "pyflink.common.time": {"Base", "Time"},
        "pyflink.table.schema": {"Schema"},
    }
    assert classes == {"Time": {"DAY", "millis", "of"}, "Schema.Builder": {"build", "column"}}


def test_names_of_pyflink_are_stored_by_module_and_class():
    names = shoal.catalogue.pyflink()
    assert "KafkaSource" in names["pyflink.datastream.connectors.kafka"]
    assert {"of_seconds", "of_minutes"} <= names[":Duration"]
    assert "pyflink" not in shoal.catalogue.engines()
