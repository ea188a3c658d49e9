"""Constants fold, names are followed, and what cannot be known is UNKNOWN."""

from __future__ import annotations

from typing import Any

import pytest

from shoal.facts import Setting
from shoal.python.values import UNKNOWN, Choice, Known, Millis, options
from tests.python.reading import module, reading, settings


def value(text: str) -> Any:
    """What the argument of `probe(…)` is worth."""
    made = module(text)
    call = made.named("probe")[-1]
    return made.value(call.node.args[0].value, call.spot)


FOLDED = [
    ("probe('s3://lake/'.rstrip('/') + '/a')", "s3://lake/a"),
    ("probe('topic-orders'.removeprefix('topic-'))", "orders"),
    ("probe(60_000)", 60000),
    ("probe(5 * 60 * 1000)", 300000),
    ("probe(2 ** 10 - 24)", 1000),
    ("probe(-1)", -1),
    ("probe(10 // 3 + 10 % 3)", 4),
    ("probe(0x10)", 16),
    ("probe(1.5)", 1.5),
    ("probe('a' 'b' + 'c')", "abc"),
    ("x = 'b'\nprobe(f'a{x}c')", "abc"),
    ("probe('{}-{n}'.format('a', n=1))", "a-1"),
    ("probe('%s:%d' % ('a', 1))", "a:1"),
    ("probe(','.join(['a', 'b']))", "a,b"),
    ("probe(int('7') * 1000)", 7000),
    ("probe(str(7))", "7"),
    ("probe(max(1, 2, 3))", 3),
    ("X = 5\nprobe(X * 1000)", 5000),
    ("probe('True'.lower() == 'true')", True),
    ("probe('no' in ('1', 'true', 'yes'))", False),
    ("MODE = 'prod'\nprobe(MODE != 'dev')", True),
    ("probe(dict([('a', 1), ('b', 2)])['b'])", 2),
    ("probe({**dict([('a', 1)]), 'c': 3}['a'])", 1),
    ("class C:\n    X = 5\nprobe(C.X)", 5),
    ("class C:\n    def __init__(self):\n        self.x = 7\n    def f(self):\n        probe(self.x)\n", 7),
    ("d = {'a': 1, **{'b': 2}}\nprobe(d['b'])", 2),
    ("d = dict(a=1)\nd['b'] = 3\nprobe(d.get('b'))", 3),
    ("d = {'a': 1}\nd.update({'a': 9})\nprobe(d['a'])", 9),
    ("d = {'a': 1}\nd |= {'a': 9}\nprobe(d['a'])", 9),
    ("d = {'a': 1}\nd.setdefault('a', 9)\nprobe(d['a'])", 1),
    ("class C:\n    def __init__(self):\n        self.d = {'a': 1}\n        self.d.update({'a': 9})\n        probe(self.d['a'])", 9),
    (
        "class C:\n    def __init__(self):\n        self.d = load()\n        self.d.update({'a': 9})\n    def f(self):\n        probe(self.d['a'])",
        9,
    ),
    ("a, b = 1, 2\nprobe(b)", 2),
    ("def f():\n    return 8\nprobe(f())", 8),
    ("def f(n):\n    probe(n)\nf(6)", 6),
    ("def f(n=4):\n    probe(n)\nf()", 4),
    ("def f():\n    x = 1\n    x = 2\n    probe(x)\n    x = 3\n", 2),
    ("x = 1\nif c:\n    x = 2\n    probe(x)\n", 2),
    ("probe(bool(0))", False),
    ("x = None\nprobe(x)", None),
    ("def f():\n    global G\n    G = 3\nf()\ndef g():\n    probe(G)\n", 3),
    ("[probe(n) for n in (4,)]", 4),
]


@pytest.mark.parametrize(("text", "expected"), FOLDED)
def test_constants_fold(text: str, expected: object) -> None:
    found = value(text)
    assert found == Known(expected)


