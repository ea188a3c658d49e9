"""Where a data frame comes from, followed through the ways in which job code passes frames around."""

from __future__ import annotations

from typing import Any

import pytest

from tests.python.reading import module

SESSION = "from pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()"
READ = 'spark.readStream.format("kafka").load()'


def model(text: str) -> Any:
    return module(text, SESSION)


def ways(found: Any, marker: str = "probe") -> list[list[str]]:
    """The steps of each frame that the one call of the marker is made on, newest first."""
    (call,) = found.named(marker)
    return sorted([at.op for at in frame.line()] for frame in found.frames.receivers(call))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{READ}.filter('x').probe()", [["filter", "readStream"]]),
        (f"a = {READ}\nb = a.select('x')\nb.probe()", [["select", "readStream"]]),
        ("spark.read.parquet('x').probe()", [["read"]]),
        ("spark.createDataFrame([]).probe()", [["read"]]),
        ("spark.sql('SELECT 1').probe()", [["?"]]),
        ("from elsewhere import frame\nframe.drop('x').probe()", [["drop", "?"]]),
        (f"a = {READ} if late else spark.read.json('x')\na.probe()", [["read"], ["readStream"]]),
    ],
)
def test_chains(text: str, expected: list[list[str]]) -> None:
    assert ways(model(text)) == expected


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("spark.sql('SELECT a, cast(b AS int) FROM Events WHERE a IS NOT NULL')", [["sql", "filter", "readStream"]]),
        ("spark.sql('select * from events')", [["sql", "filter", "readStream"]]),
        ("spark.table('events')", [["table", "filter", "readStream"]]),
        ("spark.sql('SELECT a, count(*) FROM events GROUP BY a')", [["GROUP BY", "filter", "readStream"]]),
        ("spark.sql('SELECT a, count(*) FROM (SELECT a FROM events) GROUP BY a')", [["?"]]),
        ("spark.sql('SELECT max(a) FROM events')", [["?"]]),
        ("spark.sql('SELECT e.a FROM events e JOIN users u ON e.id = u.id')", [["?"]]),
        ("spark.sql('SELECT a FROM users')", [["?"]]),
        ("spark.sql(statement)", [["?"]]),
    ],
)
def test_temporary_views(asked: str, expected: list[list[str]]) -> None:
    assert ways(model(f"{READ}.filter('x').createOrReplaceTempView('events')\n{asked}.probe()")) == expected


def test_a_view_whose_name_cannot_be_read_may_be_any() -> None:
    text = f"{READ}.createOrReplaceTempView('events')\nother.createOrReplaceTempView(name)\nspark.sql('SELECT a FROM events').probe()"
    assert ways(model(text)) == [["?"]]


def test_loop_adds_no_unknown_way() -> None:
    found = model(f"frame = {READ}\nfor name in names:\n    frame = frame.withColumn(name, f(name))\nframe.probe()")
    assert ways(found) == [["readStream"], ["withColumn", "readStream"]]


def test_branches_are_all_followed() -> None:
    found = model(f"frame = {READ}\nif late:\n    frame = frame.withWatermark('t', '1 hour')\nframe.probe()")
    assert ways(found) == [["readStream"], ["withWatermark", "readStream"]]


def test_function_called_for_two_frames_keeps_them_apart() -> None:
    found = model(
        f"""
        def clean(frame):
            return frame.dropna()

        stream = clean({READ})
        table = clean(spark.read.json("x"))
        stream.probe()
        table.other()
        """
    )
    assert ways(found) == [["dropna", "readStream"]]
    assert ways(found, "other") == [["dropna", "read"]]


def test_parameter_is_what_its_callers_pass() -> None:
    found = model(f"def clean(frame):\n    return frame.probe()\n\nclean({READ})\nclean(spark.read.json('x'))")
    assert ways(found) == [["read"], ["readStream"]]


def test_parameter_of_a_function_that_nobody_calls_is_unknown() -> None:
    assert ways(model("def clean(frame):\n    return frame.dropna().probe()")) == [["dropna", "?"]]


def test_attributes_methods_and_tuples() -> None:
    found = model(
        f"""
        class Source:
            def __init__(self):
                self.frame = {READ}

            def both(self):
                return self.frame.select("a"), self.frame.select("b").drop("c")

        one, other = Source().both()
        other.probe()
        """
    )
    assert ways(found) == [["drop", "select", "readStream"]]


@pytest.mark.parametrize(
    "call",
    ["transform(mark)", "transform(late('1 hour'))", "transform(lambda frame: mark(frame))", "transform(later, '1 hour')"],
)
def test_transform_runs_the_function(call: str) -> None:
    found = model(
        f"""
        def later(frame, delay):
            return frame.withWatermark("t", delay)

        def mark(frame):
            return later(frame, "1 hour")

        def late(delay):
            def apply(frame):
                return later(frame, delay)
            return apply

        {READ}.{call}.probe()
        """
    )
    assert ways(found) == [["withWatermark", "readStream"]]
    (call_,) = found.named("probe")
    (frame,) = found.frames.receivers(call_)
    assert [column for column, _ in found.frames.watermarks(frame)] == ["t"]


