"""What one file of a project takes from another: constants, data frames, and the thread on which a helper runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.host.conftest import Ran, Shoal, write

JOB = """\
from pyflink.datastream import StreamExecutionEnvironment

{imports}

env = StreamExecutionEnvironment.get_execution_environment()
env.enable_checkpointing(60000)
env.get_checkpoint_config().set_checkpoint_timeout({value})
"""
TIMEOUT = ("--select", "checkpoint-timeout-too-short", "--format", "json")
SLEEP = ("--select", "sleep-in-operator", "--format", "json")
OPERATOR = """\
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.functions import ProcessFunction

{imports}


class Enrich(ProcessFunction):
    def open(self, context):
        self.client = {made}

    def process_element(self, value, ctx):
        yield {called}


def main():
    env = StreamExecutionEnvironment.get_execution_environment()
    env.from_collection([1]).process(Enrich()).print()
    env.execute()
"""
SLOW = "import time\n\n\ndef slow(value):\n    time.sleep(5)\n    return value\n\n\ndef never(value):\n    time.sleep(60)\n"


def found(ran: Ran) -> list[tuple[str, int]]:
    """Path and line of each finding."""
    return [(finding["places"][0]["path"], finding["places"][0]["start"]["line"]) for finding in ran.report["findings"]]


@pytest.mark.parametrize(
    ("imports", "value", "files"),
    [
        ("from config import TIMEOUT", "TIMEOUT", {"config.py": "TIMEOUT = 500\n"}),
        ("import config", "config.TIMEOUT", {"config.py": "SECOND = 1000\nTIMEOUT = SECOND // 2\n"}),
        ("import config as c", "c.settings.timeout * 5", {"config.py": "class S:\n    timeout = 100\nsettings = S()\n"}),
        ("from config import CHECKPOINTS", "CHECKPOINTS['timeout']", {"config.py": "CHECKPOINTS = {'timeout': 500}\n"}),
        ("from conf import *", "TIMEOUT", {"conf.py": "TIMEOUT = 500\n"}),
        ("from conf import TIMEOUT", "TIMEOUT", {"conf/__init__.py": "from .base import *\n", "conf/base.py": "TIMEOUT = 500\n"}),
        (
            "from conf import TIMEOUT",
            "TIMEOUT",
            {"conf/__init__.py": "from conf.a import T as TIMEOUT\n", "conf/a.py": "from .b import T\n", "conf/b.py": "T = 5 * 100\n"},
        ),
        ("from conf import timeout_ms", "timeout_ms()", {"conf.py": "def timeout_ms() -> int:\n    return 5 * 100\n"}),
        ("from shared.conf import TIMEOUT", "TIMEOUT", {"src/shared/conf.py": "TIMEOUT = 500\n", "pyproject.toml": ""}),
        ("def late():\n    from conf import T\n    return T", "late()", {"conf.py": "from datetime import timedelta\nT = 500\n"}),
    ],
)
def test_a_constant_of_another_module(shoal: Shoal, tmp_path: Path, imports: str, value: str, files: dict[str, str | bytes]) -> None:
    write(tmp_path, {"job.py": JOB.format(imports=imports, value=value), **files})
    ran = shoal("check", *TIMEOUT)
    assert [path for path, _ in found(ran)] == ["job.py"]
    assert ran.report["findings"][0]["confidence"] == "high"
    assert ran.report["problems"] == []


@pytest.mark.parametrize(
    ("imports", "value", "files"),
    [
        ("from config import TIMEOUT", "TIMEOUT", {"other/config.py": "TIMEOUT = 500\n"}),
        ("from config import TIMEOUT", "TIMEOUT", {"config.py": "import os\nTIMEOUT = int(os.environ['TIMEOUT'])\n"}),
        ("from config import TIMEOUT", "TIMEOUT", {"config.py": "def read(): ...\nTIMEOUT = read()\n"}),
        # which of the two comes first is up to whoever starts the job
        ("from config import T", "T", {"pyproject.toml": "", "config.py": "T = 500\n", "src/config.py": "T = 900\n"}),
        # another project's
        ("from config import T", "T", {"pyproject.toml": "", "../config.py": "T = 500\n"}),
    ],
)
def test_what_is_not_surely_constant_is_not_known(
    shoal: Shoal, tmp_path: Path, imports: str, value: str, files: dict[str, str | bytes]
) -> None:
    folder = tmp_path / "tree" / "app"
    write(folder, {"job.py": JOB.format(imports=imports, value=value), **files})
    ran = shoal("check", *TIMEOUT, cwd=tmp_path / "tree")
    assert (found(ran), ran.code) == ([], 0)


@pytest.mark.parametrize(
    ("imports", "value", "config", "lines"),
    [
        ("from config import TIMEOUT", "TIMEOUT", "SECOND = 1000\nTIMEOUT = SECOND // 2\n", [2]),
        ("import config", "config.TIMEOUT", "TIMEOUT = 500\n", [1]),
        ("from config import OPTIONS", "OPTIONS['timeout']", "OPTIONS = {\n    'timeout': 500,\n}\n", [2]),
        ("from config import TIMEOUT\n\nlimit = TIMEOUT", "int(limit)", "TIMEOUT = 500\n", [1]),
        ("from config import TIMEOUT", "TIMEOUT", "from conf.base import TIMEOUT\n", [3]),
    ],
)
def test_a_finding_points_at_the_value_in_the_other_module(
    shoal: Shoal, tmp_path: Path, imports: str, value: str, config: str, lines: list[int]
) -> None:
    base = {"conf/__init__.py": "", "conf/base.py": "\n\nTIMEOUT = 500\n"}
    write(tmp_path, {"job.py": JOB.format(imports=imports, value=value), "config.py": config, **base})
    (finding,) = shoal("check", *TIMEOUT).report["findings"]
    pointed = [place for place in finding["places"] if place["role"] == "related" and "conf" in place["path"]]
    assert [place["start"]["line"] for place in pointed] == lines


def test_a_suppression_counts_where_the_value_stands(shoal: Shoal, tmp_path: Path) -> None:
    config = "TIMEOUT = 500  # shoal: ignore[checkpoint-timeout-too-short] a test bench\n"
    write(tmp_path, {"job.py": JOB.format(imports="from config import TIMEOUT", value="TIMEOUT"), "config.py": config})
    (finding,) = shoal("check", *TIMEOUT).report["findings"]
    assert finding["status"] == "suppressed"


JAVA = """\
package com.shop;

