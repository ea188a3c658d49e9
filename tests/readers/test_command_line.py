"""Commands as facts: Flink, Spark, Beam and Kafka programs in scripts, recipes and argument lists."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from reader_facts import assert_sliced, assert_sound, blocks, dependencies, entries, oddities, of, reading, scraps, values

from shoal.facts import Block, Oddity, Setting, Usage
from shoal.readers import Reading
from shoal.readers.command_line import read_arguments, read_command
from shoal.readers.shell_words import commands
from shoal.text import Text


def shell(text: str, path: str = "run.sh") -> Reading:
    out = reading(text, "shell", path)
    assert_sound(out)
    return out


def arguments(*words: str) -> Reading:
    raw = "\n".join(words)
    out = Reading("x.yaml", raw)
    given_words = []
    at = 0
    for word in words:
        given_words.append((word, Text(raw).slice(at, at + len(word))))
        at += len(word) + 1
    read_arguments(given_words, out)
    assert_sound(out)
    return out


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b", ["a", "b"]),
        ("a 'b c' \"d $E\" f\\ g", ["a", "b c", "d $E", "f g"]),
        ("a \\\n  b", ["a", "b"]),
        ("a \\\r\n  b\r\n", ["a", "b"]),
        ("a b# c #d", ["a", "b#", "c"]),
        ("a ''", ["a", ""]),
        ("a $'x\\ny'", ["a", "x\ny"]),
        ('a "x\\"y\\n"', ["a", 'x"y\\n']),
        ("a > out 2>&1 < in", ["a"]),
        ("a ${B:-c d}", ["a", "${B:-c d}"]),
        ("a 'open", ["a", "open"]),
        ('a "open', ["a", "open"]),
        ("if a b", ["a", "b"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert [word.text for word in commands(Text(text))[0].words] == expected


def test_words_point_at_what_is_written() -> None:
    text = "x \"-Dk='a b'\" y\\ z"
    (command,) = commands(Text(text))
    assert [text[word.at(0) : word.at(len(word.text) - 1) + 1] for word in command.words] == ["x", "-Dk='a b'", "y\\ z"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("flink run -Dstate.backend.type=rocksdb app.jar", {"state.backend.type": "rocksdb"}),
        ("./bin/flink run -D execution.checkpointing.interval='60 s' app.jar", {"execution.checkpointing.interval": "60 s"}),
        ('flink run "-Dpipeline.name=a b" app.jar', {"pipeline.name": "a b"}),
        ("flink run -Dpipeline.name=$NAME app.jar", {"pipeline.name": None}),
        ("flink run -Drest.port=${PORT:-8081} app.jar", {"rest.port": "8081"}),
        ("flink run -Drest.port=${1:-8081} app.jar", {"rest.port": "8081"}),
        ('flink run -Drest.port="$1" -Dweb.timeout=${2} app.jar', {"rest.port": None, "web.timeout": None}),
        ("flink run -Dpipeline.name=$(date +%s) app.jar", {"pipeline.name": None}),
        ("PORT=1\nflink run -Drest.port=$PORT app.jar", {"rest.port": "1"}),
        ("PORT=1\nPORT=2\nflink run -Drest.port=$PORT app.jar", {"rest.port": None}),
        ('OPTS="-Da.b=c -Drest.port=1"\nflink run $OPTS app.jar', {"a.b": "c", "rest.port": "1"}),
        ('OPTS=(-Da.b=c "-Dpipeline.name=x y")\nflink run "${OPTS[@]}" app.jar', {"a.b": "c", "pipeline.name": "x y"}),
        (
            "flink run -n -d -p 4 -s s3://b/sp app.jar",
            {"--allowNonRestoredState": "true", "--detached": "true", "--parallelism": "4", "--fromSavepoint": "s3://b/sp"},
        ),
        ("flink run --allowNonRestoredState --parallelism=4 app.jar", {"--allowNonRestoredState": "true", "--parallelism": "4"}),
        ("flink run app.jar -Drest.port=1", {}),
        ("flink list", {}),
        ("echo flink run -Drest.port=1 app.jar", {}),
        ("# flink run -Drest.port=1 app.jar", {}),
        ("docker compose exec jobmanager ./bin/flink run -Drest.port=1 app.jar", {"rest.port": "1"}),
        ("docker run flink:1.20 standalone-job -Drest.port=1", {"rest.port": "1"}),
        ("kubernetes-session.sh -Dkubernetes.cluster-id=x", {"kubernetes.cluster-id": "x"}),
        ("bash -c 'flink run -Drest.port=1 app.jar'", {"rest.port": "1"}),
        ("JOB=$(flink run -d -Drest.port=1 app.jar | tail -1)", {"--detached": "true", "rest.port": "1"}),
        ("yarn-session.sh -jm 1024 -D rest.port=1", {"rest.port": "1"}),
    ],
)
def test_flink_commands(text: str, expected: dict[str, str | None]) -> None:
    assert values(shell(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("flink run -py job.py --x y", [("python", "job.py")]),
        ("flink run --python job.py -pyfs lib", [("python", "job.py")]),
        ("flink run -c com.Main app.jar a b", [("jar", "app.jar"), ("class", "com.Main")]),
        ("standalone-job.sh start-foreground --job-classname com.Main -Da.b=c", [("class", "com.Main")]),
        ("sql-client.sh -i init.sql -f job.sql", [("sql", "init.sql"), ("sql", "job.sql")]),
        ("spark-submit --class com.Main app.jar a", [("class", "com.Main"), ("jar", "app.jar")]),
        ("spark-submit --master yarn job.py", [("python", "job.py")]),
        ("python -m jobs.main --runner=FlinkRunner", [("python", "jobs.main")]),
    ],
)
def test_entries(text: str, expected: list[tuple[str, str]]) -> None:
    assert entries(shell(text)) == expected


def test_an_option_behind_the_program_is_the_programs() -> None:
    assert oddities(shell("flink run app.jar -Drest.port=1")) == [("option-after-program", "rest.port")]
    assert oddities(shell("flink run app.jar -yD rest.port=1 -D state.backend=hashmap --x -D")) == [
        ("option-after-program", "rest.port"),
        ("option-after-program", "state.backend"),
    ]
    assert oddities(shell("flink run -yD rest.port=1 app.jar -D colour=red")) == []
    assert oddities(shell("spark-submit job.py --conf spark.a=b")) == [("option-after-program", "spark.a")]
    assert oddities(shell("spark-submit job.py --topic x --master yarn --num-executors=4")) == [
        ("option-after-program", "--master, --num-executors"),
    ]
    assert oddities(shell("spark-submit job.py --master main-host --conf job.conf --packages")) == []


def test_spark_submit() -> None:
    out = shell(
        'spark-submit --master yarn --conf spark.a=1 --conf="spark.b=x y" \\\n'
        "  --packages org.apache.spark:spark-sql-kafka-0-10_2.12:3.5.0,com.x:y:1 --conf spark.jars.packages=io.delta:delta-spark_2.12:3.1.0 job.py"
    )
    assert blocks(out) == [("spark", "submit", "")]
    found = values(out)
    assert (found["spark.a"], found["spark.b"], found["--master"]) == ("1", "x y", "yarn")
    assert dependencies(out) == [
        ("maven", "org.apache.spark:spark-sql-kafka-0-10_2.12", "3.5.0", True),
        ("maven", "io.delta:delta-spark_2.12", "3.1.0", True),
    ]
    assert_sliced(out)


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("python job.py --runner=FlinkRunner --checkpointing_interval 60000 --streaming", "python", {"runner": "FlinkRunner", "checkpointing_interval": "60000", "streaming": "true"}),
        ("java -jar app.jar --runner=FlinkRunner --checkpointingInterval=60000", "java", {"runner": "FlinkRunner", "checkpointingInterval": "60000"}),
        ('mvn exec:java -Dexec.mainClass=M -Dexec.args="--runner=FlinkRunner --parallelism=2"', "java", {"runner": "FlinkRunner", "parallelism": "2"}),
    ],
)  # fmt: skip
def test_beam_pipelines(text: str, language: str, expected: dict[str, str]) -> None:
    out = shell(text)
    assert values(out) == expected
    assert of(out, Block)[0].trait("language") == language


def test_a_python_program_of_another_kind_is_left_alone() -> None:
    assert shell("python train.py --epochs 3 --lr=0.1\npytest --runner x\nspark").facts == []


def test_argument_lists() -> None:
    out = arguments("-py", "/opt/job.py", "--runner=FlinkRunner", "--checkpointing_interval=60000")
    assert values(out) == {"runner": "FlinkRunner", "checkpointing_interval": "60000"}
    assert_sliced(out)
    assert values(arguments("standalone-job", "-D", "rest.port=1")) == {"rest.port": "1"}
    assert values(arguments("--conf", "spark.a=b")) == {"spark.a": "b"}
    assert values(arguments("/bin/sh", "-c", "exec flink run -Drest.port=1 a.jar")) == {"rest.port": "1"}
    assert arguments("--conf", "x", "-Dfoo=bar", "--epochs", "3").facts == []


def test_conf_files_that_a_script_writes() -> None:
    out = shell(
        "cat > conf/flink-conf.yaml <<EOF\nstate.backend: rocksdb\nrest.port: ${PORT}\nEOF\n"
        'echo "parallelism.default: 2" >> conf/flink-conf.yaml\n'
        "echo -e 'heartbeat.interval: 1\\nheartbeat.timeout: 2' | sudo tee -a conf/flink-conf.yaml\n"
    )
    assert blocks(out) == [("flink", "cluster", "")]
    assert values(out) == {
        "state.backend": "rocksdb",
        "rest.port": None,
        "parallelism.default": "2",
        "heartbeat.interval": "1",
        "heartbeat.timeout": "2",
    }
    assert_sliced(out)


@pytest.mark.parametrize(
    "text",
    [
        'CONF=/opt/flink/conf/flink-conf.yaml\necho "rest.port: 1" >> "$CONF"\necho "a.b: 2" >> ${CONF}\n',
        '{\n  echo "rest.port: 1"\n  echo "a.b: 2"\n} >> conf/flink-conf.yaml\n',
        '{ echo x; }\n{ { echo "rest.port: 1"; }; echo "a.b: 2"; } > conf/flink-conf.yaml\n',
        'FLINK_PROPERTIES="$(cat <<EOF\nrest.port: 1\na.b: 2\nEOF\n)"\n',
    ],
)
def test_conf_files_that_are_written_in_a_roundabout_way(text: str) -> None:
    out = shell(text)
    assert blocks(out) == [("flink", "cluster", "")]
    assert values(out) == {"rest.port": "1", "a.b": "2"}


def test_flink_properties_of_docker_run() -> None:
    out = shell('docker run -e FLINK_PROPERTIES="jobmanager.rpc.address: jm\nrest.port: 1" flink:1.20.0-java17 jobmanager')
    assert values(out) == {"jobmanager.rpc.address": "jm", "rest.port": "1"}
    assert dependencies(out) == [("image", "flink", "1.20.0-java17", True)]


RESOURCE = """\
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata:
  name: ${NAME}