def test_join_knows_both_sides() -> None:
    found = model(f"a = {READ}.join(spark.read.json('x'), 'id')\nb = a.union(unknown)\na.probe()\nb.other()")
    (one,) = found.frames.receivers(found.named("probe")[0])
    (two,) = found.frames.receivers(found.named("other")[0])
    assert (one.streams, one.followed) == (True, True)
    assert (two.streams, two.followed) == (True, False)


def test_recursion_ends() -> None:
    found = model("def again(frame):\n    return again(frame.dropna())\n\nagain(spark.readStream.load()).probe()")
    assert all(not frame.followed or frame.streams for frame in found.frames.receivers(found.named("probe")[0]))


def test_sinks_of_a_helper_have_the_modes_of_its_calls() -> None:
    found = model(
        f"""
        def show(frame, mode="complete"):
            return frame.writeStream.outputMode(mode).format("console").start()

        show({READ})
        show({READ}.dropna(), "append")
        show({READ}.drop("x"), mode=sys.argv[1])
        """
    )
    sinks = [(sink.mode, sink.format, [frame.op for frame in sink.frames]) for sink in found.frames.sinks()]
    assert sinks == [("complete", "console", ["readStream"]), ("append", "console", ["dropna"]), ("", "console", ["drop"])]


def test_micro_batch_is_no_stream() -> None:
    found = model(f"def store(batch, number):\n    batch.select('x').probe()\n\n{READ}.writeStream.foreachBatch(store).start()")
    assert ways(found) == [["select", "foreachBatch"]]
    (frame,) = found.frames.receivers(found.named("probe")[0])
    assert not frame.streams


def test_many_ways_are_unknown() -> None:
    lines = [f"frame = {READ}"] + [f"if a{i}:\n    frame = frame.f{i}()" for i in range(40)]
    assert ways(model("\n".join([*lines, "frame.probe()"]))) == [["?"]]


def test_long_chain_is_followed_or_unknown() -> None:
    found = model(f"frame = {READ}\n" + "\n".join(f"frame = frame.f{i}()" for i in range(500)) + "\nframe.probe()")
    (way,) = ways(found)
    assert way[-1] in ("readStream", "?")


def test_session_of_a_notebook() -> None:
    found = module(f"{READ}.withWatermark('t', '1 hour').probe()", "import pyspark")
    assert ways(found) == [["withWatermark", "readStream"]]


def test_merges_of_a_micro_batch() -> None:
    found = model(
        f"""
        def store(batch, number):
            batch.filter("x").createOrReplaceTempView("fresh")
            spark.sql(f"MERGE INTO {{table}} t USING fresh s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *")
            spark.sql("SELECT * FROM fresh")
            spark.sql("MERGE INTO a USING b.fresher s ON a.id = s.id WHEN MATCHED THEN DELETE")
            target.merge(batch.alias("s"), "t.id = s.id").whenMatchedUpdateAll().execute()

        {READ}.writeStream.foreachBatch(store).start()
        """
    )
    made = found.frames.batch_calls(found.functions[0])
    assert [(one.call.name, one.kind, one.frames[0].op) for one in made] == [("sql", "merge", "filter"), ("merge", "merge", "alias")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{READ}.select(probe('a').alias('b'))", True),
        (f"{READ}.join(spark.read.json('x'), 'id').where(probe('a'))", True),
        ("spark.read.json('x').select(probe('a'))", False),
        (f"def f(frame):\n    return frame.select(probe('a'))\nf({READ})", True),
        (f"{READ}\ndef f(frame):\n    return frame.select(probe('a'))", True),
        (f"{READ}\nspark.read.json('x')\ndef f(frame):\n    return frame.select(probe('a'))", False),
        ("def f(frame):\n    return frame.select(probe('a'))", False),
        (f"def f(batch, id):\n    batch.filter(probe('a'))\n{READ}.writeStream.foreachBatch(f).start()", True),
        (f"{READ}\na = probe('a')", True),
    ],
)
def test_expressions_over_streams(text: str, expected: bool) -> None:
    found = model(text)
    (call,) = found.named("probe")
    around = found.frames.around(call.node, call.spot)
    assert found.frames.flow(found.frames.receivers(around[0]) if around else ()) is expected


def test_what_is_only_shown() -> None:
    shown = f"{READ}.writeStream.format('console').start()"
    assert model(shown).frames.demo
    assert not model(f"{shown}\n{READ}.writeStream.format('delta').start()").frames.demo
    assert not model(READ).frames.demo


@pytest.mark.parametrize(
    ("body", "looks"),
    [
        ("batch.show(5)", True),
        ("print(batch_id, batch.count())", True),
        ("batch.write.save('x')", False),
        ("store(batch)", False),
        ("pass", False),
    ],
)
def test_functions_that_only_look(body: str, looks: bool) -> None:
    from shoal.python.batch_writes import only_looks

    made = module(f"def each(batch, batch_id):\n    {body}\n\n\nframe.writeStream.foreachBatch(each).start()\n")
    assert only_looks(made, made.named("foreachBatch")[0]) is looks
