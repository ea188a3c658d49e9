"""Which files are found to make one job, in small projects laid out as real ones are."""

from __future__ import annotations

import pytest

from shoal.job import Job
from shoal.jobs.questions import hidden as hidden_options
from shoal.settings import Settings
from tests.jobs.conftest import Finder

PROGRAM = """
    from pyflink.datastream import StreamExecutionEnvironment

    env = StreamExecutionEnvironment.get_execution_environment()
    env.execute("orders")
"""
COMPOSE = """
    services:
      jobmanager:
        image: flink:1.20.1
        command: jobmanager
        environment:
          FLINK_PROPERTIES: |
            execution.checkpointing.interval: 1 min
      taskmanager:
        image: flink:1.20.1
        command: taskmanager
"""
INSERT = "INSERT INTO totals SELECT COUNT(*) FROM orders;\n"


def reasons(job: Job) -> dict[str, str]:
    return {member.path: member.why for member in job.members}


def only(jobs: list[Job], kind: str = "job") -> Job:
    (job,) = [job for job in jobs if job.kind == kind]
    return job


def test_code_runs_on_the_compose_file_above_it(find: Finder) -> None:
    job = only(find({"jobs/orders.py": PROGRAM, "docker-compose.yml": COMPOSE, "requirements.txt": "apache-flink==1.20.1\n"}))
    assert reasons(job) == {"jobs/orders.py": "the code", "docker-compose.yml": "the nearest config", "requirements.txt": "pins versions"}
    version = job.version("flink")
    assert version is not None and version.text == "1.20.1"


def test_script_among_the_resources_of_a_module_has_the_checkpoints_of_its_program(find: Finder) -> None:
    program = """
        import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
        public class Orders {
            public static void main(String[] args) throws Exception {
                StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
                env.enableCheckpointing(60000);
            }
        }
    """
    script = "CREATE TABLE orders (id BIGINT) WITH ('connector' = 'kafka');\n" + INSERT
    files = {
        "one/src/main/java/Orders.java": program,
        "one/src/main/resources/orders.sql": script,
        "two/src/main/resources/orders.sql": script,
    }
    jobs = {job.name: set(job.paths) for job in find(files) if job.kind == "job"}
    assert jobs["one/src/main/resources/orders.sql"] == {"one/src/main/resources/orders.sql", "one/src/main/java/Orders.java"}
    assert jobs["two/src/main/resources/orders.sql"] == {"two/src/main/resources/orders.sql"}


def test_config_of_a_sibling_project_is_not_taken(find: Finder) -> None:
    files = {
        "one/pyproject.toml": "[project]\nname = 'one'\n",
        "one/orders.py": PROGRAM,
        "two/pyproject.toml": "[project]\nname = 'two'\n",
        "two/docker-compose.yml": COMPOSE,
        "two/visits.py": PROGRAM,
    }
    jobs = {job.name: set(job.paths) for job in find(files) if job.kind == "job"}
    assert jobs == {"one/orders.py": {"one/orders.py"}, "two/visits.py": {"two/visits.py", "two/docker-compose.yml"}}


def test_config_of_the_project_above_is_taken(find: Finder) -> None:
    job = only(find({"service/pyproject.toml": "", "service/orders.py": PROGRAM, "deploy/docker-compose.yml": COMPOSE}))
    assert set(job.paths) == {"service/orders.py", "deploy/docker-compose.yml"}


def test_of_many_compose_files_those_in_other_branches_are_not_taken(find: Finder) -> None:
    files = {"apps/orders.py": PROGRAM, "demos/one/docker-compose.yml": COMPOSE, "demos/two/docker-compose.yml": COMPOSE}
    assert only(find(files)).paths == ("apps/orders.py",)


def test_a_resource_names_the_python_file_it_runs(find: Finder) -> None:
    resource = """
        apiVersion: flink.apache.org/v1beta1
        kind: FlinkDeployment
        metadata:
          name: orders
        spec:
          image: registry.example/orders:3
          flinkVersion: v1_20
          flinkConfiguration:
            execution.checkpointing.interval: 1 min
          job:
            jarURI: local:///opt/flink/opt/flink-python-1.20.1.jar
            entryClass: org.apache.flink.client.python.PythonDriver
            args: ["-py", "/opt/flink/usrlib/orders.py"]
    """
    jobs = find({"src/orders.py": PROGRAM, "k8s/orders.yaml": resource, "docker-compose.yml": COMPOSE})
    job = only(jobs)
    assert reasons(job) == {"src/orders.py": "the code", "k8s/orders.yaml": "runs orders.py"}


def test_a_session_job_runs_on_its_session_cluster(find: Finder) -> None:
    cluster = """
        apiVersion: flink.apache.org/v1beta1
        kind: FlinkDeployment
        metadata:
          name: shared
        spec:
          image: flink:1.20.1
          flinkVersion: v1_20
          flinkConfiguration:
            execution.checkpointing.dir: s3://lake/checkpoints
    """
    session = """
        apiVersion: flink.apache.org/v1beta1
        kind: FlinkSessionJob
        metadata:
          name: orders
        spec:
          deploymentName: shared
          job:
            jarURI: https://repo.example/orders.jar
    """
    job = only(find({"cluster.yaml": cluster, "orders.yaml": session}))
    assert reasons(job) == {"orders.yaml": "the resource", "cluster.yaml": "its session cluster"}
    directory = job.effective_anywhere("flink", "execution.checkpointing.dir")
    assert directory is not None and directory.path == "cluster.yaml"


def test_a_command_in_a_compose_file_names_a_mounted_script(find: Finder) -> None:
    compose = COMPOSE + "    volumes:\n      - ./sql:/opt/scripts\n".replace("    ", "        ", 1).replace("\n      -", "\n          -")
    compose += "      client:\n        image: flink:1.20.1\n        command: ./bin/sql-client.sh -f /opt/scripts/totals.sql\n"
    job = only(find({"sql/totals.sql": "SET 'a.b' = 'c';\n" + TABLES + INSERT, "docker-compose.yml": compose}))
    assert reasons(job)["docker-compose.yml"] == "runs totals.sql"


TABLES = """
    CREATE TABLE orders (id INT) WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'b:9092', 'format' = 'json');
    CREATE TABLE totals (n BIGINT) WITH ('connector' = 'print');
"""


def test_a_file_of_table_definitions_is_no_job(find: Finder) -> None:
    assert [job.kind for job in find({"tables.sql": TABLES}, kinds=("job", "cluster", "file"))] == ["file"]