@pytest.mark.parametrize(
    ("text", "millis"),
    [
        ("from datetime import timedelta\nprobe(timedelta(minutes=5))", 300_000),
        ("import datetime\nprobe(datetime.timedelta(0, 30))", 30_000),
        ("from pyflink.common import Duration\nprobe(Duration.of_seconds(5))", 5_000),
        ("from pyflink.common.time import Time\nprobe(Time.minutes(2))", 120_000),
        ("from datetime import timedelta\nprobe(timedelta(hours=1) * 2)", 7_200_000),
    ],
)
def test_lengths_of_time_fold(text: str, millis: float) -> None:
    assert value(text) == Millis(millis)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("probe(os.environ.get('X', '5'))", "5"),
        ("probe(int(os.getenv('X', '5')) * 1000)", 5000),
        ("probe(os.getenv('X') or 'fallback')", "fallback"),
        (
            "import argparse\np = argparse.ArgumentParser()\np.add_argument('-i', '--the-interval', type=int, default='7')\nargs = p.parse_args()\nprobe(args.the_interval)",
            7,
        ),
        (
            "import argparse\np = argparse.ArgumentParser()\np.add_argument('--a', dest='b', default='x')\nargs, rest = p.parse_known_args()\nprobe(args.b)",
            "x",
        ),
        (
            "import argparse\ndef options():\n    p = argparse.ArgumentParser()\n    p.add_argument('--a', default=5)\n    return p.parse_args()\nprobe(options().a)",
            5,
        ),
        ("def f(n=4):\n    probe(n)\n", 4),
        ("from dataclasses import dataclass\n@dataclass\nclass C:\n    n: int = 5\ndef f(c: C):\n    probe(c.n * 1000)\n", 5000),
    ],
)
def test_defaults_are_known_as_defaults(text: str, expected: object) -> None:
    assert value(text) == Known(expected, "default")


def test_fields_of_records() -> None:
    head = "from dataclasses import dataclass, field\n@dataclass(frozen=True)\nclass C:\n    a: str\n    n: int = 5\n    l: list = field(default_factory=lambda: [1])\n"
    assert value(head + "probe(C('x').n)") == Known(5)
    assert value(head + "probe(C('x', 7).n)") == Known(7)
    assert value(head + "probe(C(a='x').a)") == Known("x")
    assert value(head + "class D(C):\n    n: int = 6\nprobe(D('x').n)") == Known(6)
    assert value(head + "probe(C('x').l[0])") == Known(1)


def test_members_of_enumerations() -> None:
    head = "from enum import Enum\nclass Mode(str, Enum):\n    FAST = 'fast'\n"
    assert value(head + "probe(Mode.FAST.value)") == Known("fast")
    assert value(head + "probe(Mode['FAST'].name)") == Known("FAST")


@pytest.mark.parametrize(
    "text",
    [
        "probe(1 if c else 2)",
        "if c:\n    x = 1\nelse:\n    x = 2\nprobe(x)",
        "x = 1\nif c:\n    x = 2\nprobe(x)",
        "def f(n):\n    probe(n)\nf(1)\nf(2)",
    ],
)
def test_branches_give_each_value(text: str) -> None:
    found = value(text)
    assert isinstance(found, Choice)
    assert sorted(found.options) == [Known(1, "branch"), Known(2, "branch")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = 'a' if pick() else 'b'\nif x == 'a':\n    probe(x)\n", "a"),
        ("x = 'a' if pick() else 'b'\nif x == 'a':\n    pass\nelse:\n    probe(x)\n", "b"),
        ("x = 'a' if pick() else 'b'\nif x != 'a':\n    probe(x)\n", "b"),
        ("x = None if pick() else 'b'\nif x is not None:\n    probe(x)\n", "b"),
        ("x = None if pick() else 'b'\nif x is None:\n    pass\nelse:\n    probe(x)\n", "b"),
        ("x = None if pick() else 'b'\nif x and pick():\n    probe(x)\n", "b"),
        ("x = '' if pick() else 'b'\nif not x or pick():\n    pass\nelse:\n    probe(x)\n", "b"),
        ("class C:\n    x = None if pick() else 'b'\nif C.x:\n    probe(C.x)\n", "b"),
        ("x = 'a'\nif x == 'a':\n    x = 'c'\n    probe(x)\n", "c"),
    ],
)
def test_a_value_goes_the_way_of_the_condition_around(text: str, expected: str) -> None:
    assert value(text).value == expected


