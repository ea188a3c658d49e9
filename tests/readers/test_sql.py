"""Flink and Spark SQL scripts as facts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from reader_facts import assert_sliced, assert_sound, blocks, dependencies, oddities, of, reading, scraps, statements, values

from shoal import gate
from shoal.facts import Block, Oddity, Setting, Statement, Usage
from shoal.model import Source
from shoal.readers import Reading, read
from shoal.readers.sql import read_sql
from shoal.readers.sql_tokens import lex
from shoal.text import MASK, Text

KAFKA = "CREATE TABLE t (id INT) WITH ('connector' = 'kafka', 'format' = 'json');\n"


def sql(text: str) -> Reading:
    out = reading(text, "sql")
    assert_sound(out)
    return out


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SET 'execution.checkpointing.interval' = '60 s';", {"execution.checkpointing.interval": "60 s"}),
        ("set 'table.exec.state.ttl'='1 h'", {"table.exec.state.ttl": "1 h"}),
        ("SET 'pipeline.name' = 'it''s';", {"pipeline.name": "it's"}),
        ("SET 'state.checkpoints.dir' = 'C:\\'; SET 'pipeline.name' = 'x';", {"state.checkpoints.dir": "C:\\", "pipeline.name": "x"}),
        ("SET execution.runtime-mode=streaming;", {"execution.runtime-mode": "streaming"}),
        ("SET execution.runtime-mode = streaming\nSELECT 1;", {"execution.runtime-mode": "streaming"}),
        ("SET table.exec.state.ttl = 1 h;", {"table.exec.state.ttl": "1 h"}),
        ("SET `table.exec.state.ttl` = '1 h';", {"table.exec.state.ttl": "1 h"}),
        ("-- SET 'pipeline.name' = 'no';\n/* SET 'pipeline.name' = 'no'; */ SET 'pipeline.name' = 'yes'", {"pipeline.name": "yes"}),
        ("SET 'pipeline.name' = 'a--b/*c*/';", {"pipeline.name": "a--b/*c*/"}),
        ("// SET 'pipeline.name' = 'no';\nSET 'pipeline.name' = 'yes'; // 'no'", {"pipeline.name": "yes"}),
        ("ADD JAR hdfs:///jars/a.jar; SET 'pipeline.name' = 'yes';", {"pipeline.name": "yes"}),
        ("  # SET 'pipeline.name' = 'no';\nSET 'pipeline.name' = 'yes';\n#", {"pipeline.name": "yes"}),
        ("SELECT 1 # 2;\nSET 'pipeline.name' = 'yes';", {"pipeline.name": "yes"}),
        ("SET 'pipeline.name' = '${JOB}';", {"pipeline.name": None}),
        ("SET 'pipeline.name' = '${JOB:-x}';", {"pipeline.name": "x"}),
        ("SET 'pipeline.name' = '{{ job }}';", {"pipeline.name": None}),
        ("SET 'pipeline.name' = 'a'; RESET 'pipeline.name'; SET 'rest.port' = '1';", {"rest.port": "1"}),
        ("SET 'pipeline.name' = 'a'; RESET; SET 'rest.port' = '1';", {"rest.port": "1"}),
        ("SET 'pipeline.name' = 'a'; SET 'pipeline.name' = 'b';", {"pipeline.name": "b"}),
        ("SET spark.sql.shuffle.partitions = 10;", {"spark.sql.shuffle.partitions": "10"}),
    ],
)
def test_session_settings(text: str, expected: dict[str, str | None]) -> None:
    assert values(sql(text)) == expected


def test_each_value_that_was_in_force_counts() -> None:
    out = sql(KAFKA + "SET 'pipeline.name' = 'a'; INSERT INTO t SELECT 1; SET 'pipeline.name' = 'b'; INSERT INTO t SELECT 2;")
    assert [one.text for one in of(out, Setting) if one.key == "pipeline.name"] == ["a", "b"]
    assert oddities(out) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SET 'pipeline.name' = 'a'; SET 'pipeline.name' = 'b';", [("overridden-set", "pipeline.name")]),
        ("SET 'rest.port' = '1'; INSERT INTO t SELECT 1; SET 'pipeline.name' = 'b';", [("set-after-insert", "pipeline.name")]),
        ("SET pipeline.name = a;", [("unquoted-set", "pipeline.name")]),
        (KAFKA.replace("'format'", "'connector'"), [("duplicate-key", "connector")]),
    ],
)
def test_oddities(text: str, expected: list[tuple[str, str]]) -> None:
    assert oddities(sql(text)) == expected


def test_quoting_an_old_set_is_offered() -> None:
    text = "SET pipeline.name = my job ;"
    (oddity,) = of(sql(text), Oddity)
    for edit in sorted(oddity.edits, key=lambda edit: edit.span, reverse=True):
        text = text[: edit.span.start] + edit.new_text + text[edit.span.end :]
    assert text == "SET 'pipeline.name' = 'my job' ;"


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE t (a INT); SET search_path TO x; SET @a = 1;",
        "CREATE TABLE t WITH (connector = 'kafka', topic = 'x') FORMAT PLAIN ENCODE JSON;",  # RisingWave
        "CREATE TABLE t (a INT, WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH (connector = 'kafka') FORMAT PLAIN ENCODE JSON;",
        "CREATE MATERIALIZED VIEW v AS SELECT * FROM a JOIN b ON a.id = b.id; SELECT * FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE))",
        "CREATE STREAM s WITH (KAFKA_TOPIC='x', VALUE_FORMAT='json');",  # ksqlDB
        "CREATE TABLE t WITH (format = 'ORC') AS SELECT 1;",  # Trino
        "UPDATE t SET a = 'x'; SET NOCOUNT ON; SET LOCAL work_mem = '1GB'",
        "CREATE TABLE t (a INT) TBLPROPERTIES ('connector' = 'x');",
        "SELECT 'connector' FROM t; ALTER SYSTEM SET x = 'y';",
        "SELECT * FROM t FOR SYSTEM_TIME AS OF TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 HOUR) AS o JOIN u ON o.a = u.a",  # BigQuery
        "SELECT * FROM t JOIN u FOR SYSTEM_TIME AS OF PROCTIME() ON t.a = u.a",  # RisingWave
        "",
    ],
)
def test_other_dialects_are_left_alone(text: str) -> None:
    assert sql(text).facts == []


def test_a_table() -> None:
    out = sql(
        "CREATE TEMPORARY TABLE IF NOT EXISTS `c`.db.`my orders` (\n id INT, ts TIMESTAMP(3) METADATA FROM 'timestamp', p AS PROCTIME(),\n"
        " WATERMARK FOR ts AS ts - INTERVAL '5' SECOND, PRIMARY KEY (id) NOT ENFORCED\n) COMMENT 'x' PARTITIONED BY (id)\n"
        "WITH (\n 'connector' = 'kafka', -- the source\n 'properties.request.timeout.ms' = '5000', 'format' = 'json' );"
    )
    assert blocks(out) == [("flink", "session", ""), ("flink", "table", "c.db.my orders")]
    assert values(out) == {"connector": "kafka", "properties.request.timeout.ms": "5000", "format": "json"}
    assert_sliced(out)
    assert of(out, Setting)[0].comment == "the source"
    table = of(out, Block)[1]
    for name, value in (
        ("connector", "kafka"),
        ("format", "json"),
        ("has-watermark", "true"),
        ("has-primary-key", "true"),
        ("has-proctime", "true"),
    ):
        assert table.trait(name) == value
    assert not table.trait("bounded") and not table.open


def test_what_is_read_and_what_is_written() -> None:
    out = sql(
        KAFKA
        + KAFKA.replace("TABLE t", "TABLE s")
        + "EXECUTE STATEMENT SET BEGIN INSERT INTO s SELECT * FROM c.d.t; INSERT INTO x SELECT 1; END;"
    )
    traits = {block.name: (block.trait("source"), block.trait("sink")) for block in of(out, Block) if block.role == "table"}
    assert traits == {"t": ("true", ""), "s": ("", "true")}
    assert [one[:3] for one in statements(out)] == [("insert", "s", ("c.d.t",)), ("insert", "x", ())]


def test_statements_without_semicolons_are_statements_of_their_own() -> None:
    """Tools that submit such scripts split them at blank lines."""
    out = sql(
        "CREATE TABLE a (id INT) WITH ('connector' = 'kafka', 'format' = 'json')\n\n"
        "CREATE TABLE b (id INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'jdbc')\n\nINSERT INTO b SELECT id FROM a\n\n"
        "CREATE VIEW v AS SELECT id FROM b\nINSERT INTO c SELECT id FROM v"
    )
    assert [(one.name, one.trait("connector")) for one in of(out, Block) if one.role == "table"] == [("a", "kafka"), ("b", "jdbc")]
    assert oddities(out) == []
    found = [("insert", "b", ("a",), ()), ("create-view", "v", ("b",), ()), ("insert", "c", ("v",), ())]
    assert statements(out) == found


@pytest.mark.parametrize(
    ("text", "catalogs"),
    [
        ("USE CATALOG lake;\n" + KAFKA, ["lake"]),
        ("USE lake.raw;\n" + KAFKA, ["lake"]),
        ("USE CATALOG `lake`; USE raw;\n" + KAFKA, ["lake"]),
        ("USE CATALOG ${LAKE};\n" + KAFKA, [""]),
        (KAFKA + "USE CATALOG lake;\n" + KAFKA, ["", "lake"]),
        (KAFKA.replace("TABLE t", "TABLE lake.raw.t"), ["lake"]),
        ("USE CATALOG lake;\n" + KAFKA.replace("TABLE", "TEMPORARY TABLE"), [""]),
        ("USE MODULES hive, core;\n" + KAFKA, [""]),
    ],
)
def test_the_catalog_that_a_table_goes_into(text: str, catalogs: list[str]) -> None:
    assert [one.trait("catalog") for one in of(sql(text), Block) if one.role == "table"] == catalogs


def test_hints_belong_to_their_table() -> None:
    out = sql(KAFKA + "INSERT INTO s SELECT * FROM t /*+ OPTIONS('scan.startup.mode'='latest-offset') */ AS o;")
    session, table, hint = of(out, Block)
    assert (hint.name, hint.parent, hint.trait("hint"), hint.trait("connector")) == ("t", table.id, "true", "kafka")
    assert table.parent == session.id
    assert [one.key for one in of(out, Setting) if one.block == hint.id] == ["scan.startup.mode"]


def test_like_inherits_what_the_options_say() -> None:
    out = sql(KAFKA + "CREATE TABLE u WITH ('format' = 'avro') LIKE t;")
    block = of(out, Block)[-1]
    assert (block.name, block.trait("connector"), block.trait("format"), block.trait("like"), block.open) == (
        "u",
        "kafka",
        "avro",
        "t",
        True,
    )


@pytest.mark.parametrize(
    ("query", "features"),
    [
        ("SELECT a, COUNT(*) FROM t GROUP BY a", {"group-by"}),
        (
            "SELECT a FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY a, window_start, window_end",
            {"window-tvf", "windowed-group-by"},
        ),
        (
            "SELECT a FROM TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR) GROUP BY a, window_start, window_end",
            {"window-tvf", "windowed-group-by"},
        ),
        ("SELECT a FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY a, window_start", {"window-tvf", "group-by"}),
        (
            "SELECT a FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY `window_start`, window_end",
            {"window-tvf", "windowed-group-by"},
        ),
        ("SELECT a FROM t GROUP BY a, TUMBLE(ts, INTERVAL '1' HOUR)", {"windowed-group-by"}),
        ("SELECT * FROM t JOIN u ON t.a = u.a", {"regular-join"}),
        ("SELECT * FROM t, u WHERE t.a = u.a", {"regular-join"}),
        (
            "WITH e AS (SELECT t.v, t.ts FROM t JOIN u ON t.id = u.id) SELECT SUM(v) FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '1' HOUR))",
            {"regular-join", "window-tvf", "window-over-join"},
        ),
        (  # the joins of two streams by their times keep these
            "WITH e AS (SELECT t.v, t.ts FROM t JOIN u ON t.id = u.id AND t.ts = u.ts) SELECT SUM(v) FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '1' HOUR))",
            {"regular-join", "times-join", "window-tvf"},
        ),
        ("SELECT * FROM t JOIN u ON t.a = u.a AND t.ts BETWEEN u.ts - INTERVAL '1' HOUR AND u.ts", {"interval-join"}),
        ("SELECT * FROM t, u WHERE t.a = u.a AND t.ts > u.ts - INTERVAL '1' HOUR", {"interval-join"}),
        ("SELECT * FROM t LEFT JOIN u FOR SYSTEM_TIME AS OF t.p AS u ON t.a = u.a", {"temporal-join"}),
        ("SELECT * FROM t CROSS JOIN UNNEST(t.xs) AS x (y)", {"lateral-join"}),
        ("SELECT * FROM t, LATERAL TABLE(split(t.a)) AS s(b)", {"lateral-join"}),
        ("SELECT DISTINCT a FROM t", {"select-distinct"}),
        ("SELECT COUNT(DISTINCT a) FROM t GROUP BY b", {"aggregate-distinct", "group-by"}),
        ("SELECT EXTRACT(DAY FROM ts) FROM t WHERE a IS DISTINCT FROM b", set()),
        ("SELECT ROW_NUMBER() OVER (PARTITION BY a ORDER BY b) FROM t", {"over", "row-number"}),
        ("SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY a PATTERN (A B) DEFINE A AS A.x > 1) AS m", {"match-recognize"}),
        ("SELECT a FROM t UNION ALL SELECT a FROM u", set()),
        ("SELECT a FROM t UNION SELECT a FROM u", {"set-operation"}),
        ("SELECT a FROM (SELECT a FROM t GROUP BY a) x", {"group-by"}),
        ("SELECT /*+ STATE_TTL('t'='1d') */ a FROM t GROUP BY a", {"group-by", "state-ttl-hint"}),
    ],
)
def test_features(query: str, features: set[str]) -> None:
    (found,) = [one for one in statements(sql(KAFKA + f"INSERT INTO s {query};")) if one[0] == "insert"]
    assert set(found[3]) == features
    assert "t" in found[2]


def test_views_and_ctes() -> None:
    out = sql(KAFKA + "CREATE VIEW v AS SELECT a FROM t GROUP BY a;\nINSERT INTO s WITH c AS (SELECT * FROM v) SELECT * FROM c;")
    assert statements(out) == [("create-view", "v", ("t",), ("group-by",)), ("insert", "s", ("v",), ())]


def test_catalogs_jars_and_alter() -> None:
    out = sql(
        "CREATE CATALOG c WITH ('type' = 'iceberg'); ADD JAR '/opt/flink-sql-connector-kafka-3.0.1-1.18.jar';"
        "SET 'pipeline.jars' = 'file:///a/flink-connector-jdbc-3.1.2-1.18.jar;file:///b.jar'; ALTER TABLE t SET ('sink.parallelism' = '2');"
    )
    assert ("flink", "catalog", "c") in blocks(out) and ("flink", "table", "t") in blocks(out)
    assert [one[1:3] for one in dependencies(out)] == [("flink-connector-jdbc", "3.1.2-1.18"), ("flink-sql-connector-kafka", "3.0.1-1.18")]


def test_options_that_cannot_be_seen_open_the_table() -> None:
    out = Reading("x.py", f"CREATE TABLE {MASK} (a INT) WITH ('connector' = 'kafka', {MASK}, '{MASK}' = 'x', 'topic' = '{MASK}')")
    read_sql(Text(out.raw), out)
    assert_sound(out)
    table = of(out, Block)[-1]
    assert table.open
    assert values(out) == {"connector": "kafka", "topic": None}


def test_a_parent_takes_the_place_of_the_session() -> None:
    out = Reading("x.py", KAFKA)
    parent = out.block("flink", "job", "python", Text(KAFKA).span(0, 1))
    read_sql(Text(KAFKA), out, parent)
    assert [block.parent for block in of(out, Block)] == ["", parent.id]


def test_a_quote_that_never_closes_is_a_problem() -> None:
    out = sql(KAFKA + "SET 'pipeline.name' = 'a;\nINSERT INTO t SELECT 1;")
    assert [(problem.kind, problem.line) for problem in out.problems] == [("unparsable", 2)]


@pytest.mark.parametrize("end", ["PRIMARY KEY (id)", "PRIMARY KEY (id) ", "id INT PRIMARY KEY", "PRIMARY KEY", "PRIMARY KEY ("])
def test_a_table_that_ends_before_it_is_closed(end: str) -> None:
    assert_sound(sql(f"{KAFKA}CREATE TABLE t (a INT, {end}"))


def test_hostile_bytes() -> None:
    for data in (
        b"\xef\xbb\xbfSET 'rest.port' = '1';\r\n",
        b"SET\t'rest.port'\t=\t'1'\x00;",
        b"\xff\xfe" + "SET 'rest.port' = '1';".encode("utf-16-le"),
    ):
        assert values(read(Source("x.sql", "sql", data))[0]) == {"rest.port": "1"}


@pytest.mark.parametrize(
    "unit",
    [
        "'",
        "/*",
        "(",
        "`",
        "select * from a join b on ",
        "join (",
        "SET a.b=1;",
        "RESET;",
        "group by ",
        "'connector'=",
        "FROM ",
        "#",
        "# ;\n",
        "a # ",
        "// ",
    ],
)
def test_long_and_nasty_texts_are_read_in_one_pass(unit: str) -> None:
    text = KAFKA + unit * (200_000 // len(unit))
    assert len(lex(text)) <= len(text)
    sql(text)


@settings(max_examples=200, deadline=None)
@given(
    scraps(
        "SET ", "RESET ", "CREATE TABLE t ", "WITH (", "'connector'='kafka'", "INSERT INTO ", "SELECT ", " FROM ", " JOIN ", " GROUP BY ", "/*+ OPTIONS(", "TABLE(",
        "TUMBLE(", "LIKE ", "AS ", "BEGIN", "EXECUTE STATEMENT SET", "'a.b'", "execution.x", "`q`", ".", "CREATE CATALOG c ", "WATERMARK FOR ts AS ts",
    )
)  # fmt: skip
def test_no_text_trips_the_reader(text: str) -> None:
    sql(text)
    out = Reading("x.sql", text)
    read_sql(Text(text), out)
    assert_sound(out)


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        ("id INT, timestamp STRING", ["timestamp"]),
        ("Date DATE METADATA VIRTUAL", ["Date"]),
        ("value AS id + 1", ["value"]),
        ("`timestamp` STRING, m MAP<STRING, INT>, r ROW<user STRING, `date` DATE>", []),
        ("id INT, PRIMARY KEY (id) NOT ENFORCED, WATERMARK FOR ts AS ts - INTERVAL '5' SECOND", []),
        ("id DECIMAL(10, 2), name STRING COMMENT 'value, user', type STRING", []),
        ("timestamp", []),
    ],
)
def test_columns_named_by_words_of_the_parser(columns: str, found: list[str]) -> None:
    out = sql(f"CREATE TABLE t ({columns}) WITH ('connector' = 'datagen');")
    assert [fact.subject for fact in of(out, Oddity) if fact.kind == "reserved-word"] == found


@pytest.mark.parametrize("rest", ["", " WITH (connector = 'kafka')", " WITH ('type' = 'paimon')", " USING parquet"])
def test_words_of_flink_mean_nothing_to_other_engines(rest: str) -> None:
    assert not of(sql(f"CREATE TABLE t (timestamp STRING){rest};"), Oddity)


def test_inserts_that_are_jobs_of_their_own() -> None:
    out = sql(
        KAFKA
        + """