def test_declared_jobs_come_first(find: Finder) -> None:
    settings = Settings(jobs=({"name": "orders", "paths": ["jobs/orders.py", "far/away/config.yaml"]},))
    conf = "execution.checkpointing.interval: 1 min\njobmanager.rpc.address: jobmanager\n"
    jobs = find({"jobs/orders.py": PROGRAM, "far/away/config.yaml": conf, "docker-compose.yml": COMPOSE}, settings)
    assert jobs[0].name == "orders" and set(jobs[0].paths) == {"jobs/orders.py", "far/away/config.yaml"}
    assert [job.name for job in jobs if job.kind == "job"] == ["orders"]


def test_a_managed_service_is_recognised(find: Finder) -> None:
    files = {"app/main.py": PROGRAM, "app/application_properties.json": "[]"}
    assert only(find(files)).outside == "Amazon Managed Service for Apache Flink"
    files = {"app/main.py": PROGRAM, "app/decodable-resources.yaml": "kind: pipeline\n"}
    assert only(find(files)).outside == "Decodable"


def test_what_a_connector_was_built_for_is_not_the_engine(find: Finder) -> None:
    dockerfile = "FROM flink:1.17.0\nRUN wget https://repo.example/flink-connector-jdbc-3.0.0-1.16.jar\n"
    version = only(find({"orders.py": PROGRAM, "Dockerfile": dockerfile})).version("flink")
    assert version is not None and version.text == "1.17.0"


def test_what_a_program_imports_is_part_of_its_job(find: Finder) -> None:
    main = """
        from pyflink.datastream import StreamExecutionEnvironment
        from pipeline.wiring import configure
        from .sources import orders

        env = StreamExecutionEnvironment.get_execution_environment()
        configure(env)
    """
    setup = """
        from pyflink.datastream import StreamExecutionEnvironment

        def configure(env: StreamExecutionEnvironment) -> None:
            env.enable_checkpointing(60_000)
    """
    sources = """
        from pyflink.datastream.connectors.kafka import KafkaSource

        orders = KafkaSource.builder().set_bootstrap_servers("broker:9092").set_topics("orders").build()
    """
    job = only(find({"pyproject.toml": "", "pipeline/main.py": main, "pipeline/wiring.py": setup, "pipeline/sources.py": sources}))
    assert reasons(job) == {"pipeline/main.py": "the code", "pipeline/wiring.py": "imported", "pipeline/sources.py": "imported"}
    assert job.origins("flink", "execution.checkpointing.interval")
    assert job.select("flink", ("source",))


def test_a_module_is_found_by_its_dotted_name(find: Finder) -> None:
    job = only(find({"src/shop/orders.py": PROGRAM, "start.sh": "#!/bin/sh\nflink run -pym shop.orders\n"}))
    assert reasons(job) == {"src/shop/orders.py": "the code", "start.sh": "starts it"}


def test_two_resources_that_run_one_program_are_two_environments(find: Finder) -> None:
    resource = """
        apiVersion: flink.apache.org/v1beta1
        kind: FlinkDeployment
        metadata:
          name: orders-{name}
        spec:
          image: flink:1.20.1
          flinkVersion: v1_20
          job:
            jarURI: local:///opt/flink/opt/flink-python-1.20.1.jar
            args: ["-py", "/opt/flink/usrlib/orders.py"]
    """
    files = {
        "src/orders.py": PROGRAM,
        "k8s/dev.yaml": resource.replace("{name}", "dev"),
        "k8s/prod.yaml": resource.replace("{name}", "prod"),
    }
    jobs = [job for job in find(files) if job.kind == "job"]
    assert [(job.environment, job.paths) for job in jobs] == [
        ("k8s/dev.yaml", ("src/orders.py", "k8s/dev.yaml")),
        ("k8s/prod.yaml", ("src/orders.py", "k8s/prod.yaml")),
    ]


SPARK = """
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.appName("orders").getOrCreate()
    spark.readStream.format("rate").load().writeStream.format("console").start()
"""


def test_an_operator_of_a_dag_names_the_job_it_runs(find: Finder) -> None:
    dag = """
        from airflow import DAG
        from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator

        CONF = {"spark.sql.shuffle.partitions": "8", "spark.executor.memory": "{{ var.value.memory }}"}

        with DAG("streams") as dag:
            SparkSubmitOperator(task_id="orders", application="/opt/jobs/orders.py", conf=CONF, packages="org.apache.spark:spark-sql-kafka-0-10_2.12:3.5.1")
            SparkSubmitOperator(task_id="visits", application=f"{HOME}/jobs/visits.py", conf={"spark.sql.shuffle.partitions": 9})
    """
    jobs = {job.name: job for job in find({"dags/streams.py": dag, "jobs/orders.py": SPARK, "jobs/visits.py": SPARK})}
    assert reasons(jobs["jobs/orders.py"])["dags/streams.py"] == "starts it"
    partitions = {
        name: [setting.text for setting in job.settings if setting.key == "spark.sql.shuffle.partitions"] for name, job in jobs.items()
    }
    assert partitions == {"jobs/orders.py": ["8"], "jobs/visits.py": ["9"]}
    memory = jobs["jobs/orders.py"].effective_anywhere("spark", "spark.executor.memory")
    assert memory is not None and not memory.known
    assert [dependency.version for dependency in jobs["jobs/orders.py"].dependencies] == ["3.5.1"]


def test_a_command_in_a_dag_names_the_job_it_runs(find: Finder) -> None:
    dag = """
        from airflow.operators.bash import BashOperator

        run = BashOperator(task_id="run", bash_command="flink run -Dexecution.checkpointing.interval=30s -py jobs/orders.py")
    """
    job = only(find({"dags/orders_dag.py": dag, "jobs/orders.py": PROGRAM}))
    assert reasons(job) == {"jobs/orders.py": "the code", "dags/orders_dag.py": "starts it"}
    found = job.effective_anywhere("flink", "execution.checkpointing.interval")
    assert found is not None and (found.text, found.path) == ("30s", "dags/orders_dag.py")


def test_a_dag_names_the_resource_it_applies(find: Finder) -> None:
    dag = """
        from airflow.providers.cncf.kubernetes.operators.spark_kubernetes import SparkKubernetesOperator

        run = SparkKubernetesOperator(task_id="run", application_file="k8s/orders.yaml")
    """
    resource = """
        apiVersion: sparkoperator.k8s.io/v1beta2
        kind: SparkApplication
        metadata:
          name: orders
        spec:
          mainApplicationFile: local:///opt/orders.jar
          sparkVersion: 3.5.1
    """
    job = only(find({"dags/orders.py": dag, "k8s/orders.yaml": resource}))
    assert reasons(job) == {"k8s/orders.yaml": "the resource", "dags/orders.py": "starts it"}


