"""Dockerfiles as facts."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from reader_facts import assert_sliced, assert_sound, blocks, dependencies, entries, of, reading, scraps, values

from shoal.facts import Block, Dependency, Oddity, Usage
from shoal.readers import Reading
from shoal.readers.versions import engine_versions


def dockerfile(text: str) -> Reading:
    out = reading(text, "dockerfile", "Dockerfile")
    assert_sound(out)
    return out


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("FROM flink:1.18.1\n", [("flink", "1.18.1")]),
        ("ARG V=1.18.1\nFROM --platform=$BUILDPLATFORM flink:${V}-java11 AS base\nFROM base\n", [("flink", "1.18.1-java11")]),
        ("FROM flink:${V:-1.20}\n", [("flink", "1.20")]),
        ("FROM flink:$V\n", []),
        ("ARG IMAGE=docker.io/bitnami/spark:3.5.0\nFROM ${IMAGE}\n", [("bitnami/spark", "3.5.0")]),
        ("FROM python:3.11\nFROM apache/flink:2.0 as x\r\n", [("apache/flink", "2.0")]),
        ("from flink\n", [("flink", "")]),
        ("# FROM flink:1.18\nFROM {{ image }}\n", []),
    ],
)
def test_base_images(text: str, expected: list[tuple[str, str]]) -> None:
    assert [one[1:3] for one in dependencies(dockerfile(text))] == expected


def test_what_run_installs_and_copy_brings() -> None:
    out = dockerfile(
        "FROM x\nARG FLINK=1.18.1\nENV KAFKA 3.0.1\nRUN apt-get update && \\\n  # a comment inside\n\n  pip3 install apache-flink==${FLINK} \\\n    kafka-python==2.0.2 && \\\n"
        "  wget -P lib https://r/flink-sql-connector-kafka-${KAFKA}-1.18.jar\nCOPY --from=a flink-s3-fs-hadoop-1.18.1.jar lib/\n"
        'ADD ["kafka-clients-3.4.0.jar", "/opt/"]\nADD https://r/iceberg-flink-runtime-1.18-$ICEBERG.jar lib/\n'
    )
    assert [one[:3] for one in dependencies(out)] == [
        ("pypi", "apache-flink", "1.18.1"),
        ("pypi", "kafka-python", "2.0.2"),
        ("jar", "flink-sql-connector-kafka", "3.0.1-1.18"),
        ("jar", "flink-s3-fs-hadoop", "1.18.1"),
        ("jar", "kafka-clients", "3.4.0"),
    ]


def test_a_stage_writes_one_conf_file() -> None:
    line = "RUN echo 'rest.port: 1' >> $FLINK_HOME/conf/flink-conf.yaml\n"
    assert blocks(dockerfile(f"FROM flink:1.20\n{line}{line.replace('rest.port', 'a.b')}")) == [("flink", "cluster", "")]
    assert len(blocks(dockerfile(f"FROM flink:1.20 AS a\n{line}FROM flink:1.20\n{line}"))) == 2


@pytest.mark.parametrize(
    "text",
    [
        'CMD ["standalone-job", "--job-classname", "com.X", "-Drest.port=1"]',
        "CMD standalone-job --job-classname com.X -Drest.port=1",
        'ENTRYPOINT ["/docker-entrypoint.sh", "standalone-job", "--job-classname", "com.X", \\\n "-Drest.port=1"]',
    ],
)
def test_what_the_container_starts(text: str) -> None:
    out = dockerfile(f"FROM flink:1.20\n{text}\n")
    assert values(out)["rest.port"] == "1"
    assert entries(out) == [("class", "com.X")]
    assert_sliced(out)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('CMD ["python", "-u", "-X", "dev", "app/main.py", "--x.py"]', ["app/main.py"]),
        ("ENTRYPOINT python3.12 -m shop.orders --all", ["shop/orders.py"]),
        ('ENTRYPOINT ["python"]\nCMD ["job.py"]', ["job.py"]),
        ('CMD ["a.py"]\nCMD ["sh", "-c", "sleep 5 && python setup.py && exec python serve.py"]', ["setup.py", "serve.py"]),
        ('CMD ["./wait.sh", "kafka:9092", "--", "uv", "run", "python", "x.py"]', ["x.py"]),
        ('CMD ["uvicorn", "shop.api:app", "--host", "0.0.0.0"]', ["shop/api.py"]),
        ("CMD gunicorn -k uvicorn.workers.UvicornWorker shop.api:make()", ["shop/api.py"]),
        ("CMD faust -A shop.worker worker -l info", ["shop/worker.py"]),
        ("CMD spark-submit --master local[2] --py-files lib.py --conf a=b jobs/a.py", ["jobs/a.py"]),
        ("CMD flink run -m jobmanager:8081 -py /opt/job.py", ["/opt/job.py"]),
        ("CMD python $MAIN && python -c 'import x' && python {{ x }}.py", []),
        ("CMD python a.py\nFROM other\nRUN python b.py", []),
        ("CMD python", []),
        ("CMD python -m", []),
        ("CMD faust -A", []),
    ],
)
def test_the_programs_that_the_last_stage_starts(text: str, expected: list[str]) -> None:
    found = [json.loads(usage.detail) for usage in of(dockerfile(f"FROM python:3.12\n{text}\n"), Usage) if usage.kind == "starts"]
    assert found == ([expected] if expected else [])


def test_exec_form_with_a_shell_inside() -> None:
    assert values(dockerfile('CMD ["bash", "-c", "flink run -Dpipeline.name=\\"a b\\" x.jar"]')) == {"pipeline.name": "a b"}


def test_environment() -> None:
    out = dockerfile(
        'FROM flink:1.20\nENV FLINK_PROPERTIES="rest.port: 1\\\n" A=b\nENV ENABLE_BUILT_IN_PLUGINS=flink-s3-fs-hadoop-1.20.0.jar\n'
    )
    assert values(out) == {"rest.port": "1"}
    assert ("flink", "image", "") in blocks(out)
    assert of(out, Block)[-1].trait("plugins") == "flink-s3-fs-hadoop-1.20.0.jar"


def test_engines_that_an_image_unpacks() -> None:
    out = dockerfile(
        "FROM debian\nARG SPARK=3.5.6\nENV SPARK_TGZ_URL=https://x.org/spark-4.0.0/spark-4.0.0-bin-hadoop3.tgz\n"
        "RUN wget https://x.org/spark-${SPARK}/spark-${SPARK}-bin-hadoop3-scala2.13.tgz && tar xzf spark-${SPARK}-bin-hadoop3-scala2.13.tgz\n"
        "ADD flink-1.20.0-bin-scala_2.12.tar.gz /opt\nRUN curl -O spark-${OTHER}-bin-hadoop3.tgz spark-3.5.6.tgz my-spark-3.1.1-bin-x.tgz\n"
    )
    archives = [fact for fact in of(out, Dependency) if fact.ecosystem == "archive"]
    assert [fact[1:3] for fact in archives] == [("spark", "4.0.0"), ("spark", "3.5.6-scala_2.13"), ("flink", "1.20.0-scala_2.12")]
    assert engine_versions(archives[1]) == (("spark", "3.5.6"), ("scala", "2.13"))
    assert_sliced(out)


def test_here_documents() -> None:
    out = dockerfile(
        "RUN <<EOF\nflink run -Drest.port=1 a.jar\nEOF\nCOPY <<EOF /opt/flink/conf/flink-conf.yaml\nstate.backend: rocksdb\nEOF\nRUN echo 'a.b: c' >> conf/flink-conf.yaml\n"
    )
    assert values(out) == {"rest.port": "1", "state.backend": "rocksdb", "a.b": "c"}
    assert_sliced(out)


@pytest.mark.parametrize(
    "unit", ["FROM flink:1 AS b\n", "RUN \\\n", "RUN <<E\n", "ENV a=$a\n", '["', "ARG a=${a}\n", "# x\n", "spark-1-bin-"]
)
def test_long_and_nasty_files_are_read_in_bounded_steps(unit: str) -> None:
    dockerfile("FROM flink:1\nRUN " + unit * (50_000 // len(unit)))


@settings(max_examples=150, deadline=None)
@given(
    scraps(
        "FROM ",
        "flink:1.18 ",
        "AS x\n",
        "ARG V=1\n",
        "ENV A=b ",
        "RUN ",
        "\\\n",
        "CMD [",
        '"a", ',
        "]",
        "<<EOF\n",
        "EOF\n",
        "COPY x.jar ",
        "ENTRYPOINT ",
        "FLINK_PROPERTIES=",
        "# escape=`\n",
    )
)
def test_no_text_trips_the_reader(text: str) -> None:
    dockerfile(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('FROM flink:1.20\nENTRYPOINT ["python", "-m", "a"]\n', [("entry-point", '["python", "-m", "a"]')]),
        ("FROM flink:1.20\nENTRYPOINT python -m a\n", [("entry-point", "[]")]),
        ('FROM flink:1.20 AS one\nENTRYPOINT ["a"]\nFROM flink:1.20\n', []),
        ("FROM flink:1.20\nENV JOB_MANAGER_RPC_ADDRESS=master\n", [("jobmanager-told", "")]),
        ("FROM flink:1.20\nCOPY a.yaml /opt/flink/conf/config.yaml\n", [("jobmanager-told", "")]),
    ],
)
def test_how_an_image_begins(text: str, expected: list[tuple[str, str]]) -> None:
    found = [fact for fact in of(dockerfile(text), Usage) if fact.kind in ("entry-point", "jobmanager-told")]
    assert [(fact.kind, fact.detail) for fact in found] == expected


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("RUN wget -P /opt/flink/usrlib https://repo/flink-sql-connector-kafka-3.4.0-1.20.jar", True),
        ("COPY flink-connector-jdbc-3.3.0-1.20.jar /opt/flink/usrlib/", True),
        ("RUN wget -P /opt/flink/lib https://repo/flink-sql-connector-kafka-3.4.0-1.20.jar", False),
        ("RUN mv /opt/flink/usrlib/flink-connector-jdbc-3.3.0-1.20.jar /opt/flink/lib", False),
        ("COPY orders.jar /opt/flink/usrlib/", False),
    ],
)
def test_connectors_in_usrlib(command: str, found: bool) -> None:
    out = dockerfile(f"FROM flink:1.20\n{command}\n")
    assert [one.kind for one in of(out, Oddity)] == (["connector-in-usrlib"] if found else [])


def python_of(text: str) -> list[tuple[int, bool, bool, list[str]]]:
    said = [json.loads(usage.detail) for usage in of(dockerfile(text), Usage) if usage.kind == "image-python"]
    return [(one["minor"], one["newest"] or one["argued"], one["alpine"], one["files"]) for one in said]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("FROM python:3.12", [(12, False, False, [])]),
        ("FROM --platform=linux/amd64 mirror.example/library/python:3.9.18-alpine3.19 AS x", [(9, False, True, [])]),
        ("FROM bitnami/python:3.11.4-debian-12", [(11, False, False, [])]),
        ("FROM python:3.14.0rc1-slim", [(14, False, False, [])]),
        ("ARG V=3.12\nFROM python:${V}-slim", [(12, True, False, [])]),
        ("FROM python:3-slim", [(14, True, False, [])]),
        ("FROM python", [(14, True, False, [])]),
        ("FROM python:alpine", [(14, True, True, [])]),
        ("FROM python:2.7", []),
        ("FROM python:3.12-slim\nFROM flink:1.20", []),
        ("FROM python:$V", []),
        ("FROM python@sha256:00", []),
        ("FROM own/base:3.12", []),
        ("FROM python:3.12 AS base\nFROM base AS run\nFROM run", [(12, False, False, [])]),
        ("FROM python:3.12\nRUN apt-get install python3.11", []),
        ("FROM python:3.12\nCOPY --from=x /usr/lib/python3.12/site-packages /usr/lib/python3.12/site-packages", [(12, False, False, [])]),
        ("FROM python:3.12\nRUN conda install x", []),
        ("FROM python:3.12\nRUN uv python install 3.11", []),
    ],
)
def test_python_of_the_last_stage(text: str, expected: list[tuple[int, bool, bool, list[str]]]) -> None:
    assert python_of(text + "\n") == expected


@pytest.mark.parametrize(
    ("body", "files"),
    [
        ("COPY requirements.txt .\nRUN pip install -r requirements.txt", ["requirements.txt"]),
        ("WORKDIR /app\nCOPY a/requirements.txt ./\nRUN pip install --no-cache-dir \\\n  -r /app/requirements.txt", ["a/requirements.txt"]),
        ("COPY ./requirements.txt /tmp\nRUN pip install -r/tmp/requirements.txt", ["requirements.txt"]),
        ("COPY requirements.txt requirements-dev.txt /x/\nRUN pip install --requirement=/x/requirements.txt", ["requirements.txt"]),
        ("COPY . /app\nWORKDIR /app\nRUN uv pip install --system -r reqs/base.txt", ["reqs/base.txt"]),
        ('COPY ["req.txt", "/srv/all.txt"]\nRUN pip install -r /srv/all.txt', ["req.txt"]),
        ("COPY --from=other /requirements.txt .\nRUN pip install -r requirements.txt", []),
        ("COPY requirements.txt .\nRUN cat requirements.txt", []),
        ("COPY . .\nRUN pip install .", ["pyproject.toml"]),
        ("COPY . .\nRUN pip install -e .[kafka] && true", ["pyproject.toml"]),
        ("COPY a/pyproject.toml a/poetry.lock ./\nRUN poetry install --no-root", ["a/poetry.lock", "a/pyproject.toml"]),
        ("COPY . .\nRUN uv sync --frozen", ["pyproject.toml", "uv.lock"]),
        ("COPY Pipfile* ./\nRUN pipenv install --system", ["Pipfile", "Pipfile.lock"]),
        ("RUN pip install poetry && poetry config virtualenvs.create false", []),
    ],
)
def test_files_that_are_installed(body: str, files: list[str]) -> None:
    assert python_of(f"FROM python:3.12\n{body}\n") == [(12, False, False, files)]
    other = f"FROM python:3.11 AS checks\n{body}\nFROM python:3.12\n"
    assert python_of(other) == [(12, False, False, [])]
