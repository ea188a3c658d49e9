"""What takes LibCST down is refused before it gets there, and everything else is read."""

from __future__ import annotations

import sys

import pytest

from shoal.python import guard
from tests.python.reading import reading

IMPORT = "import pyflink\n"
DEADLY = {
    "parentheses": "(" * 2000 + "1" + ")" * 2000,
    "brackets": "[" * 2000 + "]" * 2000,
    "sum": "x = " + "+".join(["1"] * 20_000),
    "sum over lines": "x = (" + " +\n".join(["1"] * 20_000) + ")",
    "attributes": "a" + ".b" * 20_000,
    "calls": "a" + ".b()" * 5_000,
    "calls over lines": "a = (b\n" + "  .c()\n" * 5_000 + ")",
    "unary": "-" * 20_000 + "1",
    "not": "not " * 5_000 + "1",
    "subscripts": "a" + "[0]" * 5_000,
    "lambda": "lambda: " * 5_000 + "1",
    "ternary": "1 if a else " * 5_000 + "2",
    "power": "**".join(["1"] * 5_000),
    "blocks": "".join(" " * level + "if a:\n" for level in range(90)) + " " * 90 + "pass",
}


@pytest.mark.parametrize("text", DEADLY.values(), ids=DEADLY.keys())
def test_deep_nesting_is_a_problem(text: str) -> None:
    out = reading(IMPORT + text + "\n")
    assert [problem.kind for problem in out.problems] == ["too-deep"]
    assert out.facts == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("print 'hello'\n", "Python 2"),
        ("try:\n    pass\nexcept Error, e:\n    pass\n", "Python 2"),
        ("rows = map(lambda (key, value): key, rows)\n", "Python 2"),
        ("x = (\n", "not valid Python"),
        ('x = f"{{ value }}" y\n', "not valid Python"),  # an f-string's own braces, no template
        ("x = 1\x00\n", "not valid Python"),
    ],
)
def test_what_is_no_python_3_is_a_problem(text: str, words: str) -> None:
    (problem,) = reading(IMPORT + text).problems
    assert problem.kind == "unparsable"
    assert words in problem.message


NEWER = """
from kafka import KafkaConsumer

type Names = list[str] | None
type Pair[T] = tuple[T, T]


class Readers[T: (int, str)]:
    type Own = dict[str, T]

    async def read[K, *Rest](self, key: K) -> T:
        for record in KafkaConsumer("orders", group_id="g", acks=1):
            yield record
"""


def test_syntax_of_python_3_12_is_read_by_whatever_python() -> None:
    out = reading(NEWER)
    assert out.problems == []
    assert out.module is not None
    (call,) = out.module.named("KafkaConsumer")
    assert NEWER[out.module.call_place(call).span.start :].startswith("KafkaConsumer(")


def test_type_parameters_do_not_hide_what_is_nested_too_deep() -> None:
    out = reading(IMPORT + "def read[T: " + "(" * 2000 + "int" + ")" * 2000 + "](a): ...\n")
    assert [problem.kind for problem in out.problems] == ["too-deep"]


QUOTES = """
import os
from kafka import KafkaConsumer

rows, width = [{"id": "é"}], 8
text = f"{rows[0]["id"]} {"-".join(f"{one["id"]!r:>{width}}" for one in rows)}\\N{BULLET} {{x}}"
lines = f"{
    width  # of all
}" "more" rf'{rows[0]['id']}\\d'; consumer = KafkaConsumer(f"orders-{os.environ["STAGE"]}", group_id="g", acks=1)
"""


def test_quotes_of_its_own_in_an_f_string_are_read_by_whatever_python() -> None:
    out = reading(QUOTES)
    assert out.problems == []
    assert out.module is not None
    (call,) = out.module.named("KafkaConsumer")
    assert QUOTES[out.module.call_place(call).span.start :].startswith("KafkaConsumer(")


@pytest.mark.parametrize(
    "inner", ["(" * 2000 + 'a["k"]' + ")" * 2000, 'a["k"]' + " + 1" * 20_000, 'f"{' * 60 + 'a["k"]' + '}"' * 60, 'a["k"', 'a["k]']
)
def test_what_an_f_string_holds_does_not_take_the_process_down(inner: str) -> None:
    out = reading(IMPORT + 'x = f"{' + inner + '}"\n')
    assert [problem.kind for problem in out.problems] in (["too-deep"], ["unparsable"])


def test_a_syntax_error_may_be_the_syntax_of_a_newer_python() -> None:
    (problem,) = reading(IMPORT + "x = = 2\n").problems
    assert f"which is not {sys.version_info[0]}.{sys.version_info[1]}" in problem.help