def test_services_that_a_dag_runs_jobs_on(find: Finder) -> None:
    dataproc = """
        from airflow.providers.google.cloud.operators.dataproc import DataprocSubmitJobOperator

        JOB = {"pyspark_job": {"main_python_file_uri": "gs://bucket/jobs/orders.py", "properties": {"spark.speculation": "true"}}}
        run = DataprocSubmitJobOperator(task_id="run", job=JOB)
    """
    emr = """
        from airflow.providers.amazon.aws.operators.emr import EmrAddStepsOperator

        STEPS = [{"Name": "run", "HadoopJarStep": {"Args": ["spark-submit", "--conf", "spark.speculation=true", "s3://bucket/jobs/orders.py"]}}]
        run = EmrAddStepsOperator(task_id="run", steps=STEPS)
    """
    databricks = """
        from airflow.providers.databricks.operators.databricks import DatabricksSubmitRunOperator

        run = DatabricksSubmitRunOperator(
            task_id="run",
            new_cluster={"spark_version": "14.3.x-scala2.12", "spark_conf": {"spark.speculation": "true"}},
            spark_python_task={"python_file": "dbfs:/jobs/orders.py"},
        )
    """
    for dag, service in ((dataproc, "Google Dataproc"), (emr, "Amazon EMR"), (databricks, "Databricks")):
        job = only(find({"dags/dag.py": dag, "jobs/orders.py": SPARK}))
        assert reasons(job)["dags/dag.py"] == "starts it"
        assert job.outside == service
        found = job.effective_anywhere("spark", "spark.speculation")
        assert found is not None and found.text == "true"


def test_no_dag_ends_the_reading(find: Finder) -> None:
    broken = "from airflow import DAG\nSparkSubmitOperator(application=, conf={**x}, 'spark')\n"
    odd = """
        from airflow import DAG
        x = x
        SparkSubmitOperator(*args, application=x, conf={**x, "spark.é": "ü", 1: 2}, **more)
        DataprocSubmitJobOperator(job={"a": [{"properties": {"spark.x": f"{y}"}}]})
    """
    assert find({"dags/broken.py": broken, "dags/odd.py": odd}, kinds=("job",)) == []


def test_a_job_submitted_to_dataproc(find: Finder) -> None:
    script = """
        #!/bin/sh
        gcloud dataproc jobs submit pyspark gs://bucket/jobs/orders.py --cluster=streams --region europe-west1 \\
            --properties="^;^spark.speculation=true;spark.jars.packages=a:b:1,c:d:2" -- --topic orders
    """
    job = only(find({"submit.sh": script, "jobs/orders.py": SPARK}))
    assert reasons(job) == {"jobs/orders.py": "the code", "submit.sh": "starts it"}
    assert job.outside == "Google Dataproc"
    assert {setting.key: setting.text for setting in job.settings if setting.path == "submit.sh"} == {
        "spark.speculation": "true",
        "spark.jars.packages": "a:b:1,c:d:2",
    }


def beam(master: str, runner: str = "FlinkRunner") -> str:
    return f"""
        import apache_beam as beam
        from apache_beam.options.pipeline_options import PipelineOptions

        options = PipelineOptions(["--runner={runner}", "--flink_master={master}"])
        beam.Pipeline(options=options)
    """


def test_a_beam_program_runs_on_the_cluster_that_is_its_master(find: Finder) -> None:
    session = """
        apiVersion: flink.apache.org/v1beta1
        kind: FlinkDeployment
        metadata:
          name: words
        spec:
          image: flink:1.18.1
          flinkVersion: v1_18
    """
    files = {"docker-compose.yml": COMPOSE, "deploy/words.yaml": session, "deploy/visits.yaml": session.replace("words", "visits")}
    assert "deploy/words.yaml" in only(find({**files, "words.py": beam("words-rest.streams:8081")})).paths
    assert only(find({**files, "words.py": beam("http://jobmanager:8081")})).paths == ("words.py", "docker-compose.yml")
    assert only(find({**files, "words.py": beam("localhost:8081")})).paths == ("words.py", "docker-compose.yml")
    assert only(find({**files, "words.py": beam("[local]")})).paths == ("words.py",)
    assert only(find({**files, "words.py": beam("", "DataflowRunner")})).paths == ("words.py",)


def test_one_config_in_another_branch_is_for_the_code_only_where_no_other_branch_has_code(find: Finder) -> None:
    files = {"stack/docker-compose.yml": COMPOSE, "streams/jobs/orders.py": PROGRAM}
    assert only(find(files)).paths == ("streams/jobs/orders.py", "stack/docker-compose.yml")
    jobs = find({**files, "batches/visits.py": PROGRAM}, kinds=("job",))
    assert [job.paths for job in jobs] == [("batches/visits.py",), ("streams/jobs/orders.py",)]


def test_a_folder_of_confs_is_not_for_a_branch_that_has_its_own(find: Finder) -> None:
    conf = "taskmanager.numberOfTaskSlots: 4\n"
    files = {"conf/flink-conf.yaml": conf, "orders/main.py": PROGRAM, "visits/main.py": PROGRAM, "visits/conf/flink-conf.yaml": conf}
    assert [job.paths for job in find(files, kinds=("job",))] == [
        ("orders/main.py", "conf/flink-conf.yaml"),
        ("visits/main.py", "visits/conf/flink-conf.yaml"),
    ]


def test_compose_files_with_a_cluster_each_are_alternatives(find: Finder) -> None:
    jobs = find({"docker-compose.yml": COMPOSE, "compose-msk.yml": COMPOSE.replace("10 s", "20 s"), "orders.py": PROGRAM})
    assert [(job.environment, job.paths) for job in jobs] == [
        ("docker-compose.yml", ("orders.py", "docker-compose.yml")),
        ("compose-msk.yml", ("orders.py", "compose-msk.yml")),
    ]


def test_a_folder_mounted_elsewhere_brings_no_conf(find: Finder) -> None:
    compose = COMPOSE.replace(
        "command: jobmanager", "command: jobmanager\n        volumes: ['./:/opt/flink/usrlib', './conf:/opt/flink/conf']"
    )
    files = {"conf/flink-conf.yaml": "rest.port: 1\n", "old/flink-conf.yaml": "rest.port: 2\n"}
    job = only(find({"docker-compose.yml": compose, "orders.py": PROGRAM, **files}, kinds=("job",)))
    assert job.paths == ("orders.py", "docker-compose.yml", "conf/flink-conf.yaml")