{imports}
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Orders {{
    public static void main(String[] args) throws Exception {{
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.enableCheckpointing(60_000L);
        env.getCheckpointConfig().setCheckpointTimeout({value});
    }}
}}
"""
CLASS = "package com.shop.conf;\n\npublic final class Settings {{\n    public static final long TIMEOUT = {value};\n}}\n"


@pytest.mark.parametrize(
    ("imports", "value", "files", "at"),
    [
        (
            "import com.shop.conf.Settings;",
            "Settings.TIMEOUT",
            {"conf/Settings.java": CLASS.format(value="500L")},
            ("conf/Settings.java", 4),
        ),
        ("import com.shop.conf.*;", "Settings.TIMEOUT * 2", {"conf/Settings.java": CLASS.format(value="500L")}, ("conf/Settings.java", 4)),
        (
            "import static com.shop.conf.Settings.TIMEOUT;",
            "TIMEOUT",
            {"conf/Settings.java": CLASS.format(value="Units.SECOND"), "conf/Units.java": "interface Units {\n    int SECOND = 1000;\n}\n"},
            ("conf/Units.java", 2),
        ),
        ("", "com.shop.conf.Settings.TIMEOUT", {"conf/Settings.java": CLASS.format(value="500L")}, ("conf/Settings.java", 4)),
        (
            "",
            "Settings.Flink.TIMEOUT",
            {"Settings.java": "class Settings {\nclass Flink {\nstatic int TIMEOUT = 5;\n}\n}\n"},
            ("Settings.java", 3),
        ),
    ],
)
def test_a_constant_of_another_class(
    shoal: Shoal, tmp_path: Path, imports: str, value: str, files: dict[str, str | bytes], at: tuple[str, int]
) -> None:
    base = "src/main/java/com/shop"
    write(
        tmp_path,
        {f"{base}/Orders.java": JAVA.format(imports=imports, value=value), **{f"{base}/{name}": text for name, text in files.items()}},
    )
    (finding,) = shoal("check", *TIMEOUT).report["findings"]
    assert (finding["places"][0]["path"], finding["confidence"]) == (f"{base}/Orders.java", "high")
    related = [(place["path"], place["start"]["line"]) for place in finding["places"] if place["role"] == "related"]
    assert related == [(f"{base}/{at[0]}", at[1])]


@pytest.mark.parametrize(
    ("value", "files"),
    [
        ("Settings.TIMEOUT", {"Settings.java": 'class Settings { static long TIMEOUT = Long.parseLong(System.getenv("T")); }'}),
        ("Settings.TIMEOUT", {"Settings.java": "class Settings { static long TIMEOUT = 5; static { TIMEOUT = 60_000; } }"}),
        ("Settings.TIMEOUT", {"Settings.java": "class Settings { class A { int TIMEOUT = 5; } class B { int TIMEOUT = 60_000; } }"}),
        ("Settings.TIMEOUT", {"other/Settings.java": "class Settings { static long TIMEOUT = 5; }"}),
    ],
)
def test_what_another_class_may_have_is_not_known(shoal: Shoal, tmp_path: Path, value: str, files: dict[str, str | bytes]) -> None:
    write(tmp_path, {"Orders.java": JAVA.format(imports="", value=value), **files})
    assert found(shoal("check", *TIMEOUT)) == []


SETTINGS = """\
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Checkpoints:
    timeout_ms: int = 500


@dataclass
class Settings:
    checkpoints: Checkpoints = field(default_factory=Checkpoints)

    def options(self):
        return {"execution.checkpointing.timeout": f"{self.checkpoints.timeout_ms} ms"}
"""
BUILT = """\
from pyflink.common import Configuration
from pyflink.datastream import StreamExecutionEnvironment

from settings import Settings


def build(settings: Settings):
    conf = Configuration()
{body}
    env = StreamExecutionEnvironment.get_execution_environment(conf)
    env.enable_checkpointing(60000)


build(Settings())
"""


@pytest.mark.parametrize(
    "body",
    [
        '    conf.set_string("execution.checkpointing.timeout", str(settings.checkpoints.timeout_ms))',
        '    held = settings.checkpoints\n    conf.set_string("execution.checkpointing.timeout", f"{held.timeout_ms} ms")',
        "    for key, value in settings.options().items():\n        conf.set_string(key, value)",
        "    given = Settings().options()\n    for key in given:\n        conf.set_string(key, given[key])",
    ],
)
def test_what_an_object_of_another_modules_class_has(shoal: Shoal, tmp_path: Path, body: str) -> None:
    write(tmp_path, {"job.py": BUILT.format(body=body), "settings.py": SETTINGS})
    assert [path for path, _ in found(shoal("check", *TIMEOUT))] == ["job.py"]


def test_options_that_a_function_goes_through(shoal: Shoal, tmp_path: Path) -> None:
    job = BUILT.replace("Settings", "OPTIONS").replace("(settings: OPTIONS)", "(options)").replace("(OPTIONS())", "(OPTIONS)")
    body = "    for key, value in OPTIONS.items():\n        conf.set_string(key, value)"
    config = "OPTIONS = {'execution.checkpointing.timeout': '500 ms', 'state.checkpoints.dir': 's3://state'}\n"
    write(tmp_path, {"job.py": job.format(body=body), "settings.py": config})
    ran = shoal("check", *TIMEOUT)
    assert [path for path, _ in found(ran)] == ["job.py"]
    assert [place["path"] for place in ran.report["findings"][0]["places"] if place["role"] == "related"] == ["settings.py"]


LOADED = """\
import json
import os
from pathlib import Path

import yaml
from confluent_kafka import Producer

{loaded}