@pytest.mark.parametrize(
    "text",
    [
        "probe(os.environ['X'])",
        "probe(unheard_of())",
        "from settings import X\nprobe(X + 1)",
        "x = 0\nfor i in y:\n    x += 1\nprobe(x)",
        "probe('a' * 10)",
        "probe(1 / 0)",
        "probe(2 ** 1000000)",
        "probe('{:>999999999}'.format(1))",
        "x = probe(x)",
        "class C:\n    n: int | None = None\ndef f(c: C):\n    if c.n is not None:\n        probe(str(c.n))",
        "def f(n):\n    probe(n)\nf(*args)",
        "def f(*n):\n    probe(n)\nf(1)",
    ],
)
def test_what_cannot_be_known_is_unknown(text: str) -> None:
    found = value(text)
    assert not isinstance(found, (Known, Millis)), found


def test_texts_cannot_grow_without_end() -> None:
    text = "a0 = 'x' 'y'\n" + "".join(f"a{n} = a{n - 1} + a{n - 1}\n" for n in range(1, 60)) + "probe(a59)"
    assert value(text) is UNKNOWN


def test_what_a_base_is_given_by_those_that_derive_from_it() -> None:
    base = "class B:\n    def __init__(self, t=1):\n        probe(t)\n    def f(self):\n        return 7\n"
    assert value(base + "class A(B):\n    def __init__(self):\n        super().__init__(5)\n") == Known(5)
    assert value(base + "class A(B):\n    def __init__(self, t):\n        super().__init__(t)\nA(6)") == Known(6)
    assert value("class B:\n    def f(self):\n        return 7\nclass A(B):\n    def f(self):\n        probe(super().f())\n") == Known(7)
    two = "".join(f"class A{n}(B):\n    def __init__(self):\n        super().__init__({n})\n" for n in (2, 3))
    assert {option.value for option in options(value(base + two)) if isinstance(option, Known)} == {2, 3}


def test_recursion_is_unknown() -> None:
    assert not isinstance(value("def f(n):\n    return f(n - 1)\nprobe(f(3))"), Known)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("import time\ntime.probe(1)", "time.probe"),
        ("import time as t\nt.probe(1)", "time.probe"),
        ("from time import probe\nprobe(1)", "time.probe"),
        ("from time import sleep as probe\nprobe(1)", "time.sleep"),
        ("def f():\n    import a.b.c\n    a.b.c.probe(1)\nf()", "a.b.c.probe"),
        ("from . import x\nx.probe(1)", ".x.probe"),
        ("from .a import x\nx.probe(1)", ".a.x.probe"),
        ("try:\n    import ujson as json\nexcept ImportError:\n    import json\njson.probe(1)", "json.probe"),
    ],
)
def test_names_are_qualified(text: str, name: str) -> None:
    made = module(text)
    assert made.qualified(made.calls[-1] if made.calls[-1].name in ("probe", "sleep") else made.named("probe")[0]) == name


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("from pyflink.datastream import StreamExecutionEnvironment as S\nS.get_execution_environment().probe()", "flink.Environment"),
        ("from pyflink.datastream import *\nStreamExecutionEnvironment.get_execution_environment().probe()", "flink.Environment"),
        (
            "from pyflink.datastream import StreamExecutionEnvironment\n"
            "def make():\n    env = StreamExecutionEnvironment.get_execution_environment()\n    return env, 1\nenv, _ = make()\nenv.get_checkpoint_config().probe()",
            "flink.CheckpointConfig",
        ),
        (
            "from pyflink.datastream import StreamExecutionEnvironment\ndef f(env: StreamExecutionEnvironment):\n    env.probe()\n",
            "flink.Environment",
        ),
        (
            "from pyflink.datastream import StreamExecutionEnvironment\nfrom app.sources import declare\n"
            "env = StreamExecutionEnvironment.get_execution_environment()\nenv = declare(env, 'orders')\nenv.probe()",
            "flink.Environment",
        ),
        (
            "from pyflink.datastream import StreamExecutionEnvironment\nfrom app.sources import declare\n"
            "env = StreamExecutionEnvironment.get_execution_environment()\nname = declare(env)\nname.probe()",
            "",
        ),
        (
            "from kafka import KafkaProducer\nclass A:\n    def __init__(self):\n        self.p = KafkaProducer()\n    def f(self):\n        self.p.probe()\n",
            "kafka.Producer",
        ),
        (
            "from kafka import KafkaProducer\nclass B:\n    def __init__(self, p):\n        self.p = p\nclass A(B):\n    def __init__(self):\n"
            "        super().__init__(KafkaProducer())\n    def f(self):\n        self.p.probe()\n",
            "kafka.Producer",
        ),
        ("from kafka import KafkaProducer\nwith KafkaProducer() as p:\n    p.probe()", "kafka.Producer"),
        ("from confluent_kafka import Producer\ndef f(p):\n    p.probe()\nf(Producer({}))", "confluent.Producer"),
        ("import confluent_kafka as ck\nck.Consumer({}).probe()", "confluent.Consumer"),
        (
            "from pyspark.sql import SparkSession\nSparkSession.builder.appName('x').getOrCreate().readStream.format('k').load().select('a').probe()",
            "spark.DataFrame",
        ),
        (
            "from typing import Optional\nfrom kafka import KafkaConsumer\nclass A:\n    c: Optional[KafkaConsumer] = None\n    def f(self):\n        self.c = KafkaConsumer()\n    def g(self):\n        self.c.probe()\n",
            "kafka.Consumer",
        ),
    ],
)
def test_receivers_have_types(text: str, kind: str) -> None:
    made = module(text)
    assert made.receiver_type(made.named("probe")[0]) in (kind, "spark.DataFrame")