@pytest.mark.parametrize(
    ("mounted", "variables", "hidden"),
    [("flink-config", "", False), ("other", "", True), ("flink-config", "envFrom: [{secretRef: {name: keys}}]", True)],
)
def test_a_conf_folder_from_a_config_map_at_hand_hides_nothing(find: Finder, mounted: str, variables: str, hidden: bool) -> None:
    files = {
        "k8s/conf.yaml": """
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: flink-config}
            data:
              flink-conf.yaml: |
                jobmanager.rpc.address: jobmanager
            """,
        "k8s/jobmanager.yaml": f"""
            apiVersion: apps/v1
            kind: Deployment
            metadata: {{name: jobmanager}}
            spec:
              template:
                spec:
                  containers:
                    - name: jobmanager
                      image: flink:1.20.1
                      args: [jobmanager]
                      {variables}
                      volumeMounts: [{{name: conf, mountPath: /opt/flink/conf}}]
                  volumes: [{{name: conf, configMap: {{name: {mounted}}}}}]
            """,
        "orders.py": PROGRAM,
    }
    assert hidden_options(only(find(files, kinds=("job",)))) == hidden


def test_of_several_confs_the_nearest_is_taken(find: Finder) -> None:
    conf = "taskmanager.numberOfTaskSlots: 4\n"
    files = {"conf/flink-conf.yaml": conf, "conf/old/flink-conf.yaml": conf, "orders/main.py": PROGRAM, "orders/conf/flink-conf.yaml": conf}
    assert only(find({**files, "main.py": PROGRAM}, kinds=("job",))[:1]).paths == ("main.py", "conf/flink-conf.yaml")
    assert only(find(files, kinds=("job",))).paths == ("orders/main.py", "orders/conf/flink-conf.yaml")


def test_a_script_that_starts_two_programs_sets_for_each_what_is_its_own(find: Finder) -> None:
    script = """
        flink run -Dexecution.checkpointing.interval=30s -py jobs/orders.py
        flink run -Dexecution.checkpointing.interval=90s -py jobs/visits.py
    """
    key = "execution.checkpointing.interval"
    jobs = {job.name: job for job in find({"run.sh": script, "jobs/orders.py": PROGRAM, "jobs/visits.py": PROGRAM})}
    assert {name: [setting.text for setting in job.settings if setting.key == key] for name, job in jobs.items()} == {
        "jobs/orders.py": ["30s"],
        "jobs/visits.py": ["90s"],
    }


def test_what_an_image_is_built_from_belongs_to_the_services_that_run_it(find: Finder) -> None:
    compose = """
        services:
          jobmanager:
            build:
              context: .
              dockerfile: images/Dockerfile
              args:
                FLINK_VERSION: 1.19.1-java11
            command: jobmanager
          taskmanager:
            build: {context: ., dockerfile: images/Dockerfile}
            command: taskmanager
    """
    dockerfile = """
        ARG FLINK_VERSION=1.17
        FROM flink:${FLINK_VERSION}
        WORKDIR /opt/flink
        COPY --chown=flink settings/orders.yaml conf/flink-conf.yaml
        COPY streams/ /opt/jobs/
        CMD ["flink", "run", "-py", "/opt/jobs/main.py"]
    """
    files = {
        "docker-compose.yml": compose,
        "images/Dockerfile": dockerfile,
        "settings/orders.yaml": "state.backend.type: rocksdb\nstate.checkpoints.dir: s3://lake/checkpoints\n",
        "streams/main.py": PROGRAM,
        "other/main.py": PROGRAM,
    }
    jobs = {job.name: job for job in find(files)}
    assert reasons(jobs["streams/main.py"]) == {
        "streams/main.py": "the code",
        "docker-compose.yml": "runs main.py",
        "settings/orders.yaml": "copied into its image",
        "images/Dockerfile": "builds its image",
    }
    version = jobs["streams/main.py"].version("flink")
    assert version is not None and (version.text, version.source.place.path) == ("1.19.1", "docker-compose.yml")


def test_images_of_the_project_hold_what_they_begin_with(find: Finder) -> None:
    dockerfiles = {
        "images/flink-base.dockerfile": "FROM flink:1.19.1\n",
        "images/flink-python.dockerfile": "FROM flink-base\nRUN apt-get install -y python3\n",
        "images/job.dockerfile": "FROM flink-python:latest\nCOPY orders.py /opt/\n",
    }
    compose = "services:\n  jobmanager:\n    build: {context: ., dockerfile: images/job.dockerfile}\n    command: jobmanager\n"
    script = "".join(f"docker build -t {name} -f images/{name}.dockerfile .\n" for name in ("flink-base", "flink-python"))
    files = {"orders.py": PROGRAM, "compose.yaml": compose, "tools/build.sh": script, **dockerfiles}
    version = only(find(files)).version("flink")
    assert version is not None and (version.text, version.source.place.path) == ("1.19.1", "images/flink-base.dockerfile")
    circle = files | {"images/flink-base.dockerfile": "FROM flink-python\n"}
    assert only(find(circle)).version("flink") is None


def test_a_dag_may_hold_the_resource_that_it_applies(find: Finder) -> None:
    dag = '''
        from airflow.providers.apache.flink.operators.flink_kubernetes import FlinkKubernetesOperator

        ORDERS = """
        apiVersion: flink.apache.org/v1beta1
        kind: FlinkDeployment
        metadata:
          name: orders
        spec:
          image: flink:1.18.1
          flinkConfiguration:
            execution.checkpointing.interval: 1 min
          job:
            args: ["-py", "/opt/jobs/orders.py"]
        """
        run = FlinkKubernetesOperator(task_id="run", application_file=ORDERS)
    '''
    job = only(find({"dags/orders.py": dag, "jobs/orders.py": PROGRAM}))
    assert reasons(job) == {"jobs/orders.py": "the code", "dags/orders.py": "runs orders.py"}
    interval, version = job.effective_anywhere("flink", "execution.checkpointing.interval"), job.version("flink")
    assert interval is not None and interval.text == "1 min"
    assert version is not None and version.text == "1.18.1"