producer = Producer({given})
producer.produce("orders", b"1")
producer.flush(10)
"""


@pytest.mark.parametrize(
    ("loaded", "given", "file", "line"),
    [
        ("with open('conf.yaml') as file:\n    conf = yaml.safe_load(file)", "conf['kafka']['producer']", "conf.yaml", 3),
        ("conf = yaml.load(open('conf.yaml').read(), Loader=yaml.SafeLoader)", "conf.get('kafka')['producer']", "conf.yaml", 3),
        ("HERE = Path(__file__).parent\nconf = yaml.safe_load((HERE / 'conf' / 'app.yml').read_text())", "conf", "conf/app.yml", 1),
        (
            "PATH = os.path.join(os.path.dirname(__file__), 'conf.json')\nwith open(PATH) as f:\n    conf = json.load(f)",
            "conf",
            "conf.json",
            2,
        ),
        ("conf = yaml.safe_load(Path('/app/conf.yaml').open())", "{**conf['kafka']['producer'], 'acks': 'all'}", "conf.yaml", 3),
    ],
)
def test_options_of_a_file_that_a_module_loads(shoal: Shoal, tmp_path: Path, loaded: str, given: str, file: str, line: int) -> None:
    nested = "kafka:\n  producer:\n    compression.type: zippy\n    bootstrap.servers: broker:9092\n"
    plain = "compression.type: zippy\nbootstrap.servers: broker:9092\n"
    text = '{\n  "compression.type": "zippy",\n  "bootstrap.servers": "broker:9092"\n}\n'
    write(
        tmp_path,
        {
            "app/feed.py": LOADED.format(loaded=loaded, given=given),
            "app/conf.yaml": nested,
            "app/conf/app.yml": plain,
            "app/conf.json": text,
        },
    )
    ran = shoal("check", "--select", "invalid-librdkafka-value", "--format", "json")
    (finding,) = ran.report["findings"]
    pointed = [(place["path"], place["start"]["line"]) for place in finding["places"] if place["role"] == "related"]
    assert (found(ran)[0][0], pointed, ran.report["problems"]) == ("app/feed.py", [(f"app/{file}", line)], [])


INI = "[DEFAULT]\ncodec = zippy\n\n[kafka]\nbootstrap_servers = broker:9092\nLinger = 5\n\n[good]\ncodec = snappy\ninner = %(codec)s\n"


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ("conf['kafka']['codec']", 2),
        ("conf.get('kafka', 'codec')", 2),
        ("conf['kafka'].get('codec', fallback='gzip')", 2),
        ("dict(conf['kafka'])['codec']", 2),
        ("conf['good']['codec']", 0),
        ("conf['good']['inner']", 0),
        ("conf.get('gone', 'codec', fallback='gzip')", 0),
    ],
)
@pytest.mark.parametrize("more", ["", "conf.set('kafka', 'codec', 'gzip')"])
def test_an_option_of_an_ini_file_that_a_module_reads(shoal: Shoal, tmp_path: Path, value: str, line: int, more: str) -> None:
    loaded = f"import configparser\n\nconf = configparser.ConfigParser()\nconf.read(Path(__file__).parent / 'conf.ini')\n{more}"
    given = f"{{'bootstrap.servers': conf['kafka']['bootstrap_servers'], 'compression.type': {value}, 'linger.ms': conf.getint('kafka', 'linger')}}"
    write(tmp_path, {"feed.py": LOADED.format(loaded=loaded, given=given), "conf.ini": INI})
    ran = shoal("check", "--select", "invalid-librdkafka-value", "--format", "json")
    pointed = [
        (path["path"], path["start"]["line"]) for one in ran.report["findings"] for path in one["places"] if path["role"] == "related"
    ]
    assert (pointed, ran.report["problems"]) == ([("conf.ini", line)] if line and not more else [], [])


@pytest.mark.parametrize("value", ["options(conf['codec'])", "options(f\"{conf['codec']}\")"])
def test_where_an_entry_of_a_loaded_file_stands(shoal: Shoal, tmp_path: Path, value: str) -> None:
    loaded = "conf = yaml.safe_load(open('conf.yaml'))\n\n\ndef options(codec):\n"
    loaded += "    return {'bootstrap.servers': 'broker:9092', 'compression.type': codec}\n"
    write(tmp_path, {"feed.py": LOADED.format(loaded=loaded, given=value), "conf.yaml": "topic: a\ncodec: zippy\n"})
    (finding,) = shoal("check", "--select", "invalid-librdkafka-value", "--format", "json").report["findings"]
    pointed = [(place["path"], place["start"]["line"]) for place in finding["places"] if place["role"] == "related"]
    assert pointed == [("conf.yaml", 2)]


@pytest.mark.parametrize(
    ("body", "call", "file"),
    [
        ("    with open(path) as file:\n        return yaml.safe_load(file)", "load_config('conf.yaml')", "conf.yaml"),
        (
            "    place = Path(path).resolve()\n    config = yaml.safe_load(place.read_text()) or {}\n    return config",
            "load_config(path=CONFIG)",
            "conf.yaml",
        ),
        ("    return yaml.safe_load(open(str(path)))", "load_config(HERE / 'other' / 'conf.yaml')", "other/conf.yaml"),
        ("    return yaml.safe_load(open('conf.yaml'))", "load_config('other/conf.yaml')", "conf.yaml"),
        ("    return yaml.safe_load(open(f'{path}.yaml'))", "load_config('conf')", ""),
        ("    if path:\n        path = 'x.yaml'\n    return yaml.safe_load(open(path))", "load_config('conf.yaml')", ""),
    ],
)
def test_a_file_that_another_module_loads_by_the_path_it_is_given(shoal: Shoal, tmp_path: Path, body: str, call: str, file: str) -> None:
    loaded = f"from load import load_config\n\nHERE = Path(__file__).parent\nCONFIG = 'conf.yaml'\nconf = {call}"
    text = "kafka:\n  producer:\n    compression.type: zippy\n    bootstrap.servers: broker:9092\n"
    write(
        tmp_path,
        {
            "app/feed.py": LOADED.format(loaded=loaded, given="conf['kafka']['producer']"),
            "app/load.py": f"from pathlib import Path\n\nimport yaml\n\n\ndef load_config(path):\n{body}\n",
            "app/conf.yaml": text,
            "app/other/conf.yaml": text,
        },
    )
    ran = shoal("check", "--select", "invalid-librdkafka-value", "--format", "json")
    pointed = [place["path"] for one in ran.report["findings"] for place in one["places"] if place["role"] == "related"]
    assert (pointed, ran.report["problems"]) == ([f"app/{file}"] if file else [], [])


@pytest.mark.parametrize(
    "files",
    [
        {"app/conf.yaml": "app: {producer: [unclosed\n"},
        {"app/conf.yaml": "kafka: &a\n  producer: *a\n"},
        {"app/conf.yaml": "{% if x %}\nkafka:\n  producer: {{ producer }}\n{% endif %}\n"},
        {"elsewhere/conf.yaml": "kafka:\n  producer:\n    compression.type: zippy\n"},
        {"app/conf.yaml": "kafka:\n  producer:\n    ${KEY}: 5\n"},
    ],
)
def test_a_file_that_says_nothing_certain_is_no_problem(shoal: Shoal, tmp_path: Path, files: dict[str, str | bytes]) -> None:
    loaded = "conf = yaml.safe_load(open('conf.yaml'))"
    write(tmp_path, {"app/feed.py": LOADED.format(loaded=loaded, given="conf['kafka']['producer']"), **files})
    ran = shoal("check", "--select", "invalid-librdkafka-value", "--format", "json")
    assert (ran.report["findings"], ran.report["problems"], ran.code) == ([], [], 0)


def test_a_client_that_a_function_of_a_starred_module_makes(shoal: Shoal, tmp_path: Path) -> None:
    made = "from kafka import KafkaProducer\n\n\ndef load_producer(server):\n    return KafkaProducer(bootstrap_servers=server)\n"
    used = "from utils import *\n\n\nclass Feed:\n    def __init__(self):\n        self.producer = load_producer('broker:9092')\n\n"
    used += "    def on_message(self, message):\n        self.producer.send('kafka-trades', message)\n\n\nFeed()\n"
    write(tmp_path, {"feed.py": used, "utils.py": made})
    assert found(shoal("check", "--select", "produce-without-delivery-report", "--format", "json")) == [("feed.py", 9)]


def test_a_default_of_the_environment_stays_less_sure(shoal: Shoal, tmp_path: Path) -> None:
    config = "import os\nTIMEOUT = int(os.getenv('TIMEOUT', '500'))\n"
    write(tmp_path, {"job.py": JOB.format(imports="from config import TIMEOUT", value="TIMEOUT"), "config.py": config})
    (finding,) = shoal("check", *TIMEOUT).report["findings"]
    assert finding["confidence"] == "medium"


ENVIRONMENT = """\
import os


def env(name, default=None):
    return os.environ.get(name, default)


def env_int(name: str, default: int = 500) -> int:
    raw = os.getenv(name)
    if raw is None or not raw.strip():
        return default
    try:
        return int(raw)
    except ValueError:
        return default


def scaled(name, default):
    return int(os.getenv(name, default)) * 1000


class Settings:
    def number(self, name, *, default):
        return int(os.getenv(name, default))