@pytest.mark.parametrize(
    "text",
    [
        "def env(k, d=None):\n    v = os.getenv(k)\n    if v is None:\n        return d\n    return int(v)\nprobe(env('X', 500))",
        "def env(k, d=None):\n    v = os.getenv(k)\n    return d if v is None else int(v)\nprobe(env('X', 500))",
        "def env(k, d):\n    v = os.getenv(k)\n    if not v or not v.strip():\n        return d\n    try:\n        return int(v)\n    except ValueError:\n        return d\n"
        "probe(env('X', 500))",
        "def env(k, d):\n    try:\n        return int(os.environ.get(k, d))\n    except ValueError:\n        return d\nprobe(env('X', 500))",
        "def env(k, d):\n    try:\n        return os.environ[k]\n    except KeyError:\n        return d\nprobe(env('X', 500))",
        "def env(k, d):\n    if k in os.environ:\n        return os.environ[k]\n    return d\nprobe(env('X', 500))",
        "def env(k, d, cast=str):\n    return cast(os.getenv(k, d))\nprobe(env('X', '500', int))",
        "v = os.environ.get('X')\nif v is None:\n    v = 500\nprobe(v)",
        "v = os.environ.get('X')\nprobe(int(v) if v else 500)",
        "probe(os.environ['X'] if 'X' in os.environ else 500)",
    ],
)
def test_however_a_default_of_the_environment_is_written(text: str) -> None:
    assert value("import os\n" + text) == Known(500, "default")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from decouple import config\nprobe(config('X', default='500', cast=int))", 500),
        ("from decouple import config\nprobe(config('X', 'k:9092'))", "k:9092"),
        ("from decouple import config\nprobe(config('X', default='no', cast=bool))", False),
        ("from decouple import AutoConfig\nconfig = AutoConfig()\nprobe(config('X', cast=float, default=2))", 2.0),
        ("from environs import Env\nenv = Env()\nenv.read_env()\nprobe(env.int('X', 500))", 500),
        ("from environs import Env\nenv = Env()\nprobe(env('X', default='a'))", "a"),
        ("import environ\nenv = environ.Env()\nprobe(env.bool('X', default=True))", True),
        ("from starlette.config import Config\nconfig = Config('.env')\nprobe(config('X', cast=int, default='7'))", 7),
    ],
)
def test_a_default_that_a_library_is_given_which_reads_the_environment(text: str, expected: object) -> None:
    assert value(text) == Known(expected, "default")