spec:
  flinkVersion: v1_20
  flinkConfiguration:
    rest.port: "1"
    state.checkpoints.dir: s3://${BUCKET}/checkpoints
"""


@pytest.mark.parametrize(
    "script",
    [
        "cat <<EOF | kubectl apply -f -\n{}EOF\n",
        "kubectl apply -n jobs -f - <<-'EOF'\n{}EOF\n",
        "cat > deploy/orders.yaml <<EOF\n{}EOF\n",
        "oc create -f - <<EOF\n---\n{}EOF\n",
    ],
)
def test_resources_in_here_documents(script: str) -> None:
    out = shell(script.format(RESOURCE))
    found = values(out)
    assert found["rest.port"] == "1" and found["spec.flinkVersion"] == "v1_20" and found["state.checkpoints.dir"] is None
    assert not out.problems


def test_other_here_documents_are_no_resources() -> None:
    assert values(shell("cat <<EOF | psql flink\n" + RESOURCE + "EOF\n")) == {}
    assert shell("kubectl apply -f - <<EOF\napiVersion: v1\nkind: [flink\nEOF\n").problems == []


def test_sql_fed_to_the_client() -> None:
    assert values(shell("./bin/sql-client.sh <<'EOF'\nSET 'rest.port' = '1';\nEOF\n")) == {"rest.port": "1"}
    assert values(shell("cat <<'EOF' | sql-client.sh\nSET 'rest.port' = '1';\nEOF\n")) == {"rest.port": "1"}
    assert shell("psql <<EOF\nSET 'rest.port' = '1';\nEOF\nflink").facts == []


def test_makefile_recipes() -> None:
    text = "JOB = $(shell x)\nrun: build\n\t@flink run -Dpipeline.name=$(JOB) \\\n\t  -Drest.port=1 -Duser.x=$$HOME app.jar\n\n# flink run -Dno=1 x\nflink run -Dno=1 x\n"
    out = shell(text, "Makefile")
    assert values(out) == {"pipeline.name": None, "rest.port": "1", "user.x": None}
    assert_sliced(out)


def test_makefile_variables() -> None:
    text = (
        "export ARGS := --master local[*] \\\n\t--conf spark.a.b=c \\\n\t--conf spark.d.e=$(ROOT)/f\nROOT = /data\nTWICE = 1\nTWICE = 2\n"
        "MADE = $(shell date)\n\nrun:\n\tspark-submit $(ARGS) --conf spark.g.h=$(TWICE) --conf spark.i.j=$(MADE) jobs/orders.py\n"
    )
    out = shell(text, "Makefile")
    found = values(out)
    assert (found["spark.a.b"], found["spark.d.e"]) == ("c", "/data/f")
    assert found["spark.g.h"] is found["spark.i.j"] is None
    assert entries(out) == [("python", "jobs/orders.py")]
    assert oddities(out) == []


def test_justfile_recipes() -> None:
    assert values(shell("run:\n    flink run -Drest.port={{port}} -Dpipeline.name=x a.jar\n", "justfile")) == {
        "rest.port": None,
        "pipeline.name": "x",
    }


def test_versions_on_command_lines() -> None:
    out = shell(
        "V=3.0.1\nwget https://r/flink-sql-connector-kafka-$V-1.18.jar\ncp kafka-clients-3.4.0.jar lib\npip install 'apache-flink==1.18.1' apache-beam[gcp]==2.50.0 requests==1\n"
        "docker pull apache/beam_flink1.18_job_server:2.56.0"
    )
    assert dependencies(out) == [
        ("jar", "flink-sql-connector-kafka", "3.0.1-1.18", True),
        ("jar", "kafka-clients", "3.4.0", True),
        ("pypi", "apache-flink", "1.18.1", True),
        ("pypi", "apache-beam", "2.50.0", True),
        ("image", "apache/beam_flink1.18_job_server", "2.56.0", True),
    ]


def test_kafka_tools() -> None:
    out = shell("kafka-console-consumer.sh --topic x --consumer-property isolation.level=read_committed --consumer-property group.id=g")
    assert blocks(out) == [("kafka", "consumer", "")]
    assert values(out) == {"isolation.level": "read_committed", "group.id": "g"}


def test_topics_that_commands_make() -> None:
    out = shell(
        "docker exec kafka kafka-topics --create --bootstrap-server kafka:9092 --topic orders --partitions 1\n"
        'for name in a b; do kafka-topics.sh --create --topic="$name"; done\n'
        "kafka-topics.sh --describe --topic other\n"
    )
    assert [fact.detail for fact in out.facts if isinstance(fact, Usage) and fact.kind == "topic-made"] == ["orders", ""]


def test_options_of_topics_that_commands_make_or_alter() -> None:
    out = shell(
        "kafka-topics.sh --create --topic=orders --replication-factor 3 --config retention.ms=1 --config=cleanup.policy=$POLICY --partitions=$N\n"
        "kafka-configs --alter --entity-type topics --entity-name a --add-config min.insync.replicas=2,cleanup.policy=[compact,delete]\n"
        "kafka-configs --alter --entity-type brokers --entity-name 1 --add-config min.insync.replicas=2\n"
        "kafka-topics --create --topic plain --partitions 3 --replication-factor 3\n"
    )
    assert blocks(out) == [("kafka", "topic", "orders"), ("kafka", "topic", "a"), ("kafka", "topic", "plain")]
    found = [(fact.key, fact.text if fact.known else None) for fact in out.facts if isinstance(fact, Setting)]
    assert found == [
        ("replicas", "3"),
        ("retention.ms", "1"),
        ("cleanup.policy", None),
        ("partitions", None),
        ("min.insync.replicas", "2"),
        ("cleanup.policy", "[compact,delete]"),
        ("partitions", "3"),
        ("replicas", "3"),
    ]


@pytest.mark.parametrize(
    ("raw", "posted"),
    [
        ('curl -X POST http://connect:8083/connectors -H "A: b" -d @conf/sink.json', ["conf/sink.json"]),
        ('docker exec -i connect curl -X PUT --data-binary "@${FILE}" "$CONNECT/connectors/x/config"', ["${FILE}"]),
        ("F=sink.json; curl -T $F http://connect:8083/connectors/x/config", ["sink.json"]),
        ("curl -d @- http://connect:8083/connectors < sink.json", []),
        ("curl -d @sink.json http://registry:8081/subjects # kafka", []),
        ("sed s/A/$A/ sink.json > out.json; curl -d @out.json http://connect:8083/connectors", []),
    ],
)
def test_files_that_are_posted(raw: str, posted: list[str]) -> None:
    out = shell(raw)
    assert [fact.detail for fact in out.facts if isinstance(fact, Usage) and fact.kind == "file-posted"] == posted


@pytest.mark.parametrize(
    ("raw", "program"),
    [
        ("envsubst < a.json > b.json # kafka", "envsubst"),
        ('fill() { sed -e "s|\\${PASSWORD}|${PASSWORD}|g" "$1"; } # kafka', "sed"),
        ("cat a.json | sed -i 's/\\$\\{PASSWORD}/x/; s/a/b/' # kafka", "sed"),
        ("docker exec kafka gsed 's/[$]{PASSWORD}/x/' a.json", "gsed"),
        ("perl -pe 's/\\$\\{(\\w+)\\}/$ENV{$1}/ge' a.json # kafka", "perl"),
        ("python3 - <<EOF # kafka\nimport os, sys\nprint(os.path.expandvars(sys.stdin.read()))\nEOF", "python3"),
        ('python -c "import string; print(string.Template(open(0).read()).substitute(PASSWORD=1))" # kafka', "python"),
        ("python scripts/render_connectors.py # kafka", "python"),
        ("j2 connectors/a.json.j2 # kafka", "j2"),
        ('eval "cat <<EOF\n$(cat a.json)\nEOF" # kafka', "eval"),
        ('sed -i "s|localhost|${HOST}|" kafka.json', ""),
        ("sed 's/a/b/' kafka.json > ${OUT}", ""),
        ("perl -ne 'print if /kafka/' a.json", ""),
        ("python scripts/seed.py # kafka", ""),
    ],
)
def test_programs_that_fill_variables_in(raw: str, program: str) -> None:
    found = [fact.detail for fact in of(shell(raw), Usage) if fact.kind == "fills-in"]
    assert found == ([program] if program else [])


def test_operators_that_are_not_pinned() -> None:
    out = shell("helm install x strimzi/strimzi-kafka-operator -n kafka; helm install y strimzi/strimzi-kafka-operator --version 0.45.0")
    assert [fact.subject for fact in out.facts if isinstance(fact, Oddity)] == ["strimzi"]


def test_a_text_inside_a_text_keeps_outer_offsets() -> None:
    raw = "command: >\n  flink run\n  -Drest.port=1\n  app.jar\n"
    start = raw.index("flink")
    value = "flink run -Drest.port=1 app.jar"
    pieces = [(0, start), (10, raw.index("-D")), (24, raw.index("app"))]
    out = Reading("x.yaml", raw)
    read_command(Text(value, pieces), out)
    (one,) = of(out, Setting)
    assert raw[one.key_span.start : one.value_span.end] == "rest.port=1"


@pytest.mark.parametrize(
    "unit", ["'", '"', "$(", "${", "`", "<<E\n", "(", "\\\n", "x=$x ", "flink run -Da.b=c ", "bash -c '", "echo a: b >> flink-conf.yaml\n"]
)
def test_long_and_nasty_texts_are_read_in_bounded_steps(unit: str) -> None:
    shell("flink run " + unit * (100_000 // len(unit)))


@settings(max_examples=200, deadline=None)
@given(
    scraps(
        "flink run ", "-D", "a.b=c", "-py x.py ", "spark-submit ", "--conf ", "spark.a=b ", "--packages a:b:1 ", "python ", "--runner=FlinkRunner ", "bash -c ", "$(", "`", "<<EOF\n",
        "EOF\n", "| tee flink-conf.yaml", ">> flink-conf.yaml", "echo 'a: b'", "X=1 ", "$X ", "A=(", "sql-client.sh ", "docker run ", "A = $(B) \\\n", "B := --conf ", "$(A) ", "-e FLINK_PROPERTIES=", "pip install apache-flink==1 ",
    )
)  # fmt: skip
def test_no_text_trips_the_reader(text: str) -> None:
    shell(text)
    shell(text, "Makefile")
    arguments(*text.replace("\n", " ").split(" "))


@pytest.mark.parametrize(
    "text",
    [
        'curl -X POST h:8083/connectors -d \'{"name": "c", "config": {"connector.class": "X", "tasks.max": "1", "user": "\'"$DB_USER"\'"}}\'\n',
        'DATA=$(cat <<EOF\n{\n  "name": "c",\n  "config": {\n    "connector.class": "X",\n    "tasks.max": "1",\n    "user": "$DB_USER"\n  }\n}\nEOF\n)\n'
        'curl --data "$DATA" h:8083/connectors\n',
        'post() {\n  curl -d \'{"name": "c", "config": {"connector.class": "X", "user": "${DB_USER:-a}",\n "tasks.max": "1"}}\' $1\n}\n',
        'curl h:8083/connectors -d "{\n  \\"name\\": \\"c\\",\n  \\"config\\": {\\"connector.class\\": \\"X\\", \\"tasks.max\\": 1, \\"user\\": \\"$user\\"}\n}"\n',
    ],
)
def test_connectors_that_a_script_posts(text: str) -> None:
    out = shell(text)
    assert blocks(out) == [("kafka-connect", "connector", "c")]
    found = {fact.key: fact for fact in of(out, Setting)}
    assert (found["connector.class"].text, found["tasks.max"].text) == ("X", "1")
    assert not found["user"].known
    assert_sliced(out)


def test_connectors_of_a_script_that_are_not_read() -> None:
    out = shell('curl -d \'{"name": "c", "config": {"connector.class": "X" "a": 1}}\' h\necho "connector.class" {"a": 1\n')
    assert blocks(out) == []
    assert out.problems == []
    out = shell('cat <<EOF\n{"connector.class": "X", "transforms.a.type": "Extract\\$Value", "tasks.max": "1"}\nEOF\n')
    found = {fact.key: fact for fact in of(out, Setting)}
    assert found["tasks.max"].text == "1"
    shell('{"a": ' * 20_000 + '"connector.class"')


def test_a_connector_in_a_comment_is_none() -> None:
    posted = '{"name": "c", "config": {"connector.class": "X", "tasks.max": "1"}}'
    assert shell(f"# {posted}\ncurl h:8083/connectors/c\n").facts == []
    assert shell(f"curl -d '{posted}' h:8083/connectors # {posted}\n").facts != []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nohup spark-submit a.py > log 2>&1 &", [("spark-submit", "&")]),
        ("( flink run a.jar | tee log ) & flink run b.jar | tee log &", [("flink run", "&")]),
        ("spark-submit a.py &\npid=$!\nwait $pid", []),
        ("spark-submit a.py && echo done", []),
        ("spark-submit a.py &> log", []),
        ("flink run -d a.jar &", []),
        ("docker exec -itd -e A=b box bash -c 'flink run a.jar'", [("flink run", "docker exec -d")]),
        ("docker exec -e MODE=-d box flink run -d a.jar", []),
    ],
)
def test_jobs_that_are_let_go(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(fact.subject, fact.detail) for fact in shell(text).facts if isinstance(fact, Oddity) and fact.kind == "job-let-go"] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/etc/confluent/docker/run &\nsleep infinity", [("/etc/confluent/docker/run", "sleep infinity")]),
        ("/etc/confluent/docker/run &\nwait $!", []),
        ("/etc/confluent/docker/run &\nsleep 10", []),
        ("exec /etc/confluent/docker/run", []),
    ],
)
def test_servers_behind_what_never_ends(text: str, expected: list[tuple[str, str]]) -> None:
    assert [
        (fact.subject, fact.detail) for fact in shell(text).facts if isinstance(fact, Oddity) and fact.kind == "server-let-go"
    ] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("confluent-hub install --no-prompt debezium/debezium-connector-mysql:latest", ["debezium/debezium-connector-mysql:latest"]),
        ("x && confluent-hub install a/b:1.0 && confluent-hub install c/d:latest && y", ["c/d:latest"]),
        ("confluent connect plugin install c/d:latest --force", ["c/d:latest"]),
        ("confluent-hub install --no-prompt ./c/d-latest.zip", []),
        ("docker run --name kafka-connect install/kafka:latest", []),
        ("confluent-hub help install", []),
    ],
)
def test_plugins_of_no_version(text: str, expected: list[str]) -> None:
    assert [fact.subject for fact in shell(text).facts if isinstance(fact, Oddity) and fact.kind == "plugin-unpinned"] == expected


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("docker exec -it jobmanager flink run -py a.py", "container"),
        ('docker compose exec -T jobmanager bash -c "cd /jobs && ./bin/flink run -py a.py"', "container"),
        ("kubectl -n jobs exec deploy/jobmanager -- flink run -py a.py", "container"),
        ("exec flink run -py a.py", ""),
        ("docker run flink:1.20 flink run -py a.py", ""),
    ],
)
def test_commands_in_a_container_that_is_there(text: str, inside: str) -> None:
    (block,) = of(shell(text), Block)
    assert block.trait("inside") == inside


def test_options_of_servers_without_d() -> None:
    assert oddities(shell("taskmanager.sh start-foreground --taskmanager.registration.timeout 5 min")) == [
        ("option-without-d", "taskmanager.registration.timeout")
    ]
    assert oddities(shell("jobmanager.sh start -Drest.port=1 --host here.example --webui-port 8081")) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("spark-submit --master spark://m:7077 jobs/a.py", ['["jobs/a.py", "spark://m:7077", "no"]']),
        ("spark-submit --conf spark.master=spark://m:7077 a.py", ['["a.py", "spark://m:7077", "no"]']),
        ("spark-submit --master spark://m:7077 --executor-cores 2 a.py", ['["a.py", "spark://m:7077", "perhaps"]']),
        ("spark-submit --master spark://m:7077 --total-executor-cores 2 a.py", ['["a.py", "spark://m:7077", "yes"]']),
        ("spark-submit --master spark://m:7077 --conf spark.cores.max=2 a.py", ['["a.py", "spark://m:7077", "yes"]']),
        ("spark-submit --master spark://m:7077 --properties-file x.conf a.py", ['["a.py", "spark://m:7077", "yes"]']),
        ("spark-submit --master spark://m:7077 $OPTIONS a.py", ['["a.py", "spark://m:7077", "yes"]']),
        ("spark-submit --master $MASTER a.py", []),
        ("spark-submit --master yarn a.py", []),
        (
            "spark-submit --total-executor-cores 1 --master yarn a.py\nspark-submit --master spark://m:1 b.jar",
            ['["b.jar", "spark://m:1", "no"]'],
        ),
    ],
)
def test_what_is_sent_to_a_standalone_cluster(text: str, expected: list[str]) -> None:
    assert [usage.detail for usage in of(shell(text), Usage) if usage.kind == "submitted"] == expected


def test_a_limit_of_cores_on_the_master() -> None:
    out = shell('export SPARK_MASTER_OPTS="-Dspark.deploy.defaultCores=2"\nstart-master.sh')
    (usage,) = [usage for usage in of(out, Usage) if usage.kind == "core-limit"]
    assert out.raw[usage.place.span.start : usage.place.span.end] == "spark.deploy.defaultCores"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("docker build -t spark-base -f images/base.dockerfile .", ['["spark-base", "images/base.dockerfile"]']),
        ("docker build --tag=spark-base:1 --build-arg A=b images", ['["spark-base:1", "images/Dockerfile"]']),
        ("docker buildx build --load -t spark-base ./images", ['["spark-base", "images/Dockerfile"]']),
        ("sudo podman build -t spark-base -t spark-other .", ['["spark-base", "Dockerfile"]', '["spark-other", "Dockerfile"]']),
        ("docker build -t $SPARK .", []),
        ("docker build -t spark-base:$TAG .", ['["spark-base:$TAG", "Dockerfile"]']),
        ("docker build -t spark-base https://example.org/spark.git", []),
        ("docker build -t", []),
        ("docker run spark-base build -t spark-other .", []),
    ],
)
def test_images_that_are_built(text: str, expected: list[str]) -> None:
    assert [fact.detail for fact in shell(text).facts if isinstance(fact, Usage) and fact.kind == "image-built"] == expected
