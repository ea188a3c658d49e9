"""Where code runs follows from how it is used."""

from __future__ import annotations

import pytest

from tests.python.reading import module

BEAM = "import apache_beam as beam\n"
FLINK = (
    "from pyflink.datastream import StreamExecutionEnvironment\nfrom pyflink.datastream.functions import *\n"
    "env = StreamExecutionEnvironment.get_execution_environment()\nstream = env.from_collection([1])\n"
)
TABLE = "from pyflink.table.udf import udf, ScalarFunction, TableFunction\n"
SPARK = "from pyspark.sql import SparkSession\nfrom pyspark.sql.functions import udf, pandas_udf\nspark = SparkSession.builder.getOrCreate()\nframe = spark.readStream.load()\n"

PLACES = [
    (FLINK + "def f(x):\n    probe()\nstream.map(f)", {"operator"}),
    (FLINK + "stream.map(lambda x: probe())", {"operator"}),
    (FLINK + "class F(MapFunction):\n    def map(self, x):\n        probe()\n", {"operator"}),
    (
        FLINK + "class Base(KeyedProcessFunction):\n    pass\nclass F(Base):\n    def process_element(self, x, ctx):\n        probe()\n",
        {"operator"},
    ),
    (FLINK + "class F(KeyedProcessFunction):\n    def on_timer(self, t, ctx):\n        probe()\n", {"timer"}),
    (FLINK + "class F(MapFunction):\n    def open(self, c):\n        probe()\n", {"open"}),
    (FLINK + "class F(MapFunction):\n    def map(self, x):\n        self.g()\n    def g(self):\n        probe()\n", {"operator"}),
    (FLINK + "def g():\n    probe()\ndef h():\n    g()\nclass F(MapFunction):\n    def map(self, x):\n        h()\n", {"operator"}),
    (
        "from pyflink.datastream import AsyncFunction\nclass F(AsyncFunction):\n    async def async_invoke(self, x):\n        await self.g()\n    async def g(self):\n        probe()\n",
        {"async"},
    ),
    (TABLE + "class F(ScalarFunction):\n    def eval(self, x):\n        probe()\n", {"operator"}),
    (TABLE + "@udf(result_type='BIGINT')\ndef f(x):\n    probe()\n", {"udf"}),
    (TABLE + "def f(x):\n    probe()\ng = udf(f, result_type='BIGINT')", {"udf"}),
    (SPARK + "@udf('int')\ndef f(x):\n    probe()\n", {"udf"}),
    (SPARK + "@pandas_udf('int')\ndef f(x):\n    probe()\n", {"udf"}),
    (SPARK + "def f(batch, batch_id):\n    probe()\nframe.writeStream.foreachBatch(f).start()", {"foreach-batch"}),
    (SPARK + "class W:\n    def process(self, row):\n        probe()\nframe.writeStream.foreach(W()).start()", {"foreach"}),
    (SPARK + "def f(rows):\n    probe()\nframe.rdd.foreachPartition(f)", set()),
    (BEAM + "class F(beam.DoFn):\n    def process(self, x):\n        probe()\n", {"dofn"}),
    (BEAM + "class F(beam.DoFn):\n    def setup(self):\n        probe()\n", {"open"}),
    (BEAM + "class F(beam.DoFn):\n    def teardown(self):\n        probe()\n", {"close"}),
    (BEAM + "def f(x):\n    probe()\np | beam.Map(f)", {"dofn"}),
    # code of the driver, and of threads that run beside the operator
    (FLINK + "def main():\n    probe()\nmain()", set()),
    (
        FLINK
        + "import threading\nclass F(MapFunction):\n    def open(self, c):\n        threading.Thread(target=self.run).start()\n    def run(self):\n        probe()\n    def map(self, x):\n        return x\n",
        set(),
    ),
    ("class MapFunction:\n    pass\nclass F(MapFunction):\n    def map(self, x):\n        probe()\n", set()),
    ("class F:\n    def process_element(self, x, ctx):\n        probe()\n", set()),
    (SPARK + "def f(x):\n    probe()\nlist(map(f, [1]))", set()),
]


@pytest.mark.parametrize(("text", "kinds"), PLACES)
def test_where_code_runs(text: str, kinds: set[str]) -> None:
    made = module(text)
    (call,) = made.named("probe")
    assert made.contexts.kinds(call.function) == kinds


def test_a_context_tells_the_way() -> None:
    made = module(FLINK + "def g():\n    probe()\nclass F(MapFunction):\n    def map(self, x):\n        g()\n")
    (context,) = made.contexts.of(made.named("probe")[0].function)
    assert context.told() == "on the operator's thread (called from F.map)"