settings = Settings()
"""


@pytest.mark.parametrize(
    ("value", "confidence"),
    [
        ("int(given('TIMEOUT', '500'))", "medium"),
        ("env_int('TIMEOUT', 500)", "medium"),
        ("env_int('TIMEOUT')", "medium"),
        ("env_int(name='TIMEOUT', default=5 * 100)", "medium"),
        ("settings.number('TIMEOUT', default='500')", "medium"),
        ("env_int('TIMEOUT', 900_000)", ""),
        ("env_int('TIMEOUT', LONG)", ""),
        ("env_int('TIMEOUT', *more)", ""),
        ("scaled('TIMEOUT', 500)", ""),
        ("given('TIMEOUT')", ""),
    ],
)
def test_a_default_that_another_modules_function_hands_on(shoal: Shoal, tmp_path: Path, value: str, confidence: str) -> None:
    """What is used without the variable stands in the call, and is as sure as in `os.environ.get(name, default)`."""
    job = JOB.format(imports="from conf import env as given, env_int, scaled, settings", value=value)
    write(tmp_path, {"job.py": job, "conf.py": ENVIRONMENT})
    findings = shoal("check", *TIMEOUT).report["findings"]
    assert [(finding["places"][0]["path"], finding["confidence"]) for finding in findings] == (
        [("job.py", confidence)] if confidence else []
    )


@pytest.mark.parametrize(
    ("imports", "made", "called", "helpers", "line"),
    [
        ("from helpers import slow", "None", "slow(value)", SLOW, 5),
        ("import helpers as h", "None", "h.slow(value)", SLOW, 5),
        (
            "from helpers import Api",
            "Api('x')",
            "self.client.get(value)",
            "import time\nclass Api:\n    def __init__(self, url): ...\n    def get(self, value):\n        time.sleep(5)\n",
            5,
        ),
        ("from helpers import outer", "None", "outer(value)", "from deeper import slow\ndef outer(value):\n    return slow(value)\n", 5),
    ],
)
def test_a_helper_runs_where_it_is_called(
    shoal: Shoal, tmp_path: Path, imports: str, made: str, called: str, helpers: str, line: int
) -> None:
    write(tmp_path, {"job.py": OPERATOR.format(imports=imports, made=made, called=called), "helpers.py": helpers})
    target = "helpers.py"
    if "deeper" in helpers:
        write(tmp_path, {"deeper.py": SLOW})
        target = "deeper.py"
    ran = shoal("check", *SLEEP)
    assert found(ran) == [(target, line)]
    assert "called from Enrich.process_element in job.py" in ran.report["findings"][0]["message"]


def test_a_function_handed_to_the_engine_and_a_base_of_another_module(shoal: Shoal, tmp_path: Path) -> None:
    base = "from pyflink.datastream.functions import MapFunction\nclass Base(MapFunction):\n    pass\n"
    job = (
        "import time\nfrom pyflink.datastream import StreamExecutionEnvironment\nfrom base import Base\nimport helpers\n"
        "class Mine(Base):\n    def map(self, value):\n        time.sleep(3)\n"
        "env = StreamExecutionEnvironment.get_execution_environment()\nenv.from_collection([1]).map(Mine()).map(helpers.slow)\n"
    )
    write(tmp_path, {"job.py": job, "base.py": base, "helpers.py": SLOW})
    assert found(shoal("check", *SLEEP)) == [("helpers.py", 5), ("job.py", 7)]


def test_a_producer_of_another_module_in_one_that_names_no_library(shoal: Shoal, tmp_path: Path) -> None:
    clients = (
        "from confluent_kafka import Producer\n\n\ndef build_producer(servers):\n    return Producer({'bootstrap.servers': servers})\n"
    )
    send = (
        "from shop.kafka_client import (\n    build_producer,\n)\n\n\ndef send(orders):\n    producer = build_producer('broker:9092')\n"
        "    for order in orders:\n        producer.produce('orders', order)\n    producer.flush(30)\n"
    )
    write(tmp_path, {"shop/__init__.py": "", "shop/kafka_client.py": clients, "shop/send.py": send})
    assert found(shoal("check", "--select", "flush-remainder-ignored", "--format", "json", ".")) == [("shop/send.py", 10)]


@pytest.mark.parametrize("imports", ["from shop.codec import parse", "from .codec import parse", "from shop.codec import read as parse"])
@pytest.mark.parametrize("handed", ["parse", "lambda raw: parse(raw)['id']"])
def test_a_helper_that_a_package_hands_on(shoal: Shoal, tmp_path: Path, imports: str, handed: str) -> None:
    job = (
        "from pyflink.datastream import StreamExecutionEnvironment\nfrom shop import parse\n"
        "env = StreamExecutionEnvironment.get_execution_environment()\nenv.enable_checkpointing(60000)\n"
        f"env.from_source(source, watermarks, 'orders').key_by({handed}).print()\nenv.execute()\n"
    )
    codec = "import json\n\n\ndef parse(raw):\n    return json.loads(raw)\n\n\ndef read(raw):\n    return json.loads(raw)\n"
    write(tmp_path, {"job.py": job, "shop/__init__.py": f"{imports}\n", "shop/codec.py": codec})
    line = 9 if "read" in imports else 5
    assert found(shoal("check", "--select", "poison-record-restarts-for-ever", "--format", "json", ".")) == [("shop/codec.py", line)]


def test_a_method_of_an_object_handed_to_the_engine(shoal: Shoal, tmp_path: Path) -> None:
    job = "from pyspark.sql import SparkSession\nfrom jobs.writer import Writer\n\nframe = SparkSession.builder.getOrCreate().readStream.load()\nwriter = Writer('orders')\n"
    method = "class Writer:\n    def __init__(self, table):\n        self.table = table\n\n    def save(self, batch: DataFrame, batch_id):\n        batch.count()\n        batch.write.save(self.table)\n"
    job += "frame.writeStream.foreachBatch(writer.save).start().awaitTermination()\n"
    write(tmp_path, {"jobs/run.py": job, "jobs/writer.py": "from pyspark.sql import DataFrame\n\n\n" + method})
    assert found(shoal("check", "--select", "foreach-batch-recomputed", "--format", "json", ".")) == [("jobs/writer.py", 10)]


def test_a_client_that_another_module_makes(shoal: Shoal, tmp_path: Path) -> None:
    """Through a function, and as a name; what the other module makes is judged there."""
    clients = (
        "from kafka import KafkaConsumer\nfrom confluent_kafka import Consumer\nconsumer = KafkaConsumer('t', bootstrap_servers='a:1')\n"
        "def make_consumer():\n    found = Consumer({'bootstrap.servers': 'a:1', 'group.id': 'g'})\n    return found\n"
    )
    job = (
        "import kafka\nimport clients\nfrom clients import consumer, make_consumer\n"
        "class Reader:\n    def __init__(self):\n        self.consumer = make_consumer()\n"
        "    def run(self):\n        self.consumer.poll(5000)\n        consumer.poll(1.0)\n        clients.make_consumer().poll(1.0)\n"
    )
    write(tmp_path, {"job.py": job, "clients.py": clients})
    ran = shoal("check", "--select", "poll-timeout-in-wrong-unit", "--format", "json")
    assert found(ran) == [("job.py", 8), ("job.py", 9)]


def test_only_where_it_runs_on_an_engines_thread(shoal: Shoal, tmp_path: Path) -> None:
    """A helper that the driver calls, one that a test calls, one of another project, and what else stands in a helper's file."""
    driver = JOB.format(imports="import helpers\nhelpers.slow(1)", value="600000")
    test = OPERATOR.format(imports="from helpers import slow", made="None", called="slow(value)")
    write(tmp_path, {"job.py": driver, "helpers.py": SLOW, "tests/test_job.py": test})
    assert found(shoal("check", *SLEEP)) == []


def test_the_comment_that_silences_stands_in_the_helper(shoal: Shoal, tmp_path: Path) -> None:
    silenced = SLOW.replace("sleep(5)", "sleep(5)  # shoal: ignore[sleep-in-operator] the device needs it")
    write(tmp_path, {"job.py": OPERATOR.format(imports="import helpers", made="None", called="helpers.slow(1)"), "helpers.py": silenced})
    ran = shoal("check", "--select", "unused-suppression", *SLEEP)
    assert [finding["status"] for finding in ran.report["findings"]] == ["suppressed"]


def test_the_same_whatever_is_remembered(shoal: Shoal, tmp_path: Path) -> None:
    """Nothing that was remembered outlives the file that it came from, and nothing is forgotten."""
    files: dict[str, str | bytes] = {
        "job.py": JOB.format(imports="from conf import T", value="T"),
        "conf/__init__.py": "from .base import T\n",
        "conf/base.py": "T = 500\n",
        "op.py": OPERATOR.format(imports="import helpers", made="None", called="helpers.slow(1)"),
        "helpers.py": SLOW,
    }
    write(tmp_path, files)
    select = ("--select", "sleep-in-operator,checkpoint-timeout-too-short", "--format", "json")
    first = shoal("check", *select)
    assert found(first) == [("helpers.py", 5), ("job.py", 7)]
    assert {shoal("check", *select, *more).out for more in ((), (), ("--no-cache",), ("-j", "1"), ("-j", "3", "--no-cache"))} == {first.out}
    write(tmp_path, {"conf/base.py": "T = 600000\n"})
    assert found(shoal("check", *select)) == [("helpers.py", 5)]
    write(tmp_path, {"op.py": files["op.py"].replace("helpers.slow", "helpers.fast")})  # type: ignore[arg-type]
    assert found(shoal("check", *select)) == []
    write(tmp_path, files)
    assert shoal("check", *select).out == first.out
    # the file alone, and by a pipe, as in the whole
    assert found(shoal("check", *select, "job.py")) == [("job.py", 7)]
    piped = shoal("check", *select, "--stdin-filename", "job.py", stdin=files["job.py"].encode())  # type: ignore[union-attr]
    assert found(piped) == [("job.py", 7)]


