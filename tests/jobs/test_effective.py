"""Which of several settings is in force."""

from __future__ import annotations

from tests.jobs.conftest import Finder
from tests.jobs.test_finding import COMPOSE, only

INTERVAL = "execution.checkpointing.interval"


def test_code_wins_over_the_command_line_and_the_cluster(find: Finder) -> None:
    program = """
        from pyflink.datastream import StreamExecutionEnvironment

        env = StreamExecutionEnvironment.get_execution_environment()
        env.enable_checkpointing(5000)
    """
    start = "#!/bin/sh\nflink run -Dexecution.checkpointing.interval=30s -py orders.py\n"
    job = only(find({"orders.py": program, "start.sh": start, "docker-compose.yml": COMPOSE}))
    assert [(setting.path, setting.text) for setting in job.origins("flink", INTERVAL)] == [
        ("orders.py", "5000"),
        ("start.sh", "30s"),
        ("docker-compose.yml", "1 min"),
    ]


def test_an_old_spelling_is_the_same_option(find: Finder) -> None:
    script = "SET 'state.checkpoints.dir' = 's3://lake/one';\nINSERT INTO a SELECT * FROM b;\nCREATE TABLE a (x INT) WITH ('connector' = 'print');\n"
    job = only(find({"orders.sql": script, "docker-compose.yml": COMPOSE}))
    found = job.effective_anywhere("flink", "execution.checkpointing.dir")
    assert found is not None and found.key == "state.checkpoints.dir"


def test_the_jobmanager_counts_before_the_taskmanager(find: Finder) -> None:
    compose = """
        services:
          taskmanager:
            image: flink:1.20.1
            command: taskmanager
            environment:
              FLINK_PROPERTIES: |
                execution.checkpointing.interval: 9 min
          jobmanager:
            image: flink:1.20.1
            command: jobmanager
            environment:
              FLINK_PROPERTIES: |
                execution.checkpointing.interval: 1 min
    """
    (cluster,) = find({"docker-compose.yml": compose}, kinds=("cluster",))
    found = cluster.effective_anywhere("flink", INTERVAL)
    assert found is not None and found.text == "1 min"


def test_flink_properties_are_laid_over_the_conf_file_of_the_image(find: Finder) -> None:
    program = "from pyflink.datastream import StreamExecutionEnvironment\nenv = StreamExecutionEnvironment.get_execution_environment()\n"
    conf = "jobmanager.rpc.address: jobmanager\nexecution.checkpointing.interval: 9 min\n"
    job = only(find({"orders.py": program, "conf/flink-conf.yaml": conf, "docker-compose.yml": COMPOSE}))
    assert [(setting.path, setting.text) for setting in job.origins("flink", INTERVAL)] == [
        ("docker-compose.yml", "1 min"),
        ("conf/flink-conf.yaml", "9 min"),
    ]


def test_equally_strong_settings_that_disagree_are_not_guessed(find: Finder) -> None:
    one = "jobmanager.rpc.address: a\nexecution.checkpointing.interval: 1 min\n"
    other = "jobmanager.rpc.address: a\nexecution.checkpointing.interval: 2 min\n"
    program = "from pyflink.datastream import StreamExecutionEnvironment\nenv = StreamExecutionEnvironment.get_execution_environment()\n"
    job = only(find({"orders.py": program, "conf/one/flink-conf.yaml": one, "conf/two/flink-conf.yaml": other}))
    assert len(job.origins("flink", INTERVAL)) == 2
    assert job.effective_anywhere("flink", INTERVAL) is None


def test_of_several_spellings_the_newest_counts(find: Finder) -> None:
    conf = "state.checkpoints.dir: s3://lake/b\nstate.backend.fs.checkpointdir: s3://lake/c\nexecution.checkpointing.dir: s3://lake/a\n"
    (job,) = find({"conf/flink-conf.yaml": conf})
    for key in ("execution.checkpointing.dir", "state.checkpoints.dir", "state.backend.fs.checkpointdir"):
        assert [setting.text[-1] for setting in job.origins("flink", key)] == ["a", "b", "c"]
