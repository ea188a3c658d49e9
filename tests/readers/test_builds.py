"""Versions in pyproject and lock files, poms, Gradle and sbt builds."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from reader_facts import assert_sound, dependencies, oddities, of, reading, scraps

from shoal.facts import Dependency, Usage
from shoal.readers import Reading


def build(text: str, kind: str, path: str) -> Reading:
    out = reading(text, kind, path)
    assert_sound(out)
    return out


def found(text: str, kind: str, path: str) -> list[tuple[str, str, bool]]:
    return [one[1:] for one in dependencies(build(text, kind, path))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[project]\ndependencies = [\n  "apache-flink==1.18.1", # x\n  "requests",\n]\n', [("apache-flink", "1.18.1", True)]),
        ('[project.optional-dependencies]\nx = ["pyspark>=3.4"]\n', [("pyspark", ">=3.4", False)]),
        ('[dependency-groups]\ndev = [{include-group = "x"}, "apache-beam[gcp]==2.50.0"]\n', [("apache-beam", "2.50.0", True)]),
        ('[tool.uv]\ndev-dependencies = ["kafka-python==2.0.2"]\n', [("kafka-python", "2.0.2", True)]),
        ('[tool.poetry.dependencies]\npython = "^3.10"\napache-flink = "1.18.1"\n', [("apache-flink", "1.18.1", True)]),
        ('[tool.poetry.dependencies]\napache-flink = "^1.18"\n', [("apache-flink", "^1.18", False)]),
        (
            '[tool.poetry.group.dev.dependencies]\napache-flink = {version = "1.18.1", optional = true}\n',
            [("apache-flink", "1.18.1", True)],
        ),
        ('[tool.poetry.dependencies.apache-beam]\nversion = "==2.50.0"\nextras = ["gcp"]\n', [("apache-beam", "2.50.0", True)]),
        ("[project]\ndependencies = ['apache-flink==1.18.1']\r\n", [("apache-flink", "1.18.1", True)]),
        ('[project]\nname = "apache-flink"\nkeywords = ["apache-flink==1"]\n', []),
        ('description = """\n[project]\ndependencies = ["apache-flink==1"]\n"""\n', []),
        ('# dependencies = ["apache-flink==1"]\n', []),
    ],
)
def test_pyproject(text: str, expected: list[tuple[str, str, bool]]) -> None:
    assert found(text, "toml", "pyproject.toml") == expected


def test_pipfile() -> None:
    assert found('[packages]\napache-flink = "==1.18.1"\npyspark = "*"\n', "toml", "Pipfile") == [
        ("apache-flink", "1.18.1", True),
        ("pyspark", "", False),
    ]
    lock = '{"default": {"pyspark": {"hashes": [], "version": "==3.5.0"}}, "develop": {}}'
    out = build(lock, "lock", "Pipfile.lock")
    (one,) = of(out, Dependency)
    assert (one.version, lock[one.place.span.start : one.place.span.end]) == ("3.5.0", "==3.5.0")


@pytest.mark.parametrize("name", ["poetry.lock", "uv.lock", "pdm.lock"])
def test_lock_files(name: str) -> None:
    text = '[[package]]\nname = "apache-flink"\nversion = "1.18.1"\n\n[[package]]\nname = "x"\nversion = "1"\ndependencies = [{ name = "pyspark" }]\n'
    assert found(text, "lock", name) == [("apache-flink", "1.18.1", True)]


POM = """<?xml version="1.0"?>
<!-- é -->
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <parent><groupId>p</groupId><artifactId>q</artifactId><version>7</version></parent>
  <properties><flink.version>1.18.1</flink.version><scala>2.12</scala><kafka>${flink.version}</kafka></properties>
  <dependencyManagement><dependencies>
    <dependency><groupId>org.apache.flink</groupId><artifactId>flink-clients</artifactId><version> 1.18.0 </version></dependency>
    <dependency><groupId>org.apache.beam</groupId><artifactId>beam-runners-flink-1.18</artifactId><version>2.56.0</version></dependency>
  </dependencies></dependencyManagement>
  <dependencies>
    <dependency><groupId>org.apache.flink</groupId><artifactId>flink-streaming-java</artifactId><version>${flink.version}</version>
      <exclusions><exclusion><groupId>org.apache.flink</groupId><artifactId>no</artifactId></exclusion></exclusions></dependency>
    <dependency><groupId>org.apache.flink</groupId><artifactId>flink-connector-kafka_${scala}</artifactId><version>${kafka}</version></dependency>
    <dependency><groupId>org.apache.flink</groupId><artifactId>flink-clients</artifactId></dependency>
    <dependency><groupId>org.apache.flink</groupId><artifactId>flink-json</artifactId></dependency>
    <dependency><groupId>org.apache.flink</groupId><artifactId>flink-csv</artifactId><version>${elsewhere}</version></dependency>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka-clients</artifactId><version>[3.0,4.0)</version></dependency>
    <dependency><groupId>org.apache.flink</groupId><artifactId>flink-test-utils</artifactId><version>1.18.1</version><scope>test</scope></dependency>
    <dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4</version></dependency>
  </dependencies>
  <build><plugins><plugin><dependencies><dependency><groupId>org.apache.flink</groupId><artifactId>flink-core</artifactId><version>9</version></dependency></dependencies></plugin></plugins></build>
