"""What may be parsed: files that could take the process down or that no rule looks at are stopped here.

LibCST 1.9.0 recurses in native code without a limit: 2,000 nested parentheses or a sum of 20,000 terms end the process.
CPython's parser refuses the first, and raises on the second; what it lets pass is measured on its tree.
"""

from __future__ import annotations

import ast
import contextlib
import re
import sys
import warnings

from shoal.lazy import pattern
from shoal.python.fstrings import as_texts
from shoal.records import NamedTuple

# Levels of expressions in one statement, and of blocks: a chain of 120 method calls has 240 levels. LibCST takes some 1,500,
# its generator of code (three Python frames a level) 300.
DEPTH = 250
BLOCKS = 60
# One physical line with more operators than this, strings left out, is generated data; CPython 3.10 recurses on it without a limit.
OPERATORS = 4_000
SIZE = 8_000_000

LIBRARIES = (
    "pyflink",
    "pyspark",
    "apache_beam",
    "kafka",
    "confluent_kafka",
    "aiokafka",
    "faust",
    "faststream",
    "databricks",
    "delta",
    "dlt",
    "quixstreams",
    "bytewax",
    "kafka3",
    "ksql",
    "flink_agents",
)
_IMPORT = pattern(rf"^[ \t\f]*(?:from|import)[ \t]+(?:[\w., \t]*,[ \t]*)?(?:{'|'.join(LIBRARIES)})\b", re.MULTILINE)
# A module that starts what another module of the project does with Kafka, or uses a client that one makes: `from services import kafka_consumer`,
# `from base_producer import Base`, `from common.kafka_utils import create_producer`.
_OF_KAFKA = pattern(r"^[ \t\f]*(?:from|import)[ \t]+[^\n#]*(?:kafka|producer|consume|publisher)", re.MULTILINE | re.IGNORECASE)
# The same where the import does not say so: `from utils import *` and `load_producer(…)`, `import transport` and `transport.init_consumer(…)`.
# Or it has a producer that it was given, `self.producer.publish(…)`, or topics of the settings, `settings.KAFKA_ORDERS_TOPIC`.
_MADE = pattern(r"=[ \t]*[\w.]*(?:kafka|producer|consumer)\w*\(|\b(?:settings|config|cfg)\.kafka_\w|\bself\._?producer\.\w", re.IGNORECASE)
# What only Spark's frames, sessions and queries have, what a table environment is called, what makes a connector of Kafka Connect, what Spark is told of its brokers, how records get into Kinesis and Firehose, and out of it, what sends to Pub/Sub, a client of Pulsar and what gives a message back to it, what reads streams of Redis, an agent of Faust, and a handler of FastStream.
_UNMISTAKABLE = (
    ".writeStream",
    ".readStream",
    ".awaitTermination(",
    ".awaitAnyTermination(",
    "t_env.execute_sql(",
    "table_env.execute_sql(",
    '"connector.class"',
    "'connector.class'",
    '"kafka.bootstrap.servers"',
    "'kafka.bootstrap.servers'",
    ".put_record",
    "NextShardIterator",
    "PublisherClient(",
    "SubscriberClient(",
    "pulsar.Client(",
    ".negative_acknowledge(",
    ".xreadgroup(",
    "@app.agent(",
    "broker.subscriber(",
    '["records"].items(',  # of the event that AWS Lambda hands to a function
    "['records'].items(",
    '["records"].values(',
    "['records'].values(",
)
_USES = (
    "create_task(",
    "Depends(",
    "@router.",
    "@app.",
    "APIView",
    "ViewSet",
    ".produce(",
    ".poll(",
    ".consume(",
    ".consume_",
    ".start_consum",
    ".getone(",
    ".getmany(",
    ".flush(",
    "Thread(",
    "async def ",
    ".mark_",
    "producer.send",
    " in self.consumer:",
    " in consumer:",
)
# What functions of such a module are called: `consume_orders(consumer)`, `produceRecord(tick, producer)`.
_ASKED = pattern(r"^[ \t]+(?:\w+[ \t]*=[ \t]*)?(?:await[ \t]+)?(?:consume|produce)(?:_\w+|[A-Z]\w*)?\(", re.MULTILINE)
_OPERATOR = pattern(r"[-+*/%&|^~<>=,]|\.(?=[^\W\d])|\b(?:and|or|not|if|is|in|await|lambda)\b")
_STRING = pattern(r"'[^'\\\n]*(?:\\.[^'\\\n]*)*'|\"[^\"\\\n]*(?:\\.[^\"\\\n]*)*\"")
_PYTHON_2 = pattern(
    r"^[ \t]*(?:print[ \t]+[^\s(=.]|exec[ \t]+[\"']|except[ \t]+[\w.]+[ \t]*,[ \t]*\w+[ \t]*:|raise[ \t]+\w+[ \t]*,)|\blambda[ \t]*\(\w+[ \t]*,",
    re.MULTILINE,
)