@pytest.mark.parametrize(
    "text",
    [
        "from decouple import config\nprobe(config('X', default='500', cast=Csv()))",
        "from decouple import config\nprobe(config('X', cast=int))",
        "from decouple import config\nprobe(config('X', default='x', cast=int))",
        "from environs import Env\nenv = Env()\nprobe(env.list('X', ['a']))",
        "import environ\nenv = environ.Env()\nprobe(env('X', 'a'))",
    ],
)
def test_what_such_a_library_gives_else_is_not_known(text: str) -> None:
    assert value(text) is UNKNOWN


@pytest.mark.parametrize(
    "text",
    [
        # something else than the environment decides
        "def env(k, d):\n    if in_docker():\n        return d\n    return os.getenv(k)\nprobe(env('X', 500))",
        "def env(k, d):\n    v = os.getenv(k)\n    if v is None and not strict:\n        return d\n    return v\nprobe(env('X', 500))",
        "v = os.environ.get('X')\nif dev:\n    v = 500\nprobe(v)",
        "v = os.environ.get('X')\nprobe(int(v) if dev else 500)",
        # or gives it
        "def env(k, d):\n    if (v := os.getenv(k)) is None:\n        return vault.read(k)\n    return d\nprobe(env('X', 500))",
        "def env(k, d):\n    v = os.getenv(k)\n    if v is None:\n        return d\n    if v == 'file':\n        return 7\n    return int(v)\nprobe(env('X', 500))",
    ],
)
def test_a_default_that_is_one_of_several(text: str) -> None:
    assert isinstance(value("import os\n" + text), Choice)


HELPERS = """
import os
from kafka import KafkaProducer

def env(name, default=None):
    return os.environ.get(name) or default

def env_int(name, default):
    return int(os.getenv(name, default))

def seconds(n, scale=1000):
    return n * scale

def options(servers, wait=5, **more):
    return {"bootstrap.servers": servers, "linger.ms": wait, "acks": "all"}

def with_defaults(**more):
    return {"linger_ms": 5, **more}

def inner(**more):
    return with_defaults(**more)["linger_ms"]

"""


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("env('SERVERS', 'kafka:9092')", "kafka:9092 (default)"),
        ("env('GROUP', 'g')", "g (default)"),
        ("env('MUST')", "?"),
        ("env_int('WAIT', '7')", "7 (default)"),
        ("env_int('WAIT', 8) * 2", "16 (default)"),
        ("seconds(30)", "30000"),
        ("seconds(scale=60_000, n=2)", "120000"),
        ("seconds(seconds(2), 1)", "2000"),
        ("seconds(*args)", "?"),
        ("options('a:1')['linger.ms']", "5"),
        ("options(wait=6, servers='a:1')['linger.ms']", "6"),
        ("seconds(**{'n': 3, 'scale': 2})", "6"),
        ("seconds(4, **{'scale': 3})", "12"),
        ("seconds(4, **read())", "?"),
        ("with_defaults()['linger_ms']", "5"),
        ("with_defaults(linger_ms=6)['linger_ms']", "6"),
        ("inner(**{'linger_ms': 7})", "7"),
        ("inner(linger_ms=8, **{'acks': 1})", "8"),
        ("inner(**{'acks': 1}, linger_ms=9)", "9"),
        ("(lambda n: n * 2)(4)", "8"),
    ],
)
def test_a_helper_gives_each_caller_what_it_was_called_for(expression: str, value: str) -> None:
    """Other calls of the same helper, before and after, do not matter."""
    calls = "a = [env('A', 'other'), env_int('B', 1), seconds(99), options('z', 99), seconds(*args)]\n"
    out = reading(f"{HELPERS}{calls}args = read()\nKafkaProducer(linger_ms={expression})\nb = [env('C', 'more'), seconds(77)]\n")
    assert settings(out)["linger.ms"] == value