def test_a_dag_pins_the_beam_that_its_pipeline_runs_on(find: Finder) -> None:
    dag = """
        from airflow.providers.apache.beam.operators.beam import BeamRunPythonPipelineOperator

        run = BeamRunPythonPipelineOperator(
            task_id="run", py_file="/opt/orders.py", runner="FlinkRunner", pipeline_options={"checkpointing_interval": 60000},
            py_requirements=["apache-beam[gcp]==2.60.0"],
        )
    """
    job = only(find({"dags/orders_dag.py": dag, "orders.py": beam("jobmanager:8081")}))
    version = job.version("beam")
    assert version is not None and version.text == "2.60.0"
    assert [setting.text for setting in job.settings if setting.key == "checkpointing_interval"] == ["60000"]


def test_a_workflow_of_dataproc_runs_several_programs_on_one_cluster(find: Finder) -> None:
    workflow = """
        id: streams
        placement:
          managedCluster:
            config:
              softwareConfig:
                imageVersion: 2.1-debian11
                properties:
                  spark:spark.speculation: "true"
                  yarn:yarn.x: "1"
        jobs:
        - stepId: orders
          pysparkJob:
            mainPythonFileUri: gs://bucket/jobs/orders.py
            properties: {spark.executor.memory: 4g}
        - stepId: visits
          pysparkJob:
            mainPythonFileUri: gs://bucket/jobs/visits.py
            properties: {spark.speculation: "false"}
    """
    jobs = {job.name: job for job in find({"workflow.yaml": workflow, "jobs/orders.py": SPARK, "jobs/visits.py": SPARK})}
    for name, speculation, memory in (("jobs/orders.py", "true", "4g"), ("jobs/visits.py", "false", "")):
        job = jobs[name]
        assert reasons(job)["workflow.yaml"] == "starts it"
        assert job.outside == "Google Dataproc"
        version = job.version("spark")
        assert version is not None and version.text == "3.3"
        found = job.effective_anywhere("spark", "spark.speculation")
        assert found is not None and found.text == speculation
        assert [setting.text for setting in job.settings if setting.key == "spark.executor.memory"] == ([memory] if memory else [])


def test_a_job_added_to_a_workflow_template(find: Finder) -> None:
    script = """
        gcloud dataproc workflow-templates add-job pyspark gs://bucket/jobs/orders.py --step-id=orders --workflow-template=streams \\
            --properties=spark.speculation=true
        gcloud dataproc batches submit pyspark jobs/visits.py --properties spark.speculation=false --region=europe-west1
    """
    jobs = {job.name: job for job in find({"submit.sh": script, "jobs/orders.py": SPARK, "jobs/visits.py": SPARK})}
    found = {name: job.effective_anywhere("spark", "spark.speculation") for name, job in jobs.items()}
    assert {name: setting.text for name, setting in found.items() if setting} == {"jobs/orders.py": "true", "jobs/visits.py": "false"}


def test_a_module_that_starts_a_pipeline_of_its_package(find: Finder) -> None:
    resource = """
        apiVersion: batch/v1
        kind: Job
        metadata: {name: words}
        spec:
          template:
            spec:
              containers:
              - name: words
                image: words:1
                command: ["python"]
                args: ["-m", "words.run", "--runner=FlinkRunner", "--flink_master=words-rest:8081", "--checkpointing_interval=10000"]
    """
    cluster = """
        apiVersion: flink.apache.org/v1beta1
        kind: FlinkDeployment
        metadata: {name: words}
        spec: {image: "flink:1.18.1", flinkVersion: v1_18}
    """
    program = """
        import apache_beam as beam
        from apache_beam.options.pipeline_options import PipelineOptions

        def run(argv=None):
            with beam.Pipeline(options=PipelineOptions(argv)) as pipeline:
                pipeline | beam.Create(["a"])
    """
    files = {"words_job.yml": resource, "words_cluster.yml": cluster, "words/words.py": program, "docker-compose.yml": COMPOSE}
    job = only(find(files))
    assert reasons(job) == {
        "words/words.py": "the code",
        "words_cluster.yml": "the cluster it is sent to",
        "words_job.yml": "starts it",
    }


def test_an_application_of_amazons_service_says_what_runs_and_what_holds(find: Finder) -> None:
    template = """
        Resources:
          Orders:
            Type: AWS::KinesisAnalyticsV2::Application
            Properties:
              RuntimeEnvironment: FLINK-1_18
              ServiceExecutionRole: !GetAtt Role.Arn
              ApplicationConfiguration:
                FlinkApplicationConfiguration:
                  CheckpointConfiguration: {ConfigurationType: DEFAULT}
                  ParallelismConfiguration: {ConfigurationType: CUSTOM, Parallelism: 4}
                EnvironmentProperties:
                  PropertyGroups:
                  - PropertyGroupId: kinesis.analytics.flink.run.options
                    PropertyMap: {python: main.py}
    """
    code = PROGRAM.replace("env.execute", "env.enable_checkpointing(10_000)\n    env.execute")
    job = only(find({"template.yaml": template, "app/main.py": code}))
    assert reasons(job) == {"app/main.py": "the code", "template.yaml": "runs main.py"}
    assert job.outside == "Amazon Managed Service for Apache Flink"
    version = job.version("flink")
    assert version is not None and version.text == "1.18"
    # by default the service has its own interval, whatever the code says
    assert [setting.text for setting in job.origins("flink", "execution.checkpointing.interval")] == ["60000", "10000"]
    custom = template.replace("ConfigurationType: DEFAULT", "ConfigurationType: CUSTOM, CheckpointInterval: 30000")
    job = only(find({"template.yaml": custom, "app/main.py": code}))
    assert [setting.text for setting in job.origins("flink", "execution.checkpointing.interval")] == ["10000", "30000"]


def test_the_input_of_create_application_is_read_as_json(find: Finder) -> None:
    told = """
        {"ApplicationName": "orders", "RuntimeEnvironment": "FLINK-1_20", "ApplicationConfiguration": {"EnvironmentProperties": {"PropertyGroups": [
          {"PropertyGroupId": "kinesis.analytics.flink.run.options", "PropertyMap": {"python": "app/main.py"}}]}}}
    """
    job = only(find({"create.json": told, "app/main.py": PROGRAM}))
    assert reasons(job) == {"app/main.py": "the code", "create.json": "runs main.py"}
    assert len(job.entries) == 1


def test_a_name_alone_means_no_program_of_another_branch(find: Finder) -> None:
    files = {"genomes/run.sh": "spark-submit --conf spark.speculation=true main.py\n", "lake/main.py": SPARK}
    assert "genomes/run.sh" in only(find(files)).paths
    jobs = {job.name: job for job in find({**files, "genomes/plots.py": SPARK}, kinds=("job",))}
    assert jobs["lake/main.py"].paths == ("lake/main.py",)