def test_an_endless_ring_of_imports_ends(shoal: Shoal, tmp_path: Path) -> None:
    write(
        tmp_path,
        {"job.py": JOB.format(imports="from a import T", value="T"), "a.py": "from b import T\n", "b.py": "from a import T\nX = T\n"},
    )
    assert json.loads(shoal("check", *TIMEOUT).out)["findings"] == []


def test_settings_of_another_module_made_in_a_loop(shoal: Shoal, tmp_path: Path) -> None:
    loop = "from conf import CONF\nfrom pyflink.common import Configuration\n\nc = Configuration()\nfor key, value in CONF.items():\n    c.set_string(key, value)\n"
    job = (
        "from pyflink.datastream import StreamExecutionEnvironment\n"
        + loop
        + "env = StreamExecutionEnvironment.get_execution_environment(c)\n"
    )
    write(tmp_path, {"job.py": job, "conf.py": 'CONF = {"execution.checkpointing.timeout": "1 s"}\n'})
    assert found(shoal("check", *TIMEOUT)) == [("job.py", 6)]


def test_a_producer_that_another_module_makes(shoal: Shoal, tmp_path: Path) -> None:
    made = 'from confluent_kafka import Producer\n\n\ndef build_producer():\n    return Producer({"bootstrap.servers": "broker:9092"})\n'
    used = 'import confluent_kafka\nfrom clients import build_producer\n\nproducer = build_producer()\nproducer.produce("orders", b"1")\nproducer.flush()\n'
    write(tmp_path, {"clients.py": made, "orders.py": used})
    assert found(shoal("check", "--select", "produce-without-delivery-report", "--format", "json")) == [("orders.py", 5)]


def test_a_class_of_another_module_that_makes_a_producer_with_itself(shoal: Shoal, tmp_path: Path) -> None:
    made = "from confluent_kafka import Producer\n\n\nclass EventProducer:\n    def __init__(self, conf):\n        self.producer = Producer(conf)\n"
    used = (
        "import confluent_kafka\nfrom fastapi import FastAPI\n\nfrom clients import EventProducer\n\napp = FastAPI()\n\n\n"
        '@app.post("/events")\ndef take(event: dict):\n    EventProducer({"bootstrap.servers": "broker:9092"}).send(event)\n'
    )
    rule = ("check", "--select", "producer-made-for-each-request", "--format", "json")
    write(tmp_path, {"clients.py": made, "api.py": used})
    assert found(shoal(*rule)) == [("api.py", 11)]
    single = made.replace("    def __init__", "    def __new__(cls, conf):\n        return one(cls, conf)\n\n    def __init__")
    write(tmp_path, {"clients.py": single})
    assert found(shoal(*rule)) == []


def test_what_a_class_does_with_its_client_stays_known_when_another_module_calls_it(shoal: Shoal, tmp_path: Path) -> None:
    """Asked what its method gives back, the class's module looks at no name of the method from outside of it."""
    head = "from confluent_kafka import Producer\n\n\nclass Results:\n    def __init__(self):\n        self.producer = Producer({'bootstrap.servers': 'broker:9092'})\n\n"
    method = "    def {0}(self, event, score):\n        self.producer.produce('{0}', value=event['id'], on_delivery=print)\n        self.producer.flush()\n\n"
    consumer = (
        "from confluent_kafka import Consumer\n\nfrom results import results\n\nconsumer = Consumer({'bootstrap.servers': 'broker:9092', 'group.id': 'a'})\n"
        "consumer.subscribe(['events'])\nwhile True:\n    message = consumer.poll(1.0)\n    if message is None or message.error():\n        continue\n"
        "    results.odd(message.value(), 1)\n    results.all(message.value(), 1)\n"
    )
    write(tmp_path, {"results.py": head + method.format("odd") + method.format("all") + "\nresults = Results()\n", "run.py": consumer})
    ran = shoal("check", "--format", "json")
    places = [finding["places"][0] for finding in ran.report["findings"] if finding["rule"] == "flush-after-each-record"]
    assert [(place["path"], place["start"]["line"]) for place in places] == [("results.py", 10), ("results.py", 14)]


def test_a_dockerfile_that_speaks_of_no_engine_says_what_a_service_starts(shoal: Shoal, tmp_path: Path) -> None:
    """It is read when a compose file asks, whatever files are named, and what it says is remembered."""
    compose = (
        "services:\n  kafka:\n    image: apache/kafka:3.9.0\n    environment: {KAFKA_NODE_ID: 1}\n  orders:\n    build: {context: .}\n"
    )
    client = "from kafka import KafkaProducer\n\nproducer = KafkaProducer(bootstrap_servers='localhost:9092')\n"
    image: dict[str, str | bytes] = {"Dockerfile": 'FROM python:3.12\nCMD ["python", "main.py"]\n'}
    write(tmp_path, {"docker-compose.yml": compose, "main.py": client, **image})
    select = ("--select", "client-in-container-told-localhost", "--format", "json")
    for arguments in ((), (), ("--no-cache",), ("main.py",)):
        assert found(shoal("check", *select, *arguments)) == [("main.py", 3)]
    write(tmp_path, {"Dockerfile": 'FROM python:3.12\nCMD ["python", "other.py"]\n'})
    assert not found(shoal("check", *select))


def test_a_dockerfile_beside_pins_is_read(shoal: Shoal, tmp_path: Path) -> None:
    """Whatever it is called and whatever it speaks of; others are not."""
    image: dict[str, str | bytes] = {"Dockerfile.prod": "FROM python:3.12\nCOPY . .\nRUN pip install -r requirements.txt\n"}
    client = "from kafka import KafkaConsumer\n\nconsumer = KafkaConsumer('orders', bootstrap_servers='kafka:9092')\n"
    write(tmp_path, {"a/requirements.txt": "kafka-python==2.0.2\n", "a/main.py": client, "b/Dockerfile": image["Dockerfile.prod"]})
    select = ("--select", "package-for-other-python", "--format", "json")
    assert not found(shoal("check", *select))
    write(tmp_path, {f"a/{name}": text for name, text in image.items()})
    for arguments in ((), (), ("--no-cache",), ("a/requirements.txt",)):
        ran = shoal("check", *select, *arguments)
        assert found(ran) == [("a/requirements.txt", 1)]
    write(tmp_path, {"a/pins/requirements.txt": "kafka-python==2.0.2\n", "a/requirements.txt": ""})
    write(tmp_path, {"a/Dockerfile.prod": "FROM python:3.12\nCOPY pins/requirements.txt .\nRUN pip install -r requirements.txt\n"})
    assert found(shoal("check", *select)) == [("a/pins/requirements.txt", 1)]
    write(tmp_path, {"a/Dockerfile.prod": "FROM python:3.11\nCOPY . .\nRUN pip install -r requirements.txt\n"})
    assert not found(shoal("check", *select))