def test_dicts_made_by_a_helper_are_each_callers_own() -> None:
    out = reading("from confluent_kafka import Producer\n" + HELPERS + "Producer(options('a:1', 1))\nProducer(options('b:1', 2))\n")
    found = [(fact.key, fact.value) for fact in out.facts if isinstance(fact, Setting) and fact.key != "acks"]
    assert found == [("bootstrap.servers", "a:1"), ("linger.ms", "1"), ("bootstrap.servers", "b:1"), ("linger.ms", "2")]


def test_helpers_that_call_one_another_end() -> None:
    text = "from kafka import KafkaProducer\ndef f(n):\n    return g(n) if n else 1\ndef g(n):\n    return f(n - 1) + f(n - 2)\n"
    assert settings(reading(text + "KafkaProducer(linger_ms=f(50), retries=g(40))\n"))["linger.ms"].startswith(("?", "1"))


def test_a_helper_that_calls_itself_leaves_the_others_their_share() -> None:
    """What calls may be worked out for is bounded in a file; a walk over a tree of things must not take all of it."""
    calls = "".join(f"    if {name} in node:\n        return walk(node[{name!r}], depth + {name!r}, wait)\n" for name in "abcdefghijk")
    use = "\n".join(f"x{number} = walk(things, '{number}', {number})" for number in range(30))
    text = f"from kafka import KafkaProducer\ndef walk(node, depth, wait):\n{calls}    return node\n{use}\ndef seconds(n):\n    return n * 1000\n"
    calls = f"{text}KafkaProducer(acks=[x{', x'.join(map(str, range(30)))}], linger_ms=seconds(30))\n"
    assert settings(reading(calls))["linger.ms"] == "30000"


@pytest.mark.parametrize(
    "collection", ["client['shop']['orders']", "client.shop.orders", "client.get_database('shop').orders.open", "client[name].orders"]
)
def test_whatever_stands_in_brackets_or_behind_a_dot_of_a_mongo_client_is_a_collection(collection: str) -> None:
    made = module(
        f"from kafka import KafkaConsumer\nfrom pymongo import MongoClient\nclient = MongoClient()\n{collection}.insert_one({{}})\n"
    )
    assert made.receiver_type(made.named("insert_one")[0]) == "mongo.Collection"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("probe((load() or {}).get('a', 5))", UNKNOWN),
        ("def f(conf=None):\n    conf = conf or {}\n    probe(conf.get('a', 5))", UNKNOWN),
        ("conf = {}\nif c:\n    conf = load()\nprobe(conf.get('a', 5))", Choice((UNKNOWN, Known(5, "branch")))),
        ("conf = {'a': 1}\nprobe((conf or {}).get('a', 5))", Known(1)),
        ("conf = [1, 2]\nprobe((conf or [3])[0])", Known(1)),
    ],
)
def test_defaults_of_what_may_be_loaded(text: str, expected: object) -> None:
    assert value(text) == expected


def test_what_is_given_in_one_branch_is_the_same_for_every_client() -> None:
    """What stands for a value in one branch is made anew for each client, and must not be taken for what stood there before."""
    kinds = ("Consumer", "Producer")
    clients = "".join(f"def client{n}(a=1):\n    return Kafka{kinds[n % 2]}(linger_ms={n}, **auth())\n" for n in range(40))
    given = "{'security_protocol': 'SASL_SSL', 'sasl_mechanism': 'SCRAM-SHA-256', 'sasl_plain_username': 'u', 'sasl_plain_password': 'p'}"
    auth = f"def auth():\n    if PLAIN:\n        return {{'security_protocol': 'PLAINTEXT'}}\n    return {given}\n"
    facts = reading(f"from kafka import KafkaConsumer, KafkaProducer\n{auth}{clients}").facts
    found = {(fact.key, fact.value) for fact in facts if isinstance(fact, Setting) and fact.known and not fact.key.startswith("linger")}
    assert found == {
        ("sasl.mechanism", "SCRAM-SHA-256"),
        ("sasl.plain.username", "u"),
        ("sasl.plain.password", "p"),
    }