@pytest.mark.parametrize("above", ["", "home/me/"])
def test_what_stands_around_all_of_it_tells_nothing(find: Finder, above: str) -> None:
    """Three projects side by side, and one whose code stands in one folder beside its config."""
    values = "image:\n  tag: 1.18.1\nflinkProperties:\n  taskmanager.numberOfTaskSlots: 1\n"
    apart = {f"{above}{name}/job.py": PROGRAM for name in ("clicks", "orders")} | {f"{above}operator/chart/values.yaml": values}
    assert {path for job in find(apart, kinds=("job",)) for path in job.paths} == {f"{above}clicks/job.py", f"{above}orders/job.py"}
    together = {f"{above}src/clicks/job.py": PROGRAM, f"{above}src/orders/job.py": PROGRAM, f"{above}chart/values.yaml": values}
    assert all(f"{above}chart/values.yaml" in job.paths for job in find(together, kinds=("job",)))


def test_services_of_kubernetes_are_no_jobs(find: Finder) -> None:
    service = """
        apiVersion: v1
        kind: Service
        metadata: {name: flink-jobmanager}
        spec:
          type: NodePort
          ports: [{port: 8081, nodePort: 30081}]
          selector: {app: flink, component: jobmanager}
    """
    assert find({"k8s/service.yaml": service}) == []


def test_an_image_is_listed_with_its_compose_file_alone(find: Finder) -> None:
    files = {
        "docker-compose.yml": "services:\n  jobmanager: {build: ./image, command: jobmanager}\n",
        "image/Dockerfile": "FROM flink:1.18.1\nRUN echo 'state.backend: rocksdb' >> /opt/flink/conf/flink-conf.yaml\nCOPY conf/* /opt/flink/conf/\n",
        "image/conf/flink-conf.yaml": "rest.port: 8081\n",
    }
    (cluster,) = find(files)
    assert reasons(cluster) == {
        "docker-compose.yml": "the compose file",
        "image/conf/flink-conf.yaml": "copied into its image",
        "image/Dockerfile": "builds its image",
    }


def test_versions_come_from_what_is_about_the_job(find: Finder) -> None:
    compose = "services:\n  jobmanager: {build: ., command: jobmanager}\n"
    dockerfile = "FROM flink:1.18.1\nRUN echo 'state.backend: rocksdb' >> /opt/flink/conf/flink-conf.yaml\n"
    files = {
        "walkthrough/docker-compose.yml": compose,
        "walkthrough/Dockerfile": dockerfile,
        "walkthrough/orders.py": PROGRAM,
        "docker/Dockerfile": "FROM flink:1.16.0\n",
        "charts/orders/values.yaml": "image: flink:1.15.0\n",
    }
    job = only(find(files, kinds=("job",)))
    assert job.paths == ("walkthrough/orders.py", "walkthrough/docker-compose.yml", "walkthrough/Dockerfile")
    version = job.version("flink")
    assert version is not None and version.text == "1.18.1"


def test_a_pipeline_that_beams_entry_point_starts(find: Finder) -> None:
    resource = """
        apiVersion: flink.k8s.io/v1beta1
        kind: FlinkApplication
        metadata: {name: words}
        spec:
          image: words:1
          flinkVersion: "1.16"
          jarName: beam-runner.jar
          entryClass: org.apache.beam.runners.flink.FlinkPortableClientEntryPoint
          programArgs: "--driver-cmd \\"cd /code/src; exec python -m words.pipeline --job_name=words\\""
    """
    job = only(find({"k8s/words.yaml": resource, "src/words/pipeline.py": beam("[auto]")}))
    assert reasons(job) == {"src/words/pipeline.py": "the code", "k8s/words.yaml": "runs pipeline.py"}


def test_what_tests_compare_with_is_no_cluster(find: Finder) -> None:
    spec = '{"spark_conf": {"spark.sql.shuffle.partitions": "8"}}'
    assert [job.name for job in find({"tests/data/cluster.json": spec, "clusters/orders.json": spec})] == ["clusters/orders.json"]


def test_config_among_tests_is_for_what_is_tested_there(find: Finder) -> None:
    script = f"SET 'execution.checkpointing.timeout' = '10 min';\n{INSERT}"
    files = {"tests/e2e/totals.sql": script, "tests/e2e/docker-compose.yml": COMPOSE, "jobs/orders.py": PROGRAM}
    found = {job.name: set(job.paths) for job in find(files) if job.kind == "job"}
    assert found == {"tests/e2e/totals.sql": {"tests/e2e/totals.sql", "tests/e2e/docker-compose.yml"}, "jobs/orders.py": {"jobs/orders.py"}}


def test_what_a_service_brings_is_said_of_each() -> None:
    from shoal.jobs.outside import AMAZON, DATABRICKS, SERVICES, service

    assert all(one.brings for one in SERVICES.values())
    assert [name for name, one in SERVICES.items() if one.checkpoints] == [AMAZON, "Confluent Cloud", "Ververica Platform"]
    assert {name: one.files for name, one in SERVICES.items() if one.files} == {
        "Amazon EMR": "hdfs",
        "Google Dataproc": "hdfs",
        DATABRICKS: "dbfs",
    }
    assert service("") == service("of nobody") and not service("").brings


ENTRY = """
    from shop.orders import run

    if __name__ == "__main__":
        run()
"""


def test_a_program_is_found_behind_the_script_that_is_started(find: Finder) -> None:
    resource = """
        apiVersion: flink.apache.org/v1beta1
        kind: FlinkDeployment
        metadata:
          name: orders
        spec:
          image: flink:1.20.1
          flinkVersion: v1_20
          job:
            jarURI: local:///opt/flink/opt/flink-python-1.20.1.jar
            args: ["-py", "/opt/flink/usrlib/start.py"]
    """
    files = {"pyproject.toml": "", "start.py": ENTRY, "shop/orders.py": PROGRAM, "deploy/orders.yaml": resource}
    job = only(find(files, kinds=("job",)))
    assert job.name == "shop/orders.py"
    assert set(job.paths) == {"shop/orders.py", "start.py", "deploy/orders.yaml"}
    assert reasons(job)["start.py"].startswith("the entry")


def test_a_program_is_found_behind_the_script_of_a_command(find: Finder) -> None:
    files = {
        "pyproject.toml": "",
        "start.py": ENTRY,
        "shop/orders.py": PROGRAM,
        "run.sh": "#!/bin/sh\nflink run -D parallelism.default=4 -py start.py\n",
    }
    job = only(find(files, kinds=("job",)))
    assert reasons(job) == {
        "shop/orders.py": "the code",
        "run.sh": "starts it",
        "start.py": "the entry: what is started, and runs the code",
    }
    assert job.origins("flink", "parallelism.default")


