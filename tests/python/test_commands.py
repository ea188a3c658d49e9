"""Commands that Python programs start."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from shoal.facts import Entry
from tests.python.reading import reading, settings
from tests.readers.reader_facts import assert_sound, scraps


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('subprocess.run(["spark-submit", "--conf", "spark.a=1", "job.py"], check=True)', {"spark.a": "1"}),
        ('command = ["/opt/spark/bin/spark-submit", "--conf", "spark.a=1", path]\nsubprocess.Popen(command)', {"spark.a": "1"}),
        ('subprocess.run(["spark-submit", "--name", name(), "--conf", "spark.a=1", "job.py"])', {"spark.a": "1", "--name": "?"}),
        ('subprocess.run(["spark-submit", "--conf", f"spark.a={a}", "--conf", "spark.b=1", "job.py"])', {"spark.a": "?", "spark.b": "1"}),
        (
            'subprocess.run(["docker", "exec", "jm", "flink", "run", "-Dexecution.a=1 s", "-py", "job.py"])',
            {"execution.a": "1 s", "--python": "job.py"},
        ),
        ('subprocess.run(["spark-submit", "--name=%s" % day, "--conf", "spark.a=" + a, job])', {"--name": "?", "spark.a": "?"}),
        (
            'subprocess.run(["spark-submit", "--name={}".format(day), more, "--conf", "spark.a=1", "job.py"])',
            {"--name": "?", "spark.a": "1"},
        ),
        ('os.system("spark-submit --conf spark.a=1 job.py")', {"spark.a": "1"}),
        ('os.system("spark-submit --conf spark.a=1 --name %(day)s job.py" % names)', {"spark.a": "1", "--name": "?"}),
        ('os.system("spark-submit --conf spark.a=" + a + " --conf spark.b=1 job.py")', {"spark.a": "?", "spark.b": "1"}),
        (
            'KubernetesPodOperator(arguments=["spark-submit", "--name", day, "--conf", "spark.a=1", "job.py"])',
            {"--name": "?", "spark.a": "1"},
        ),
        (
            'subprocess.run(f"""\nspark-submit \\\n  --master {m} \\\n  --conf spark.a=1 job.py""", shell=True)',
            {"--master": "?", "spark.a": "1"},
        ),
        ('os.system(f"docker exec {c} spark-submit " f"--conf spark.a={{x}} job.py")', {"spark.a": "{x}"}),
        (
            'command = f"spark-submit --master {m} --conf spark.a=1 job.py"\ncommand = command + " &"\nconnect_get_namespaced_pod_exec(command=["sh", "-c", command])',
            {"--master": "?", "spark.a": "1"},
        ),
        ('command = "spark-submit --conf spark.a=1 job.py"\nos.system(command)', {"spark.a": "1"}),
        ('usage = "spark-submit job.py"', {}),
        ('print("spark-submit --conf spark.a=1 job.py")\nsubprocess.run(["ls"])', {}),
        ('subprocess.run(["ls", "spark-submit"])', {}),
        ('subprocess.run(["spark-submit", *options])', {}),
    ],
)
def test_options(text: str, expected: dict[str, str]) -> None:
    out = reading(f"import os, subprocess\n{text}\n")
    assert_sound(out)
    assert settings(out) == expected


def test_programs_stand_where_they_are_written() -> None:
    raw = 'import subprocess\n\nsubprocess.run(["flink", "run", "-d",\n    "-py", "jobs/orders.py"])\n'
    (entry,) = [one for one in reading(raw).facts if isinstance(one, Entry)]
    assert (entry.kind, entry.target, raw[entry.place.span.start : entry.place.span.end]) == ("python", "jobs/orders.py", "jobs/orders.py")


@effort(max_examples=100, deadline=None)
@given(
    scraps(
        "subprocess.run(", "[", '"spark-submit"', ", ", 'f"{', "x", '}"', '"""', "\\\n", ")", "os.system(", "'flink run -D", "a=1'", "]"
    ),
    st.booleans(),
)
def test_no_text_trips_the_reader(text: str, imported: bool) -> None:
    assert_sound(reading("import subprocess\n" * imported + text))