</project>
"""


def test_pom() -> None:
    out = build(POM, "pom", "pom.xml")
    assert dependencies(out) == [
        ("maven", "org.apache.flink:flink-streaming-java", "1.18.1", True),
        ("maven", "org.apache.flink:flink-connector-kafka_2.12", "1.18.1", True),
        ("maven", "org.apache.flink:flink-clients", "1.18.0", True),
        ("maven", "org.apache.flink:flink-json", "", False),
        ("maven", "org.apache.kafka:kafka-clients", "[3.0,4.0)", False),
        ("maven", "org.apache.beam:beam-runners-flink-1.18", "2.56.0", True),
    ]
    places = [POM[one.place.span.start : one.place.span.end] for one in of(out, Dependency)]
    assert places == ["1.18.1", "${flink.version}", "1.18.0", "flink-json", "[3.0,4.0)", "2.56.0"]


def test_pom_refuses_entities() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "org.apache.flink"><!ENTITY b "&a;&a;">]><project>&b;</project>'
    out = build(bomb, "pom", "pom.xml")
    assert out.facts == [] and [problem.kind for problem in out.problems] == ["unparsable"]


def test_broken_poms() -> None:
    assert [problem.kind for problem in build("<project>org.apache.flink", "pom", "pom.xml").problems] == ["unparsable"]
    assert build("<project>\n#set($x = 1)\norg.apache.flink", "pom", "pom.xml").problems == []
    assert build("<project>junit", "pom", "pom.xml").problems == []


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("dependencies { implementation 'org.apache.flink:flink-clients:1.18.1' }", "build.gradle", [("org.apache.flink:flink-clients", "1.18.1", True)]),
        ('ext { flinkVersion = "1.18.1" }\nimplementation "org.apache.flink:flink-clients:${flinkVersion}"', "build.gradle", [("org.apache.flink:flink-clients", "1.18.1", True)]),
        ('val flink = "1.18.1"\nimplementation("org.apache.flink:flink-clients:$flink")', "build.gradle.kts", [("org.apache.flink:flink-clients", "1.18.1", True)]),
        ("def v = '1.18.1'\ncompile 'org.apache.flink:flink-clients:' + v", "build.gradle", [("org.apache.flink:flink-clients", "1.18.1", True)]),
        ("compile group: 'org.apache.flink', name: 'flink-clients', version: '1.18.1'", "build.gradle", [("org.apache.flink:flink-clients", "1.18.1", True)]),
        ('implementation(group = "org.apache.flink", name = "flink-clients", version = v)', "build.gradle.kts", [("org.apache.flink:flink-clients", "", False)]),
        ('implementation("org.apache.flink:flink-clients")', "build.gradle.kts", [("org.apache.flink:flink-clients", "", False)]),
        ("// implementation 'org.apache.flink:flink-clients:1'\n/* 'org.apache.flink:flink-core:1' */ x 'https://kafka/a'", "build.gradle", []),
        ("testImplementation 'org.apache.flink:flink-clients:1.18.1'", "build.gradle", []),
        ('val v = "1.18.1"\nscalaVersion := "2.12.15"\n"org.apache.flink" %% "flink-scala" % v', "build.sbt", [("org.apache.flink:flink-scala_2.12", "1.18.1", True)]),
        ('"org.apache.spark" % "spark-sql_2.13" % "4.0.0" % "provided"', "build.sbt", [("org.apache.spark:spark-sql_2.13", "4.0.0", True)]),
        (
            '[versions]\nflink = "1.18.1"\n[libraries]\na = { module = "org.apache.flink:flink-clients", version.ref = "flink" }\nb = "org.apache.kafka:kafka-clients:3.4.0"\n'
            'c = { group = "org.apache.flink", name = "flink-json", version = "1.18.0" }\n',
            "libs.versions.toml",
            [("org.apache.flink:flink-clients", "1.18.1", True), ("org.apache.kafka:kafka-clients", "3.4.0", True), ("org.apache.flink:flink-json", "1.18.0", True)],
        ),
    ],
)  # fmt: skip
def test_gradle_and_sbt(text: str, path: str, expected: list[tuple[str, str, bool]]) -> None:
    assert found(text, "gradle", path) == expected


@settings(max_examples=150, deadline=None)
@given(
    scraps("apache-flink", '"apache-flink==1"', "dependencies = [", "[project]\n", "[[package]]\n", 'name = "pyspark"\nversion = "1"\n', "[tool.poetry.dependencies]\n", "<project>", "</project>",
           "<dependency>", "<groupId>org.apache.flink", "</groupId>", "<!--", "'org.apache.flink:flink-java:1'", "group: 'org.apache.flink', name: 'x'", "${v}", "<![CDATA[", "&amp;", '"""'),
)  # fmt: skip
@example('="apache-flink==1"')  # a value of nothing
def test_no_text_trips_the_readers(text: str) -> None:
    for kind, path in (
        ("toml", "pyproject.toml"),
        ("lock", "uv.lock"),
        ("lock", "Pipfile.lock"),
        ("pom", "pom.xml"),
        ("gradle", "build.gradle"),
        ("gradle", "libs.versions.toml"),
        ("gradle", "build.sbt"),
    ):
        build(text, kind, path)