def test_tags_of_a_dofn_of_another_module(shoal: Shoal, tmp_path: Path) -> None:
    """Of a class through a package that gives it on, and of a function; a transform that declares them is as it should be."""
    dofn = (
        "import apache_beam as beam\n\n\nclass Parse(beam.DoFn):\n    def process(self, message):\n"
        "        yield beam.pvalue.TaggedOutput('invalid', message)\n"
    )
    function = "import apache_beam as beam\n\n\ndef split(order):\n    yield beam.pvalue.TaggedOutput('large', order)\n"
    job = (
        "import apache_beam as beam\nfrom steps import Parse\nfrom steps.split import split\n\n\ndef run(messages):\n"
        "    messages | 'a' >> beam.ParDo(Parse()) | beam.Map(print)\n"
        "    messages | 'b' >> beam.FlatMap(split)\n"
        "    messages | 'c' >> beam.ParDo(Parse()).with_outputs('invalid')\n"
        "    messages | 'd' >> beam.FlatMap(split).with_outputs('large', main='small')\n"
    )
    steps = {"steps/__init__.py": "from .parse import Parse\n", "steps/parse.py": dofn, "steps/split.py": function}
    write(tmp_path, {"main.py": job, **steps})
    assert found(shoal("check", "--select", "undeclared-output-tag", "--format", "json")) == [("main.py", 7), ("main.py", 8)]


READER = """\
class Orders:
    def __init__(self, spark, topic):
        self.spark = spark
        self.topic = topic

    def load(self):
        return self.spark.readStream.format("kafka").option("subscribe", self.topic).load()
"""
STEPS = """\
from pyspark.sql.functions import window


class Steps:
    @staticmethod
    def per_minute(df):
        return df.groupBy(window("timestamp", "1 minute")).count()

    def joined(self, left, right):
        return left.join(right, "key")


def late(df):
    return df.withWatermark("timestamp", "5 minutes")


def unique(df):
    return df.dropDuplicates(["key"])
"""
SINK = """\
class Sink:
    def __init__(self, path):
        self.path = path

    def write(self, df, mode="append"):
        return df.writeStream.format("parquet").outputMode(mode).option("checkpointLocation", "s3://b/cp").start(self.path)
"""
STREAM_JOB = """\
from pyspark.sql import SparkSession

from lib import Orders, Sink, Steps, late, unique

spark = SparkSession.builder.getOrCreate()
orders = Orders(spark, "orders").load()
steps = Steps()
{body}
"""
FRAMES = (
    "--select",
    "streaming-aggregation-without-watermark,deduplication-keeps-all-keys,stream-join-keeps-all-state,output-mode-refused,batch-operation-on-stream",
)
WRITTEN = 'Sink("s3://b/t").write({}).awaitTermination()'


def stream_project(body: str) -> dict[str, str]:
    """A job of one module, whose frames come from, and go to, others that a package hands on."""
    package = "from .reader import Orders\nfrom .sink import Sink\nfrom .steps import Steps, late, unique\n"
    library = {"lib/__init__.py": package, "lib/reader.py": READER, "lib/steps.py": STEPS, "lib/sink.py": SINK}
    return {**library, "job.py": STREAM_JOB.format(body=body)}


def streams(shoal: Shoal, root: Path, body: str) -> Ran:
    write(root, dict(stream_project(body)))
    return shoal("check", *FRAMES, "--format", "json", ".", cwd=root)


@pytest.mark.parametrize(
    ("body", "places"),
    [
        (WRITTEN.format("unique(orders)"), [("lib/steps.py", 18)]),
        (WRITTEN.format("orders.transform(unique)"), [("lib/steps.py", 18)]),
        (WRITTEN.format("steps.joined(orders, late(orders))"), [("lib/steps.py", 10)]),
        # refused, and the state grows
        (WRITTEN.format("Steps.per_minute(orders)"), [("lib/sink.py", 6), ("lib/steps.py", 7)]),
        (WRITTEN.format('orders, mode="complete"'), [("lib/sink.py", 6)]),
        ("unique(orders).show()", [("job.py", 8), ("lib/steps.py", 18)]),
    ],
)
def test_frames_through_functions_of_other_modules(shoal: Shoal, tmp_path: Path, body: str, places: list[tuple[str, int]]) -> None:
    assert sorted(found(streams(shoal, tmp_path, body))) == places


@pytest.mark.parametrize(
    "body",
    [
        WRITTEN.format("Steps.per_minute(late(orders))"),
        WRITTEN.format("Steps.per_minute(orders.withWatermark('timestamp', '1 hour'))"),
        WRITTEN.format("unknown(orders)"),
        "unique(spark.read.parquet('s3://b/t')).show()",
        "Steps.per_minute(unknown()).show()",
        WRITTEN.format("*unknown(orders)"),
    ],
)
def test_frames_of_other_modules_that_are_right_or_unknown(shoal: Shoal, tmp_path: Path, body: str) -> None:
    assert found(streams(shoal, tmp_path, body)) == []


def test_where_another_module_groups_a_frame_is_named(shoal: Shoal, tmp_path: Path) -> None:
    report = streams(shoal, tmp_path, WRITTEN.format("Steps.per_minute(orders)")).report
    refused = next(one for one in report["findings"] if one["places"][0]["path"] == "lib/sink.py")
    assert [(place["path"], place["start"]["line"]) for place in refused["places"][1:]] == [("lib/steps.py", 7)]


def test_a_module_that_names_no_library_ties_the_others_together(shoal: Shoal, tmp_path: Path) -> None:
    session = "from pyspark.sql import SparkSession\n\n\ndef session():\n    return SparkSession.builder.getOrCreate()\n"
    package = "from .reader import Orders\nfrom .session import session\nfrom .sink import Sink\nfrom .steps import unique\n"
    write(
        tmp_path,
        {"lib/__init__.py": package, "lib/reader.py": READER, "lib/steps.py": STEPS, "lib/sink.py": SINK, "lib/session.py": session},
    )
    body = 'orders = Orders(session(), "orders").load()\nquery = Sink("s3://b/t").write(unique(orders))\nquery.awaitTermination()\n'
    write(tmp_path, {"run.py": "from lib import Orders, Sink, session, unique\n\n" + body})
    assert found(shoal("check", *FRAMES, "--format", "json", ".", cwd=tmp_path)) == [("lib/steps.py", 18)]


TABLES = '''\
TOPIC = "orders"


def source(name, topic):
    return f"""
        CREATE TABLE {name} (id BIGINT) WITH (
            'connector' = 'kafka',
            'topic' = '{topic}',
            'properties.bootstrap.servers' = 'b:9092',
            'scan.startup.mode' = 'group-offsets',
            'format' = 'json'
        )
    """


SOURCE = """
    CREATE TABLE orders (id BIGINT) WITH (
        'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'b:9092', 'format' = 'json',
        'scan.startup.mode' = 'group-offsets'
    )
"""
'''
TABLE_JOB = """\
from pyflink.table import EnvironmentSettings, TableEnvironment

from tables import TOPIC, SOURCE, source

t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
t_env.execute_sql({statement})
"""


@pytest.mark.parametrize(
    ("statement", "places"),
    [
        ("SOURCE", [("job.py", 6), ("tables.py", 19)]),
        ('source("orders", TOPIC)', [("job.py", 6), ("tables.py", 10)]),
        ("source(*names)", []),
    ],
)
def test_sql_that_another_module_has(shoal: Shoal, tmp_path: Path, statement: str, places: list[tuple[str, int]]) -> None:
    """The table is made where the statement is submitted, and its option stands in the other file."""
    write(tmp_path, {"tables.py": TABLES, "job.py": TABLE_JOB.format(statement=statement)})
    report = shoal("check", "--select", "kafka-source-without-group", "--format", "json", ".", cwd=tmp_path).report
    named = [(place["path"], place["start"]["line"]) for one in report["findings"] for place in one["places"] if place["role"] != "covers"]
    assert named == places


