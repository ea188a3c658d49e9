"""Whatever stands in a file, reading it ends with facts or a problem."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import hypothesmith
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as trying

from shoal import rulebook_build
from shoal.core import check_source, conclude
from shoal.facts import Usage
from shoal.model import Source, Told
from shoal.python.frames_elsewhere import TOLD_TYPES
from shoal.rulebook import built_in_folder, from_json
from shoal.settings import Settings
from tests.python.reading import reading, settings, shown

JOB = '''
import asyncio, json, os, time
from dataclasses import dataclass
import apache_beam as beam
from confluent_kafka import Consumer, Producer
from kafka import KafkaConsumer, KafkaProducer
from pyflink.common import Duration, RestartStrategies, WatermarkStrategy
from pyflink.datastream import AsyncDataStream, AsyncFunction, StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import DeliveryGuarantee, KafkaOffsetsInitializer, KafkaSink, KafkaSource
from pyflink.datastream.functions import KeyedProcessFunction
from pyspark.sql import SparkSession, functions as F

@dataclass(frozen=True)
class Conf:
    interval: int = int(os.getenv("I", "5"))

class Count(KeyedProcessFunction):
    def open(self, runtime_context):
        self.seen = {}
    def process_element(self, value, ctx):
        self.seen[value] = self.seen.get(value, 0) + 1
        while True:
            try:
                time.sleep(1); yield json.loads(value)
            except Exception:
                pass
    def on_timer(self, timestamp, ctx):
        for at in self.timers:
            ctx.timer_service().delete_event_time_timer(at)

class Look(AsyncFunction):
    async def async_invoke(self, value):
        if not value:
            return
        return [await self.client.get(value)]

def main(conf: Conf = Conf()):
    env = StreamExecutionEnvironment.get_execution_environment()
    env.enable_checkpointing(conf.interval * 1000)  # five
    env.set_restart_strategy(RestartStrategies.fixed_delay_restart(2147483647, 1))
    source = KafkaSource.builder().set_bootstrap_servers("a:1").set_starting_offsets(KafkaOffsetsInitializer.latest()).build()
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "s").key_by(lambda x: x).process(Count())
    AsyncDataStream.unordered_wait(stream, Look(), Duration.of_seconds(0), 10)
    sql = f"""CREATE TABLE t (a INT) WITH ('connector' = 'kafka', 'topic' = '{conf.interval}')"""
    spark = SparkSession.builder.config("a", 1).getOrCreate()
    df = spark.readStream.format("kafka").load()
    df.groupBy(F.window("t", "1 minute")).count().writeStream.foreachBatch(lambda b, i: b.show()).start()
    Producer({**{"acks": "1"}}).produce("t", b"x")
    with beam.Pipeline() as p:
        p | beam.Map(lambda x: time.sleep(x))

async def run():
    asyncio.create_task(run())
    match await run():
        case {"a": [1, *rest]} if rest: pass

if __name__ == "__main__":
    main()
'''


@pytest.fixture(scope="module")
def rules() -> object:
    return from_json(rulebook_build.build(built_in_folder()), built_in_folder())


def problems(text: str, rules: object) -> list[str]:
    source = Source("job.py", "python", text.encode("utf-8", "surrogatepass"))
    result = check_source(source, rules, Settings())  # type: ignore[arg-type]
    _, found = conclude([result], rules, Settings(), {"job.py": text})  # type: ignore[arg-type]
    return [problem.kind for problem in found]


def test_the_whole_job_is_read(rules: object) -> None:
    assert problems(JOB, rules) == []


@pytest.mark.parametrize("seed", range(40))
def test_truncated_and_garbled_jobs(seed: int, rules: object) -> None:
    """Cut off anywhere, lines dropped, doubled or mixed up: no rule and no reader fails."""
    chance = random.Random(seed)
    lines = JOB.splitlines(keepends=True)
    head, body = lines[:12], lines[12:]
    if seed % 3 == 0:
        text = "".join(lines)[: chance.randrange(900, len(JOB))]
    elif seed % 3 == 1:
        text = "".join(head + [line for line in body if chance.random() > 0.15])
    else:
        text = "".join(
            head
            + [
                line.replace(*chance.choice([("(", "(("), ("self.", ""), ("'", '"'), ("=", "=="), (".", "..")]))
                if chance.random() < 0.05
                else line
                for line in body
            ]
        )
    assert set(problems(text, rules)) <= {"unparsable", "too-deep"}


@pytest.mark.parametrize("seed", range(25))
def test_statements_left_out(seed: int, rules: object) -> None:
    """Valid code with statements taken out, so that names and methods dangle."""
    import ast

    chance = random.Random(seed)
    tree = ast.parse(JOB)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and len(body) > 1:
            kept = [child for child in body if isinstance(child, (ast.Import, ast.ImportFrom)) or chance.random() > 0.2]
            node.body = kept or [ast.Pass()]  # type: ignore[attr-defined]
    assert problems(ast.unparse(tree), rules) == []


def test_one_broken_cell_of_a_databricks_source_does_not_hide_the_others() -> None:
    text = (
        "# Databricks notebook source\nfrom kafka import KafkaProducer\n# COMMAND ----------\nsmartphone 20  # ä😀\n  10:00\n"
        "# COMMAND ----------\nKafkaProducer(bootstrap_servers='broker:9092', acks=0)\n"
    )
    out = reading(text)
    assert [(problem.kind, problem.line) for problem in out.problems] == [("unparsable", 4)]
    assert settings(out) == {"bootstrap.servers": "broker:9092", "acks": "0"}
    assert shown(out, "acks") == "0"


def test_magics_of_a_databricks_source_that_are_no_comments() -> None:
    text = (
        "# Databricks notebook source\n%pip install -q kafka-python\npip install -U requests\n# COMMAND ----------\nfrom kafka import KafkaProducer\nfiles = !ls /dbfs\n"
        "KafkaProducer(bootstrap_servers='broker:9092', acks=0)\n"
    )
    out = reading(text)
    assert out.problems == [] and shown(out, "acks") == "0"
    broken = reading(text + "# COMMAND ----------\nsmartphone 20\n")
    assert [(problem.kind, problem.line) for problem in broken.problems] == [("unparsable", 9)]
    assert settings(broken)["acks"] == "0"


def test_a_databricks_source_without_a_whole_cell() -> None:
    out = reading("# Databricks notebook source\nfrom kafka import\n# COMMAND ----------\nKafkaProducer(\n")
    assert len(out.problems) == 1 and out.facts == []


EXAMPLES = [
    block
    for page in sorted((Path(__file__).parents[2] / "rules").rglob("rule.md"))
    for block in re.findall(r"(?ms)^```python (?:bad|good|fixed)[^\n]*\n(.*?)^```", page.read_text(encoding="utf-8"))
]
ODD = (
    "0",
    "-1",
    "1e400",
    "None",
    "''",
    "f'{x}'",
    "[]",
    "{**x}",
    "10**9",
    "b'x'",
    "*x",
    "lambda: x",
    "x if y else z",
    r"'\ud800'",
    "(yield)",
)


@pytest.mark.parametrize("seed", range(60))
def test_examples_cut_mixed_and_garbled(seed: int, rules: object) -> None:
    """Real code of every rule: cut off, with pieces of other examples, with names and values swapped. Then again with what others might say."""
    chance = random.Random(seed)
    for _ in range(4):
        text = chance.choice(EXAMPLES)
        names = re.findall(r"[A-Za-z_]\w*", text)
        how = chance.randrange(4)
        if how == 0:
            text = text[: chance.randrange(len(text))]
        elif how == 1:
            lines = text.splitlines(keepends=True)
            at = chance.randrange(len(lines))
            text = "".join(lines[:at]) + chance.choice(EXAMPLES) + "".join(lines[at:])
        elif how == 2:
            text = re.sub(rf"\b{chance.choice(names)}\b", chance.choice(names), text)
        else:
            text = re.sub(r"\b\d+\b|'[^'\n]*'|\"[^\"\n]*\"", lambda m: chance.choice(ODD) if chance.random() < 0.2 else m.group(), text)
        source = Source("job.py", "python", text.encode())
        result = check_source(source, rules, Settings())  # type: ignore[arg-type]
        value = chance.choice(
            (
                '[["k",5,"sure"],["x.py",0,1]]',
                '[["d",[["a",null,["x.py",0,1]],["acks",["k","0","sure"],["x.py",2,3]]],false],null]',
                '[["l","list",[null],true],null]',
                '[["b",["x.Y"],{"store":"passed to foreachBatch in x.py"}],null]',
                '[["lost",["x.py",0,1]],null]',
                '[["q","s3://a/b",1,["x.py",0,1]],null]',
                '[["h",[[0,"a","save"]],null],null]',
                '[["w","confluent.Producer",["connect"]],null]',
                '[["h",[[0,"a","save"]],[["dropDuplicates",[["parameter",[0,"a"],null]],["x.py",0,1]]]],null]',
                '[["frames",[["groupBy",[["readStream",[],["x.py",0,4]]],["x.py",5,9]]]],null]',
                '[["f",0,["k",5,"sure"]],null]',
                '[["f",1,["k","CREATE TABLE a (b INT) WITH (\'connector\' = \'kafka\')","sure"]],["x.py",0,56]]',
            )
        )
        asked = {fact.detail for fact in result.facts if isinstance(fact, Usage) and fact.kind == "asks"}
        kind = chance.choice(["operator", "async", "foreach-batch", "coroutine"])
        origin = '["c.py", 0, 1]' if kind == "coroutine" else "A.b in c.py"
        run = json.dumps([chance.choice(names), kind, "flink", origin, "x", False, True])
        wanted = tuple(sorted({chance.choice(names) for _ in range(5)}))
        stream = json.dumps(
            [
                chance.choice(names),
                [
                    [0, "", [["distinct", [["readStream", [], None]], ["x.py", 0, 4]]], None, "", None],
                    [1, "b", None, "append", chance.choice(["", *sorted(TOLD_TYPES)]), ["x.py", 5, 11]],
                ],
            ]
        )
        told = Told(tuple((name, value) for name in sorted(asked)), (run,), wanted, (stream,))
        for found in (result, check_source(source, rules, Settings(), told)):  # type: ignore[arg-type]
            _, wrong = conclude([found], rules, Settings(), {"job.py": text})  # type: ignore[arg-type]
            assert {problem.kind for problem in wrong} <= {"unparsable", "too-deep"}, text


@pytest.mark.slow
@trying(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(text=hypothesmith.from_grammar())
def test_generated_code(text: str, rules: object) -> None:
    """What Python's grammar allows and nobody writes, after imports of all the libraries."""
    head = "".join(JOB.splitlines(keepends=True)[1:12])
    assert set(problems(head + text, rules)) <= {"unparsable", "too-deep", "too-large"}