def pom(dependency: str, around: str = "{}", plugin: str = "<artifactId>maven-shade-plugin</artifactId>", rest: str = "") -> Reading:
    listed = around.format(f"<dependencies><dependency><groupId>org.apache.flink</groupId>{dependency}</dependency></dependencies>")
    text = f"<project>{rest}{listed}<build><plugins><plugin>{plugin}</plugin></plugins></build></project>"
    return build(text, "pom", "pom.xml")


JAVA = "<artifactId>flink-streaming-java</artifactId>"
MANAGED = "<dependencyManagement><dependencies><dependency><groupId>org.apache.flink</groupId>{}<scope>provided</scope></dependency></dependencies></dependencyManagement>"


@pytest.mark.parametrize(
    ("out", "bundled"),
    [
        (pom(f"{JAVA}<version>1.20.1</version>"), True),
        (pom(f"{JAVA}<version>1.20.1</version><scope>compile</scope>"), True),
        (pom(f"{JAVA}<version>1.20.1</version><scope>provided</scope>"), False),
        (pom(f"{JAVA}<version>1.20.1</version><scope>${{flink.scope}}</scope>"), False),
        (pom(JAVA), False),
        (pom(JAVA, rest=MANAGED.format(JAVA)), False),
        (pom("<artifactId>flink-connector-kafka</artifactId><version>3.4.0-1.20</version>"), False),
        (pom(f"{JAVA}<version>1.20.1</version>", "<profiles><profile>{}</profile></profiles>"), False),
        (pom(f"{JAVA}<version>1.20.1</version>", plugin="<artifactId>maven-jar-plugin</artifactId>"), False),
    ],
)
def test_flink_in_the_jar(out: Reading, bundled: bool) -> None:
    assert oddities(out) == ([("engine-bundled", "org.apache.flink:flink-streaming-java")] if bundled else [])


@pytest.mark.parametrize(
    ("text", "kind", "path", "said"),
    [
        ('kafka-python==2.0.2; python_version < "3.12"\n', "requirements", "requirements.txt", ['for-pythons ["kafka-python", "<3.12"]']),
        (
            'pyspark==3.5.0 ; python_version >= "3.8" and python_full_version < "3.13.0" \\\n    --hash=sha256:00\n',
            "requirements",
            "requirements.txt",
            ['for-pythons ["pyspark", ">=3.8,<3.13.0"]'],
        ),
        ("pyspark==3.5.0 ; sys_platform == 'linux'  # x\n", "requirements", "requirements.txt", ['for-pythons ["pyspark", "?"]']),
        ("pyspark==3.5.0  # python_version < '3'; x\n", "requirements", "requirements.txt", []),
        (
            '[project]\nrequires-python = ">=3.12"\ndependencies = ["pyspark>=3.4; python_version<\'3.13\'"]\n',
            "toml",
            "pyproject.toml",
            ["python-range >=3.12", 'for-pythons ["pyspark", "<3.13"]'],
        ),
        (
            '[tool.poetry.dependencies]\npython = "^3.11"\nfaust = {version = "1.10.4", python = "<3.10"}\n',
            "toml",
            "pyproject.toml",
            ["python-range ^3.11", 'for-pythons ["faust", "<3.10"]'],
        ),
        ('[packages]\npyspark = "*"\n[requires]\npython_version = "3.12"\n', "toml", "Pipfile", ["python-range 3.12"]),
    ],
)
def test_pythons_that_are_meant(text: str, kind: str, path: str, said: list[str]) -> None:
    assert [f"{usage.kind} {usage.detail}" for usage in of(build(text, kind, path), Usage)] == said