class Refusal(NamedTuple):
    """Why a file is not read; `kind` is that of a `Problem`, `line` is 1-based or 0."""

    kind: str
    message: str
    line: int
    help: str


class Outline(NamedTuple):
    """Where each statement starts, in source order: (line, column in UTF-8 bytes). Exception handlers count as statements.

    `tops`: the first and last line, from 1, of each statement at the top, its decorators included.
    """

    starts: list[tuple[int, int]]
    tops: list[tuple[int, int]]


def concerns(text: str) -> bool:
    """Whether the module imports a library whose use shoal understands, or is given what one makes: frames of Spark, tables of Flink, tasks, routes or clients of what is named after Kafka."""
    return (
        _IMPORT.search(text) is not None
        or any(word in text for word in _UNMISTAKABLE)
        or (any(word in text for word in _USES) and (_OF_KAFKA.search(text) is not None or _MADE.search(text) is not None))
        or (_ASKED.search(text) is not None and _OF_KAFKA.search(text) is not None)
    )


_TABS = pattern(r"(?m)^[ ]*\t[ \t]*")
# `type X = …`, and type parameters on one line: few characters, which CPython's parser is not to measure.
_TYPE = pattern(r"^([ \t]*)type (?=[^\W\d]\w*[ \t]*[\[=])", re.MULTILINE)
_GENERIC = pattern(
    r"^([ \t]*(?:(?:async[ \t]+)?def|class)[ \t]+\w+[ \t]*)(\[(?:[^\[\]\n]|\[[^\[\]\n]{0,200}\]){1,200}\])(?=[ \t]*[(:])", re.MULTILINE
)
_OWN = pattern(r"(?:^|[/\\])(pyflink|pyspark|apache_beam)[/\\](?!examples[/\\])(?:.*?([/\\]))?")
_LICENSE = "Licensed to the Apache Software Foundation"


def own_source(path: str, text: str) -> str:
    """The library a file is part of, empty for code that uses it: a copy of PyFlink, PySpark or Beam holds no jobs.

    It stands in a package of that name and under its licence; a script right in the folder of that name, or among the examples that
    come along, is somebody's job.
    """
    found = _OWN.search(path)
    if found is None or _LICENSE not in text[:2000]:
        return ""
    return found.group(1) if found.group(2) or "__main__" not in text else ""


def outline(text: str) -> Outline | Refusal:
    """Parse with CPython's own parser: the statements' positions, or why the file must not reach LibCST."""
    if len(text) > SIZE:
        return Refusal("too-large", f"{len(text):,} characters of Python; shoal reads at most {SIZE:,}", 0, "exclude the file or split it")
    if line := _runaway_line(text):
        return Refusal("too-deep", f"a line with more than {OPERATORS:,} operators", line, "exclude generated code")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = _parse(text)
    except SyntaxError as error:
        line = error.lineno or 0
        if "too many nested" in (error.msg or "") or "too many statically nested" in (error.msg or ""):
            return Refusal("too-deep", f"nested too deep to be read: {error.msg}", line, "exclude generated code")
        if _PYTHON_2.search(text):
            return Refusal("unparsable", f"not Python 3: {error.msg}; this looks like Python 2", line, "convert or exclude the file")
        own = "{}.{}".format(*sys.version_info)
        help = f"correct the syntax, exclude the file if it is a template, or run shoal with the Python that it is for, which is not {own}"
        return Refusal("unparsable", f"not valid Python: {error.msg}", line, help)
    except ValueError as error:  # NUL characters, lone surrogates
        return Refusal("unparsable", f"not valid Python: {error}", 0, "correct the file, or exclude it")
    except (RecursionError, MemoryError):
        return Refusal("too-deep", "nested too deep to be read", 0, "exclude generated code")
    starts: list[tuple[int, int]] = []
    deep = _measure(tree.body, starts)
    if deep:
        return Refusal(
            "too-deep", f"an expression or a block nested more than {DEPTH} or {BLOCKS} levels deep", deep, "exclude generated code"
        )
    return Outline(starts, [(_first_line(statement), statement.end_lineno or statement.lineno) for statement in tree.body])