def test_of_two_programs_none_is_behind_a_script(find: Finder) -> None:
    files = {
        "pyproject.toml": "",
        "start.py": ENTRY,
        "shop/orders.py": PROGRAM,
        "shop/totals.py": PROGRAM,
        "run.sh": "#!/bin/sh\nflink run -py start.py\n",
    }
    assert all("start.py" not in job.paths for job in find(files, kinds=("job",)))
    plain = {"start.py": ENTRY, "shop/orders.py": PROGRAM, "run.sh": "#!/bin/sh\npython start.py\n"}
    assert all("start.py" not in job.paths for job in find(plain, kinds=("job",)))


SPARK_COMPOSE = """
    services:
      kafka:
        image: confluentinc/cp-kafka:7.6.1
        environment:
          KAFKA_BROKER_ID: 1
          KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
      connect:
        image: confluentinc/cp-kafka-connect:7.6.1
        environment:
          CONNECT_BOOTSTRAP_SERVERS: kafka:9092
          CONNECT_GROUP_ID: connect
      master:
        image: bitnami/spark:3.4.3
        container_name: spark-master
"""
SPARK_PROGRAM = """
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.master("spark://spark-master:7077").getOrCreate()
    spark.readStream.format("rate").load().writeStream.format("noop").start().awaitTermination()
"""


def test_the_compose_service_that_a_program_names_as_its_master_says_the_version(find: Finder) -> None:
    job = only(find({"app/rates.py": SPARK_PROGRAM, "docker-compose.yml": SPARK_COMPOSE}))
    assert [member.why for member in job.members if member.path == "docker-compose.yml"] == ["its brokers", "its Spark master"]
    version = job.version("spark")
    assert version is not None and version.text == "3.4.3"
    away = SPARK_PROGRAM.replace("spark-master:7077", "elsewhere:7077")
    assert only(find({"app/rates.py": away, "docker-compose.yml": SPARK_COMPOSE})).version("spark") is None


def test_the_spark_containers_that_mount_a_programs_folder_say_the_version(find: Finder) -> None:
    compose = """
        services:
          master:
            image: bitnami/spark:3.4.3
            volumes: [./app:/opt/app]
          worker:
            image: bitnami/spark:3.4.3
            volumes: ["./:/opt/all"]
    """
    program = SPARK_PROGRAM.replace('.master("spark://spark-master:7077")', "")
    job = only(find({"app/rates.py": program, "docker-compose.yml": compose}))
    assert reasons(job) == {"app/rates.py": "the code", "docker-compose.yml": "its Spark master"}
    version = job.version("spark")
    assert version is not None and version.text == "3.4.3"
    other = compose.replace("bitnami/spark:3.4.3", "bitnami/spark:3.5.1", 1)
    for files in (
        {"app/rates.py": program, "docker-compose.yml": other},
        {"jobs/rates.py": program, "docker-compose.yml": compose},
        {"app/rates.py": program.replace("builder", 'builder.master("local[2]")'), "docker-compose.yml": compose},
    ):
        assert only(find(files)).version("spark") is None


def test_what_stands_beside_a_jobs_brokers_is_judged_too(find: Finder) -> None:
    """Only the brokers go into the job; the worker in the same file is nobody's, and seen by itself."""
    jobs = find({"app/rates.py": SPARK_PROGRAM, "docker-compose.yml": SPARK_COMPOSE}, kinds=("job", "file"))
    assert [[block.role for block in job.select("kafka-connect")] for job in jobs] == [[], ["worker"]]


def test_the_brokers_of_the_project_around_a_module_are_those_of_its_jobs(find: Finder) -> None:
    """Also where the image is built in the project, so that only its variables say what it runs."""
    compose = """
        services:
          queue:
            build: ./queue
            environment:
              KAFKA_ADVERTISED_HOST_NAME:
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_TRANSACTION_MAX_TIMEOUT_MS: 9000000
          ui:
            image: provectuslabs/kafka-ui
            environment: [KAFKA_CLUSTERS_0_NAME=local]
    """
    files = {"jobs/rates.py": SPARK_PROGRAM, "jobs/pyproject.toml": "[project]\nname = 'rates'\n", "docker/docker-compose.yml": compose}
    job = only(find({"pyproject.toml": "[project]\nname = 'all'\n", **files}))
    assert reasons(job)["docker/docker-compose.yml"] == "its brokers"
    assert [block.name for block in job.select("kafka", ("broker",))] == ["queue"]


def test_a_compose_service_that_submits_a_program_starts_it(find: Finder) -> None:
    compose = """
        services:
          rates:
            image: bitnami/spark:3.4.3
            volumes: [./app:/app]
            command: spark-submit --conf spark.sql.shuffle.partitions=8 /app/rates.py
          visits:
            image: bitnami/spark:3.4.3
            volumes: [./app:/app]
            command: spark-submit --conf spark.task.maxFailures=2 /app/visits.py
    """
    files = {"app/rates.py": SPARK_PROGRAM, "app/visits.py": SPARK_PROGRAM, "docker-compose.yml": compose}
    jobs = {job.name: job for job in find(files)}
    rates = jobs["app/rates.py"]
    assert reasons(rates) == {"app/rates.py": "the code", "docker-compose.yml": "starts it"}
    assert [rates.anywhere("spark", key) != [] for key in ("spark.sql.shuffle.partitions", "spark.task.maxFailures")] == [True, False]
    version = jobs["app/visits.py"].version("spark")
    assert version is not None and version.text == "3.4.3"


def test_what_is_sent_to_a_cluster_is_known_above_and_below(find: Finder) -> None:
    submit = "spark-submit --master spark://m:7077 {}\n"
    files = {
        "pyproject.toml": "",
        "daily.sh": submit.format("daily.py"),
        "one/pyproject.toml": "",
        "one/run.sh": submit.format("one.py"),
        "two/pyproject.toml": "",
        "two/run.sh": submit.format("two.py"),
    }
    projects = find(files, kinds=("project",))
    sent = {job.name: {usage.detail.split('"')[1] for usage in job.usages("submitted")} for job in projects}
    assert sent == {".": {"daily.py", "one.py", "two.py"}, "one": {"daily.py", "one.py"}, "two": {"daily.py", "two.py"}}