GIVEN = """\
from confluent_kafka import Consumer

{imports}

consumer = Consumer({{"bootstrap.servers": "broker:9092", "group.id": "orders"}})
consumer.subscribe(["orders"])
{call}
"""
TAKES = """\
import json


def run(orders, handle=print):
    while True:
        record = orders.poll(1.0)
        if record is None:
            continue
        handle(json.loads(record.value()))
"""
KEEPS = """\
class Reader:
    def __init__(self, name, consumer):
        self.name = name
        self.consumer = consumer

    def run(self):
        while True:
            record = self.consumer.poll(1.0)
            if record is None:
                continue
            print(record.value())
"""
UNCHECKED = ("--select", "message-error-unchecked", "--format", "json")


@pytest.mark.parametrize(
    ("imports", "call", "files", "place"),
    [
        ("from steps import run", "run(consumer)", {"steps.py": TAKES}, ("steps.py", 9)),
        ("import steps", "steps.run(handle=print, orders=consumer)", {"steps.py": TAKES}, ("steps.py", 9)),
        ("from jobs import run", "run(consumer)", {"jobs/__init__.py": "from .steps import run\n", "jobs/steps.py": TAKES}, ("jobs/steps.py", 9)),
        ("from reader import Reader", "Reader('orders', consumer).run()", {"reader.py": KEEPS}, ("reader.py", 11)),
        ("from reader import Reader", "reader = Reader('orders', consumer=consumer)\nreader.run()", {"reader.py": KEEPS}, ("reader.py", 11)),
        (
            "from first import start",
            "start(consumer)",
            {"first.py": "from steps import run\n\n\ndef start(client):\n    run(client)\n", "steps.py": TAKES},
            ("steps.py", 9),
        ),
        (
            "from threading import Thread\n\nfrom steps import run",
            "Thread(target=run, args=(consumer, print), daemon=True).start()",
            {"steps.py": TAKES},
            ("steps.py", 9),
        ),
    ],
)  # fmt: skip
def test_a_client_that_a_function_of_another_module_is_given(
    shoal: Shoal, tmp_path: Path, imports: str, call: str, files: dict[str, str | bytes], place: tuple[str, int]
) -> None:
    write(tmp_path, {"job.py": GIVEN.format(imports=imports, call=call), **files})
    assert found(shoal("check", *UNCHECKED)) == [place]


@pytest.mark.parametrize(
    ("files", "call"),
    [
        ({"steps.py": TAKES.replace("record.value()", "record.error() or record.value()")}, "run(consumer)"),
        # whoever else calls it gives it something else
        ({"steps.py": TAKES, "other.py": "from steps import run\nfrom kafka import KafkaConsumer\nrun(KafkaConsumer('orders'))\n"}, "run(consumer)"),
        ({"steps.py": TAKES}, "run(print, consumer)"),
        ({"steps.py": TAKES}, "run(*[consumer])"),
    ],
)  # fmt: skip
def test_what_a_function_is_given_and_does_right_or_may_be_something_else(
    shoal: Shoal, tmp_path: Path, files: dict[str, str | bytes], call: str
) -> None:
    write(tmp_path, {"job.py": GIVEN.format(imports="from steps import run", call=call), **files})
    assert found(shoal("check", *UNCHECKED)) == []


def test_options_that_whoever_made_an_environment_may_have_set(shoal: Shoal, tmp_path: Path) -> None:
    job = "from pyflink.common import Duration\nfrom pyflink.datastream import StreamExecutionEnvironment\n\nfrom setup import made\n\n\n"
    late = "    env.get_checkpoint_config().set_alignment_timeout(Duration.of_seconds(30))\n"
    files = {
        "setup.py": "from pyflink.datastream import StreamExecutionEnvironment\n\n\ndef made():\n"
        "    env = StreamExecutionEnvironment.get_execution_environment()\n    env.enable_checkpointing(60000)\n"
        "    env.get_checkpoint_config().enable_unaligned_checkpoints()\n    return env\n",
        "job.py": f"{job}def run():\n    env = made()\n{late}\n\ndef tune(env: StreamExecutionEnvironment):\n{late}",
    }
    write(tmp_path, files)
    ran = shoal("check", "--select", "aligned-timeout-without-unaligned", "--format", "json")
    assert found(ran) == []


STORES = """\
import logging


def save(self, rows):
    try:
        self.table.insert_many(rows)
    except Exception:
        {handled}
"""
COMMITS = """\
from confluent_kafka import Consumer

{imports}

consumer = Consumer({{"bootstrap.servers": "broker:9092", "group.id": "orders", "enable.auto.commit": False}})
consumer.subscribe(["orders"])
{made}
while True:
    rows = consumer.consume(500, 1.0)
    {call}
    consumer.commit()
"""


@pytest.mark.parametrize(
    ("handled", "imports", "made", "call", "places"),
    [
        ("logging.exception('not saved')", "from store import save", "", "save(None, rows)", [("job.py", 11), ("job.py", 10), ("store.py", 7)]),
        ("raise", "from store import save", "", "save(None, rows)", []),
        ("logging.exception('not saved')", "from store import save", "", "save(None, 'a line')", []),
        ("logging.exception('not saved')", "import store", "", "print(store.save(None, rows))", []),
    ],
)  # fmt: skip
def test_a_write_that_another_module_only_logs_to_have_failed(
    shoal: Shoal, tmp_path: Path, handled: str, imports: str, made: str, call: str, places: list[tuple[str, int]]
) -> None:
    job = COMMITS.format(imports=imports, made=made, call=call)
    write(tmp_path, {"job.py": job, "store.py": STORES.format(handled=handled)})
    ran = shoal("check", "--select", "failed-record-committed", "--format", "json")
    said = [(place["path"], place["start"]["line"]) for finding in ran.report["findings"] for place in finding["places"][:3]]
    assert said == places


def test_a_write_that_a_method_of_another_modules_class_only_logs_to_have_failed(shoal: Shoal, tmp_path: Path) -> None:
    job = COMMITS.format(imports="from store import Store", made="store = Store('orders')", call="store.save(rows)")
    body = STORES.format(handled="logging.exception('not saved')").partition("def save")
    kept = "class Store:\n    def __init__(self, name):\n        self.table = name\n\n"
    method = "".join(f"    {line}\n" if line else "\n" for line in ("def save" + body[2]).splitlines())
    write(tmp_path, {"job.py": job, "store.py": f"{body[0]}{kept}{method}"})
    ran = shoal("check", "--select", "failed-record-committed", "--format", "json")
    assert [finding["places"][0]["path"] for finding in ran.report["findings"]] == ["job.py"]


def test_an_environment_whose_maker_is_a_part_of_the_job_is_all_in_sight(shoal: Shoal, tmp_path: Path) -> None:
    helper = "from pyflink.table import StreamTableEnvironment\n\n\ndef declared(t_env: StreamTableEnvironment):\n"
    table = "    t_env.get_config().set('pipeline.name', 'orders')\n    t_env.execute_sql(\"CREATE TABLE orders (id STRING) WITH ('connector' = 'kafka')\")\n"
    job = (
        "from pyflink.datastream import StreamExecutionEnvironment\nfrom pyflink.table import StreamTableEnvironment\n\n"
        "from tables import declared\n\nenv = StreamExecutionEnvironment.get_execution_environment()\n"
        "t_env = StreamTableEnvironment.create(env)\ndeclared(t_env)\nt_env.execute_sql('INSERT INTO sink SELECT id FROM orders')\n"
    )
    write(tmp_path, {"job.py": job, "tables.py": helper + table})
    assert [path for path, _ in found(shoal("check", "--select", "checkpointing-not-enabled", "--format", "json"))] == ["job.py"]