def test_the_line_of_a_syntax_error_is_told() -> None:
    (problem,) = reading(IMPORT + "x = 1\ny = = 2\n").problems
    assert problem.line == 3


def test_a_module_that_uses_no_streaming_library_is_not_parsed() -> None:
    out = reading("# pyflink is not used here\nprint 'hello'\n")
    assert out.module is None
    assert out.problems == []


@pytest.mark.parametrize(
    "line",
    [
        "import pyflink",
        "from pyflink.table import TableEnvironment",
        "    from kafka import KafkaProducer",
        "import os, confluent_kafka",
        "import apache_beam as beam",
        "from pyspark.sql import *",
    ],
)
def test_imports_anywhere_count(line: str) -> None:
    prefix = "if True:\n" if line.startswith(" ") else ""
    assert reading(f"{prefix}{line}\n").module is not None


@pytest.mark.parametrize("line", ["query = stream.frame().writeStream.start()", 't_env.execute_sql("SHOW TABLES")'])
def test_frames_and_tables_of_another_module_count(line: str) -> None:
    assert reading(f"from jobs import stream, t_env\n{line}\n").module is not None


def test_long_tables_of_data_are_read() -> None:
    rows = ", ".join(f"('{number}', -{number}, {number}.5)" for number in range(5000))
    out = reading(f"{IMPORT}data = [{rows}]\n")
    assert out.problems == []
    assert out.module is not None


def test_long_generated_files_are_read() -> None:
    out = reading(IMPORT + "x = f(1)\n" * 10_000)
    assert out.problems == []
    assert out.module is not None


def test_an_encoding_that_is_not_utf_8_is_a_problem() -> None:
    from shoal.model import Source
    from shoal.readers import read

    out, _ = read(Source("job.py", "python", "import pyflink\nx = 'ä'\n".encode("latin-1")))
    assert [problem.kind for problem in out.problems] == ["unreadable"]


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    from shoal.model import Source
    from shoal.readers import read

    out, decoded = read(Source("job.py", "python", b"\xef\xbb\xbfimport pyflink\n"))
    assert out.problems == []
    assert decoded.text.startswith("import")


LICENSE = "#  Licensed to the Apache Software Foundation (ASF) under one\nfrom pyflink.table import TableEnvironment\n"


@pytest.mark.parametrize(
    ("path", "text", "own"),
    [
        ("lib/pyflink/table/udf.py", LICENSE, True),
        ("pyflink/datastream/tests/test_it.py", LICENSE + "if __name__ == '__main__':\n    main()\n", True),
        ("pyflink/serializers.py", LICENSE, True),
        ("pyflink/examples/table/word_count.py", LICENSE, False),
        ("pyflink/job.py", LICENSE + "if __name__ == '__main__':\n    main()\n", False),
        ("pyflink/src/job.py", "from pyflink.table import TableEnvironment\n", False),
        ("jobs/word_count.py", LICENSE, False),
    ],
)
def test_a_library_holds_no_jobs(path: str, text: str, own: bool) -> None:
    out = reading(text, path)
    assert (out.module is None) is own
    assert [item.reason for item in out.left_out] == (["vendored"] if own else [])


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("from lab.kafka_utils import create_producer\ncreate_producer().produce('orders', b'')\n", True),
        ("from lab.clients import new_consumer\nrecord = new_consumer().poll(1)\n", True),
        ("from lab.kafka_utils import create_producer\nproducer = create_producer()\nproducer.send('orders', b'')\n", True),
        ("from lab.events import consume_events\nloop.create_task(consume_events())\n", True),
        ("from lab.events import EventProducer\nproducer = EventProducer()\nproducer.send_event(b'')\n", True),
        ("from lab.kafkaHelper import consumeRecord\nwhile True:\n    records = consumeRecord(consumer)\n", True),
        ("from lab.theatre import consume_snacks\nfrom lab import play\n", False),
        ("from lab.theatre import snacks\nwhile True:\n    consume_snacks(snacks)\n", False),
        ("import transport\nreader = transport.init_consumer('orders')\nrecord = reader.poll(1)\n", True),
        ("import transport\nreader = transport.read('orders')\nrecord = reader.poll(1)\n", False),
        ("from lab.theatre import play\nplay().produce('Hamlet')\n", False),
        ("from lab.kafka_utils import TOPIC\nprint(TOPIC)\n", False),
    ],
)
def test_a_module_that_uses_a_client_another_one_makes_is_read(text: str, read: bool) -> None:
    assert guard.concerns(text) is read


def test_a_comment_in_the_braces_of_a_text_may_end_with_a_quote() -> None:
    out = reading('import pyflink\nfirst = f"a)}"\nsecond = f"b/{first#/c"\n')
    assert [problem.kind for problem in out.problems] == ["unparsable"]