PARENT = """
    <project><artifactId>jobs</artifactId><packaging>pom</packaging><modules><module>orders</module></modules>
    <properties><flink.version>1.14.6</flink.version><scala>2.12</scala></properties></project>
"""
MODULE = """
    <project><parent><artifactId>{}</artifactId></parent><artifactId>orders</artifactId><dependencies><dependency>
    <groupId>org.apache.flink</groupId><artifactId>flink-clients_${{scala}}</artifactId><version>${{flink.version}}</version>
    </dependency></dependencies></project>
"""


def test_a_module_has_the_properties_of_its_parent(find: Finder) -> None:
    job = only(find({"pom.xml": PARENT, "orders/pom.xml": MODULE.format("jobs"), "orders/orders.py": PROGRAM}))
    (dependency,) = job.dependencies
    assert (dependency.name, dependency.version, dependency.place.path) == ("org.apache.flink:flink-clients_2.12", "1.14.6", "pom.xml")
    version = job.version("flink")
    assert version is not None and version.text == "1.14.6"


def test_a_parent_from_elsewhere_has_other_properties(find: Finder) -> None:
    job = only(find({"pom.xml": PARENT, "orders/pom.xml": MODULE.format("spring-boot-starter-parent"), "orders/orders.py": PROGRAM}))
    assert job.version("flink") is None


def test_programs_with_a_session_of_another_module_are_jobs(find: Finder) -> None:
    files = {
        "app/session.py": """
            from pyspark.sql import SparkSession

            def make():
                return SparkSession.builder.config("spark.sql.shuffle.partitions", "4").getOrCreate()
        """,
        "app/queries.py": """
            def copy(frame):
                return frame.writeStream.format("parquet").option("checkpointLocation", "s3://lake/chk").start("s3://lake/orders")
        """,
        "app/orders.py": """
            from queries import copy
            from session import make

            copy(make().readStream.table("orders")).awaitTermination()
        """,
        "app/visits.py": """
            from pyspark.sql.functions import col
            from session import make

            if __name__ == "__main__":
                make().table("visits").select(col("page")).show()
        """,
    }
    jobs = {job.name: set(job.paths) for job in find(files) if job.kind == "job"}
    assert jobs == {
        "app/orders.py": {"app/orders.py", "app/queries.py", "app/session.py"},
        "app/visits.py": {"app/visits.py", "app/session.py"},
    }


def test_containers_that_have_a_programs_folder_keep_what_is_in_their_volumes(find: Finder) -> None:
    files = {
        "docker-compose.yml": """
            services:
              spark-etl:
                build: ./etl
                volumes: [checkpoints:/state]
              spark-ui:
                build: ./ui
                volumes: [uploads:/uploads]
        """,
        "etl/orders.py": """
            from pyspark.sql import SparkSession

            SparkSession.builder.getOrCreate().readStream.table("orders").writeStream.start().awaitTermination()
        """,
    }
    job = only(find(files))
    assert reasons(job)["docker-compose.yml"] == "has a container that may run it"
    assert [mount.path for mount in job.mounts] == ["/state"]


def test_a_module_that_reads_a_stream_and_starts_no_query_is_part_of_the_program_that_does(find: Finder) -> None:
    files = {
        "orders.py": """
            from pyspark.sql import SparkSession


            def read():
                spark = SparkSession.builder.master("local[2]").getOrCreate()
                return spark.readStream.table("orders")
        """,
        "demo.py": """
            from orders import read

            read().writeStream.option("checkpointLocation", "checkpoint").start().awaitTermination()
        """,
    }
    assert set(reasons(only(find(files)))) == {"demo.py", "orders.py"}


def test_scripts_that_run_in_one_session_share_what_is_set(find: Finder) -> None:
    files = {
        "sql/10-options.sql": "SET 'execution.checkpointing.interval' = '1 min';",
        "sql/20-tables.sql": TABLES,
        "sql/40-totals.sql": TABLES + INSERT,
        "sql/init.sql": "SET 'parallelism.default' = '2';",
        "sql/other.sql": "SET 'execution.checkpointing.mode' = 'AT_LEAST_ONCE';\n" + INSERT,
        "elsewhere/30-visits.sql": TABLES + INSERT,
    }
    jobs = {job.name: reasons(job) for job in find(files, kinds=("job", "file"))}
    assert jobs["sql/40-totals.sql"] == {
        "sql/40-totals.sql": "the code",
        "sql/10-options.sql": "may set up its session",
        "sql/init.sql": "may set up its session",
    }
    assert jobs["sql/20-tables.sql"].keys() == {"sql/20-tables.sql", "sql/10-options.sql", "sql/init.sql", "sql/other.sql"}
    assert jobs["sql/other.sql"].keys() == {"sql/other.sql", "sql/init.sql"}
    assert jobs["elsewhere/30-visits.sql"].keys() == {"elsewhere/30-visits.sql"}


_LOADS_IN_PYTHON = """
    from pathlib import Path

    from pyflink.table import EnvironmentSettings, TableEnvironment

    table_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    table_env.get_config().set("execution.checkpointing.interval", "1 min")
    table_env.execute_sql(Path("sql/tables.sql").read_text())
    table_env.execute_sql(open("sql/totals.sql").read()).wait()
"""
_LOADS_IN_JAVA = """
    import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
    import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
    public class Totals {
        public static void main(String[] args) throws Exception {
            StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
            env.enableCheckpointing(60000);
            StreamTableEnvironment tables = StreamTableEnvironment.create(env);
            tables.executeSql(Scripts.load("sql/tables.sql"));
            tables.executeSql(Scripts.load("/sql/totals.sql"));
        }
    }
"""


@pytest.mark.parametrize(("program", "text"), [("totals.py", _LOADS_IN_PYTHON), ("src/main/java/Totals.java", _LOADS_IN_JAVA)])
def test_a_program_has_the_tables_of_scripts_that_it_loads(find: Finder, program: str, text: str) -> None:
    files = {
        program: text,
        "sql/tables.sql": TABLES,
        "sql/totals.sql": TABLES + INSERT,
        "sql/others.sql": TABLES,
        "other/sql/tables.sql": TABLES,
    }
    files["other/pom.xml"] = "<project/>"
    jobs = {job.name: reasons(job) for job in find(files, kinds=("job", "file"))}
    assert jobs[program] == {program: "the code", "sql/tables.sql": "its script of SQL"}
    assert jobs["sql/totals.sql"] == {"sql/totals.sql": "the code", program: "may run the script"}
    assert {"sql/others.sql", "other/sql/tables.sql"} <= jobs.keys() and "sql/tables.sql" not in jobs