_BRICKS = "# Databricks notebook source\n"
_STREAMED = "spark.readStream.format('delta').load('/lake/orders').writeStream.option('checkpointLocation', place).trigger(availableNow=True).start('/lake/out')\n"


def _cells(*sources: str) -> str:
    cells = [{"cell_type": "code", "source": source.splitlines(keepends=True)} for source in sources]
    return json.dumps({"cells": cells, "metadata": {"kernelspec": {"language": "python"}}, "nbformat": 4})


@pytest.mark.parametrize(
    ("files", "path"),
    [
        ({"orders.py": f"{_BRICKS}# MAGIC %run ./shared/config\n\n# COMMAND ----------\n{_STREAMED}", "shared/config.py": f"{_BRICKS}place = '/tmp/chk'\n"}, "orders.py"),
        ({"jobs/orders.py": f"{_BRICKS}# MAGIC %run \"../config\"\n# COMMAND ----------\n{_STREAMED}", "config.ipynb": _cells("place = '/tmp/chk'\n")}, "jobs/orders.py"),
        ({"orders.ipynb": _cells("%run ./config $day=1", _STREAMED), "config.py": f"{_BRICKS}place = '/tmp/chk'\n"}, "orders.ipynb"),
    ],
)  # fmt: skip
def test_a_notebook_has_the_names_of_those_that_it_runs(shoal: Shoal, tmp_path: Path, files: dict[str, str | bytes], path: str) -> None:
    select = ("--select", "streaming-checkpoint-on-local-path", "--format", "json")
    write(tmp_path, files)
    assert [at for at, _ in found(shoal("check", *select))] == [path]
    (tmp_path / path).write_text(files[path].replace("%run", "%md"))  # type: ignore[union-attr,arg-type]
    assert found(shoal("check", *select)) == []


def test_of_several_notebooks_that_it_runs_each_gives_what_it_has(shoal: Shoal, tmp_path: Path) -> None:
    """Beside the star of a library, whose names are its own."""
    job = (
        f"{_BRICKS}from pyspark.sql.functions import *\n# MAGIC %run ./shared/config\n# COMMAND ----------\n# MAGIC %run ./shared/writers\n# COMMAND ----------\n"
        "orders = spark.readStream.format('delta').load('/lake/orders').withColumn('total', col('price'))\n"
        "orders.writeStream.option('checkpointLocation', '/lake/c').foreachBatch(save).trigger(availableNow=True).start()\n"
        "distinct(orders).writeStream.option('checkpointLocation', '/lake/d').trigger(availableNow=True).start('/lake/e')\n"
    )
    writers = (
        f"{_BRICKS}def save(batch, number):\n    batch.write.format('jdbc').mode('append').option('url', 'jdbc:postgresql://db/b').option('dbtable', 't').save()\n\n"
        "def distinct(frame):\n    return frame.dropDuplicates(['id'])\n"
    )
    write(tmp_path, {"orders.py": job, "shared/config.py": f"{_BRICKS}zone = 'UTC'\n", "shared/writers.py": writers})
    select = ("--select", "foreach-batch-not-idempotent,deduplication-keeps-all-keys", "--format", "json")
    assert found(shoal("check", *select)) == [("shared/writers.py", 3), ("shared/writers.py", 6)]
    (tmp_path / "shared/config.py").write_text(f"{_BRICKS}def save(batch, number):\n    print(number)\n")
    write(tmp_path, {"orders.py": job.replace("writers", "others").replace("config", "writers").replace("others", "config")})
    assert found(shoal("check", *select)) == [("shared/writers.py", 6)]  # the last one that has it counts


def test_what_a_job_takes_from_a_file_that_does_not_parse_was_not_looked_at(shoal: Shoal, tmp_path: Path) -> None:
    """A file of which nobody asks anything may be what it likes."""
    job = JOB.format(imports="from config import TIMEOUT", value="TIMEOUT")
    write(tmp_path, {"job.py": job, "config.py": "TIMEOUT = 500\ndef broken(:\n", "other.py": "def broken(:\n"})
    ran = shoal("check", *TIMEOUT)
    assert [(item["path"], item["line"], item["kind"]) for item in ran.report["problems"]] == [("config.py", 2, "unparsable")]
    assert (found(ran), ran.code) == ([], 2)


RESOURCE = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: orders
spec:
  image: registry.example.org/orders:1.4
  flinkVersion: v1_20
  job:
    jarURI: local:///opt/flink/jobs/orders.py
  podTemplate:
    spec:
      containers:
        - name: {container}
          image: registry.example.org/orders:1.4
"""
AT_HOME = """\
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import KafkaSource

env = StreamExecutionEnvironment.get_execution_environment()
source = KafkaSource.builder().set_bootstrap_servers("localhost:9092").set_topics("orders").set_group_id("orders").build()
"""


@pytest.mark.parametrize(("container", "expected"), [("flink-main-container", [("src/orders.py", 5)]), ("kafka", [])])
def test_a_pod_finds_no_broker_at_localhost(shoal: Shoal, tmp_path: Path, container: str, expected: list[tuple[str, int]]) -> None:
    write(tmp_path, {"src/orders.py": AT_HOME, "k8s/orders.yaml": RESOURCE.format(container=container)})
    assert found(shoal("check", ".", "--select", "cluster-in-containers-told-localhost", "--format", "json")) == expected


@pytest.mark.parametrize(
    ("handled", "expected"),
    [
        ("logging.exception('it failed')", [("main.py", 7)]),
        ("logging.exception('it failed'); raise", []),
        ("sys.exit(1)", []),
    ],
)
@pytest.mark.parametrize(
    ("run", "job"),
    [
        ("orders.run_job()", "def run_job():\n    build()\n\ndef build():\n    env.from_collection([1]).print()\n    env.execute()\n"),
        (
            "orders.Orders().start()",
            "class Orders:\n    def start(self):\n        env.from_collection([1]).print()\n        env.execute()\n",
        ),
    ],
)
def test_the_failure_of_a_job_that_another_module_runs(
    shoal: Shoal, tmp_path: Path, run: str, job: str, handled: str, expected: list[tuple[str, int]]
) -> None:
    main = f"import logging, sys\nfrom pyflink.common import Configuration\nimport orders\n\ntry:\n    {run}\nexcept Exception:\n    {handled}\n"
    start = "from pyflink.datastream import StreamExecutionEnvironment\n\nenv = StreamExecutionEnvironment.get_execution_environment()\n\n"
    write(tmp_path, {"main.py": main, "orders.py": start + job})
    select = ("--select", "job-failure-swallowed", "--format", "json")
    assert found(shoal("check", *select)) == expected
    (tmp_path / "orders.py").write_text(start + job.replace("env.execute()", "print(env)"))
    assert found(shoal("check", *select)) == []


def test_a_method_called_parameter_is_no_parameter(shoal: Shoal, tmp_path: Path) -> None:
    """What a frame is made from is told to the other module under names of its own."""
    job = """\
from helpers import cleaned
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
rows = cleaned(spark.readStream.format("kafka").option("kafka.bootstrap.servers", "k:9092").option("subscribe", "a").load())
rows.groupBy("a").count().writeStream.outputMode("append").format("console").start()
"""
    write(tmp_path, {"job.py": job, "helpers.py": "def cleaned(df):\n    return df.where('a > 1').parameter('x')\n"})
    done = shoal("check", "--select", "streaming-aggregation-without-watermark", "--format", "json")
    assert (done.code, found(done)) == (1, [("job.py", 6)]), done.err