BEGIN STATEMENT SET;
INSERT INTO a SELECT id FROM t;
INSERT INTO b SELECT id FROM t;
END;
EXECUTE STATEMENT SET BEGIN INSERT INTO c SELECT id FROM t; INSERT INTO d SELECT id FROM t; END;
INSERT INTO e SELECT id FROM t;
SELECT id FROM t"""
    )
    assert [(fact.target, fact.alone) for fact in of(out, Statement)] == [
        *((name, "") for name in "abcd"),
        ("e", "script"),
        ("", ""),
    ]


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        ("ts TIMESTAMP, WATERMARK FOR ts AS ts", [("ts", "TIMESTAMP")]),
        ("ts TIMESTAMP(6), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND", [("ts", "TIMESTAMP(6)")]),
        ("`ts` bigint NOT NULL COMMENT 'when', id INT, watermark for `ts` as `ts`", [("`ts`", "BIGINT")]),
        ("ts STRING, WATERMARK FOR ts AS ts", [("ts", "STRING")]),
        ("ts TIMESTAMP(3), WATERMARK FOR ts AS ts", []),
        ("ts TIMESTAMP_LTZ(3), text STRING, WATERMARK FOR ts AS ts", []),
        ("millis BIGINT, ts AS TO_TIMESTAMP_LTZ(millis, 3), WATERMARK FOR ts AS ts", []),
        ("row ROW<ts STRING, at TIMESTAMP>, WATERMARK FOR ts AS ts", []),
        (f"ts TIMESTAMP({MASK}), WATERMARK FOR ts AS ts", []),
        ("ts TIMESTAMP, made TIMESTAMP(3), WATERMARK FOR made AS made", []),
    ],
)
def test_a_watermark_stands_on_a_timestamp_of_milliseconds(columns: str, found: list[tuple[str, str]]) -> None:
    out = sql(f"CREATE TABLE t ({columns}) WITH ('connector' = 'kafka', 'format' = 'json');")
    assert [(fact.subject, fact.detail) for fact in of(out, Oddity) if fact.kind == "watermark-type"] == found


def test_file_that_makes_nothing_but_a_catalog_is_read() -> None:
    text = b"CREATE CATALOG lake WITH ('type' = 'iceberg', 'warehouse' = 's3a://lake/warehouse');\n"
    assert gate.passes("sql", text, frozenset({"flink"}))
    assert not gate.passes("sql", b"SELECT * FROM orders;\n", frozenset({"flink"}))


def test_query_alone_that_joins_as_of_a_column_is_read() -> None:
    text = "SELECT o.id, c.city FROM orders AS o JOIN customers\n  FOR SYSTEM_TIME AS OF o.made AS c ON o.customer = c.id;\n"
    assert gate.passes("sql", text.encode(), frozenset({"flink"}))
    out = sql(text)
    assert statements(out) == [("select", "", ("orders", "customers"), ("temporal-join",))]
    assert [fact.detail for fact in of(out, Usage) if fact.kind == "joined-as-of"] == ["customers"]