@pytest.mark.parametrize("length", ["Duration.of_seconds(1e400)", "Duration.of_days(1e308)", "timedelta(seconds=1e400) * 2"])
def test_a_length_of_time_without_end_is_unknown(length: str) -> None:
    text = f"""
from datetime import timedelta
from pyflink.common import Duration
from pyflink.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.get_checkpoint_config().set_alignment_timeout({length})
"""
    assert set(settings(reading(text)).values()) == {"?"}


@pytest.mark.parametrize("timeout", ["1e400", "float('inf')"])
def test_an_async_operator_that_is_to_wait_for_ever(timeout: str, rules: object) -> None:
    text = f"from pyflink.datastream import AsyncDataStream\n\nfound = AsyncDataStream.unordered_wait(orders, Lookup(), {timeout}, 100)\n"
    assert problems(text, rules) == []


def test_half_a_character_is_no_text(rules: object) -> None:
    text = "from confluent_kafka import Producer\nProducer({'bootstrap.servers': 'a:1', '\\ud800acks': '0', 'client.id': f'x\\udfff', 'acks': 'a\\ud83d'})\n"
    assert problems(text, rules) == []


def test_lines_that_begin_with_tabs_or_with_spaces() -> None:
    """CPython goes by how far a line is indented: a tab is as good as the spaces above it."""
    text = (
        "from pyspark.streaming import StreamingContext\n"
        "from pyspark.streaming.kafka import KafkaUtils\n\n"
        "def store(rdd):\n"
        "    if rdd.isEmpty():\n"
        "\t       print('nothing')\n"
        "    else:\n"
        "        rdd.saveAsTextFile('s3a://lake/orders')\n\n"
        "ssc = StreamingContext(sc, 60)\n"
        "KafkaUtils.createDirectStream(ssc, ['orders'], {}).foreachRDD(store)\n"
    )
    out = reading(text)
    assert not out.problems and out.module is not None
    assert [out.module.raw[slice(*out.module.call_place(call).span)] for call in out.module.named("saveAsTextFile")] == ["saveAsTextFile"]


def test_tabs_that_mean_something_else() -> None:
    """A text keeps its tabs, and what no Python takes is still a problem."""
    assert reading("import pyspark\nif True:\n    if pyspark:\n\t      text = '''\n\tb'''\n    else:\n        pass\n").problems
    assert reading("import pyspark\nif pyspark:\n    one = 1\n\ttwo = 2\n").problems