def _parse(text: str) -> ast.Module:
    """The module's tree; what came with Python 3.12 is put as older Pythons put it, of the same length, where one of these runs this."""
    try:
        return ast.parse(text)
    except SyntaxError:
        older = _GENERIC.sub(lambda found: found.group(1) + " " * len(found.group(2)), _TYPE.sub(r"\1type_", text))
        for put in dict.fromkeys((older, as_texts(older))):
            if put != text:
                with contextlib.suppress(SyntaxError):
                    return ast.parse(put)
        raise


def without_tabs(text: str) -> str | None:
    """The same program with a space for each tab that a line begins with; None where that is another program.

    Where some lines are indented by tabs and some by spaces, CPython goes by how far, and LibCST by what they begin with.
    """
    spaced = _TABS.sub(lambda found: found.group().replace("\t", " "), text)
    if spaced == text:
        return None
    try:
        return spaced if ast.dump(ast.parse(spaced)) == ast.dump(ast.parse(text)) else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(one.lineno for one in decorators)])


def _runaway_line(text: str) -> int:
    """The 1-based number of a physical line no parser should see, or 0."""
    if len(text) < OPERATORS:
        return 0
    joined = 0
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) >= 2 * OPERATORS and sum(1 for _ in _OPERATOR.finditer(_STRING.sub("", line))) > OPERATORS and _chained(line):
            return number
        # A chain over many lines: each ends or begins with an operator.
        bare = line.strip()
        joined = joined + 1 if bare and (bare[-1] in "+-*/%&|^\\" or bare[0] in "+-*/%&|^.") else 0
        if joined > OPERATORS:
            return number
    return 0


def _chained(line: str) -> bool:
    """Whether the operators are more than the commas of a flat table of data."""
    bare = _STRING.sub("", line)
    return sum(1 for match in _OPERATOR.finditer(bare) if match.group() not in ",=-") > OPERATORS


def _measure(body: list[ast.stmt], starts: list[tuple[int, int]]) -> int:
    """Collect the statements' starts, in source order; the line of what is nested too deep, or 0."""
    waiting: list[tuple[ast.AST, int]] = [(statement, 1) for statement in reversed(body)]
    while waiting:
        node, level = waiting.pop()
        if isinstance(node, (ast.stmt, ast.ExceptHandler)):
            starts.append((node.lineno, node.col_offset))
            if level > BLOCKS:
                return node.lineno
            if not hasattr(node, "body") and not isinstance(node, ast.Match):
                if _long(node) and _depth(node) > DEPTH:
                    return node.lineno
                continue
        inner: list[tuple[ast.AST, int]] = []
        for name, value in ast.iter_fields(node):
            if name in _BLOCKS and isinstance(value, list):
                # `elif` nests in the tree but not in the text.
                same = name == "orelse" and isinstance(node, ast.If) and len(value) == 1 and isinstance(value[0], ast.If)
                inner += [(child, level if same else level + 1) for child in value]
            elif isinstance(value, ast.AST):
                if _long(value) and _depth(value) > DEPTH:
                    return getattr(node, "lineno", 1)
            elif isinstance(value, list) and any(isinstance(item, ast.AST) and _long(item) and _depth(item) > DEPTH for item in value):
                return getattr(node, "lineno", 1)
        inner.reverse()
        waiting += inner
    return 0


_BLOCKS = frozenset({"body", "handlers", "orelse", "finalbody", "cases"})


def _long(node: ast.AST) -> bool:
    """Whether a node takes enough text to be deep: a level takes at least one character."""
    line, end = getattr(node, "lineno", 0), getattr(node, "end_lineno", 1)
    return line != end or getattr(node, "end_col_offset", 0) - getattr(node, "col_offset", 0) > DEPTH


def _depth(node: ast.AST) -> int:
    """Levels below a node, counted without recursion."""
    level = 0
    row = [node]
    while row:
        level += 1
        if level > DEPTH:
            return level
        row = [child for parent in row for child in ast.iter_child_nodes(parent)]
    return level
