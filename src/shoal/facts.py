"""What readers say about a file: plain facts, each with its exact span, and no opinion."""

from __future__ import annotations

import re
from typing import Union

from shoal.lazy import pattern
from shoal.model import Edit, Place, Span
from shoal.records import NamedTuple
from shoal.text import MASK


class Unknown(NamedTuple):
    """A value that cannot be known here; `text` is what stands in the file (`{{ .Values.x }}`, `${VAR}`), `begins` what it surely begins with."""

    text: str = ""
    begins: str = ""


Value = Union[str, Unknown]


class Block(NamedTuple):
    """Settings that an engine reads together: a conf file, a manifest's map, one table's options, one client's properties.

    engine  `flink`, `flink-cdc`, `spark`, `kafka`, `kafka-connect`, `kafka-mirror`, `beam`, `kubernetes`, …
    role    flink: `cluster` (a conf file or a container's FLINK_PROPERTIES), `deployment`, `sessionjob`, `service` (an application of a managed one), `session` (SQL SET),
            `command` (-D on a line), `table` (connector options), `catalog` (its options), `job` (set in code), `source`/`sink` (a builder in code),
            `resource` (a field, in a chart's values, of one that a template makes);
            spark: `defaults`, `application`, `submit`, `job`, `reader`, `writer`; kafka: `consumer`, `producer`, `admin`, `client`
            (cannot be told), `streams`, `broker`; kafka-connect: `worker`, `connector`; kafka-mirror: `maker`, in it `cluster`, `flow`, and in this `connector`; flink-cdc (a pipeline in YAML): `pipeline`, in it `source`, `sink`, `route`, `transform`; beam: `pipeline`, `transform`
    form    how it is written: `flink-conf`, `flink-yaml`, `manifest`, `compose`, `values`, `configmap`, `sql`, `command`, `properties`, `json`, `bundle`, `python`, `yaml`, `terraform`
    name    manifest, service, table or connector name; empty when it has none
    place   what introduces it: an absence is reported there
    parent  id of the block it stands in, or empty
    traits  further facts as (name, value), e.g. ("connector", "kafka"), ("kind", "FlinkDeployment"), ("library", "confluent-kafka")
    open    some of its settings cannot be seen from here (template, include, environment), so an absence proves nothing
    """

    id: str
    engine: str
    role: str
    form: str
    name: str
    place: Place
    parent: str = ""
    traits: tuple[tuple[str, str], ...] = ()
    open: bool = False

    def trait(self, name: str, default: str = "") -> str:
        for key, value in self.traits:
            if key == name:
                return value
        return default


class Origin(NamedTuple):
    """Where a value is written: a file and a span in it."""

    path: str
    span: Span


# What the comment of a setting begins with, when it stands on the line above.
ABOVE = "\n"


class Setting(NamedTuple):
    """One key with its value, as the engine that reads the block would see it (prefixes such as `properties.` are kept).

    `sure` is `sure`, `default` (known by the default of an environment variable) or `branch` (holds on some path only).
    Spans are those of the bare key and value, inside any quotes; `value_span` is empty (start == end) when no value is written.
    `comment` is the text of a comment on the same line, or, where it names an amount and stands alone, of one on the line above (it begins with
    `ABOVE`), or, for `enable.idempotence`, of those above that speak of it, without its marker; it may be empty. `origin` is where the value stands, when that is another file of the project or the assignment of a
    name: then the spans are those of what names it here.
    """

    block: str
    engine: str
    key: str
    value: Value
    path: str
    key_span: Span
    value_span: Span
    sure: str = "sure"
    comment: str = ""
    origin: Origin | None = None

    @property
    def known(self) -> bool:
        return not isinstance(self.value, Unknown)

    @property
    def text(self) -> str:
        """The value as text; of an unknown one, what stands in the file."""
        return self.value.text if isinstance(self.value, Unknown) else self.value

    @property
    def span(self) -> Span:
        """Key to value. A key and value in different places (an option moved by a helper) give the value's span."""
        if self.value_span.end <= self.value_span.start:
            return self.key_span
        if self.key_span.start <= self.value_span.start:
            return Span(self.key_span.start, self.value_span.end)
        return self.value_span

    def place(self, role: str = "primary", label: str = "") -> Place:
        """The value's place, or the key's when no value is written."""
        span = self.value_span if self.value_span.end > self.value_span.start else self.key_span
        return Place(self.path, span, role, label)

    def key_place(self, role: str = "primary", label: str = "") -> Place:
        return Place(self.path, self.key_span, role, label)


class Dependency(NamedTuple):
    """Something with a version that the job needs.

    `ecosystem` is `pypi`, `maven`, `image`, `jar` (a file name), `archive` (an engine that an image unpacks) or `field` (a manifest's own
    version field, `name` is then the engine); `version` is as written, empty when none is (`flink:latest` has `latest`). `exact` says it is
    a pin, not a range.
    """

    ecosystem: str
    name: str
    version: str
    place: Place
    exact: bool = True
    block: str = ""


class Entry(NamedTuple):
    """What a manifest or command runs: `kind` is `python`, `jar`, `sql` or `class`; `args` are the arguments as texts.

    `resource` is a manifest that is applied, `build` a Dockerfile that a service is built from: its build context and the arguments as `NAME=value`.
    """

    kind: str
    target: str
    args: tuple[str, ...]
    place: Place
    block: str = ""


class Mount(NamedTuple):
    """A path inside a container that something backs.

    `kind` is `named` (a compose volume), `bind` (a host folder), `copy` (put into the image by a Dockerfile), `pvc`, `hostPath`, `emptyDir`, `configMap`, `secret`, `ephemeral`
    or `unknown`; `name` is the volume's name, claim or host path.
    """

    path: str
    kind: str
    name: str
    place: Place
    block: str = ""


class Oddity(NamedTuple):
    """A place where the format itself goes wrong, as its reader sees it; rules decide whether to say something.

    `kind` names it (`line-dropped`, `nested-yaml`, `duplicate-key`, …), `subject` is the text concerned (a key, a line),
    `detail` what the engine makes of it, `edits` the smallest change that says what was meant, when that is certain.
    """

    kind: str
    block: str
    subject: str
    detail: str
    place: Place
    related: tuple[Place, ...] = ()
    edits: tuple[Edit, ...] = ()


class Statement(NamedTuple):
    """A SQL statement that moves data, and what in it needs state.

    `kind` is `insert`, `create-table-as`, `create-view` or `select`; `target` the table or view written, `sources` those read.
    `features`, only those that are certain: `group-by` (over no window), `few-groups` (and only by such as the hour of the day), `windowed-group-by`, `regular-join`, `one-end-join` (a regular one, on one
    end of the windows alone), `times-join` (a regular one, whose condition compares what sounds like times: an interval join, where these are the time attributes), `interval-join`, `temporal-join`, `window-join`, `lateral-join`, `select-distinct`, `aggregate-distinct`, `set-operation`, `over`, `row-number`,
    `window-tvf`, `match-recognize`, `order-by` (of the result, without a limit), `state-ttl-hint`, `window-over-join` (over a query of WITH whose regular join left it no time attribute). `block` is the session's (or job's) block. `alone` names the script or function that submits an
    insert as a job of its own; empty where it may be one of a statement set, or not run at all.
    """

    kind: str
    target: str
    sources: tuple[str, ...]
    features: tuple[str, ...]
    place: Place
    block: str = ""
    alone: str = ""


class Usage(NamedTuple):
    """Something the code does that rules over a whole job ask about; `place` is what does it.

    `kind` and `detail`: `flink-api` the name of a PyFlink method or class that some release lacks, `flink-class` a class that a Java file imports and Flink 2.0 lacks, `flink-class-deprecated` the same of one long deprecated, where it is first used, `spark-api` a module of PySpark that does; `confluent-api-since` a method of a client of confluent-kafka, and the first release that has it; `unguarded-parse` the call that parses
    a record in an operator, with nothing around it that handles a bad one; `keyed-state` the kind of state descriptor; `async-timeout` the milliseconds
    that a request of an async operator may take; `time` `watermarks`, `event` or `processing`, of which a program speaks; `generic-type` a type that Kryo serializes; `no-uid` the method that makes an operator with state and gives it no uid; `rows-waiting` how many rows a JDBC sink collects that no interval writes; `import` a module that may be the project's own, as `.package.module:name,name`; `loads-script` the path of a script of SQL that a program names;
    `asks` a dotted name of another module of the project whose value is needed (with `()`, what that function gives), `has` what such a module has, as `name=JSON`, `runs` a function of
    another module that an engine runs, with where it does, `gives` one that is given streams, with them, both as JSON (`across` makes of these what files tell one another);
    `file-sink` a sink of streams that writes files, `bounded-input` a stream made of a collection or a file, which ends;
    `read-in-a-loop` the call that gets the records of the Java consumer `block`, in a file that commits nothing and keeps the consumer for itself;
    `commits-in-a-loop` a commit in the loop of the Java consumer `block`, and the list whose size it waits for, if there is one;
    `gives-environment` the class that a Java file gives its environment to, empty when that cannot be told;
    `file-in-map` the name under which a config map holds the program that was read in its file; `keeps-state` a feature of the SQL statement around it, which needs state; `inserts` how many columns an INSERT gives, how many it names (0 for none) and its table; `columns-altered` a table that gets or loses some; `by-arrival` an aggregate over a window whose result depends on the order in which rows come;
    `date-pattern` a pattern of dates with the letter of something else, as JSON: the `engine`, the function or option that it is given `by`, the `pattern`, what is `wrong`;
    `state-on-rocksdb` a call of Spark that keeps its state in RocksDB only; `async-capacity` how many requests an async operator in Java may have open; `guarded-parse` a parse of records that an operator tries;
    `delta-table` a reader or writer of the format `delta`; `brings-delta` the session, as a block, that is given the packages of Delta by its own function;
    `waits-for-ever` the call by which a program of Spark waits until a query ends; `submits` the call that submits a job of streams; `insert-not-awaited` the call that submits a job of tables and returns at once, the last of a script that waits for nothing;
    `sets-up-file-systems` that a program gives Flink's file systems a configuration itself;
    `names-jars` a method by which a program names jars for its job, or may;
    `faust-app` the id of an app of Faust; `topic-read` a topic that the Kafka consumer `block` reads; `asks-itself` what a container is told of brokers that is nothing but its own host, `registry-at-itself` the same of a schema registry; `registry-of-zookeeper` the image of one that is told of ZooKeeper alone; `dstreams` Spark's old API for streams; `reads-pubsub` a transform of Beam that reads Pub/Sub, which runners refuse outside of a streaming pipeline; `dataflow-state` the first thing that a dataflow of Bytewax keeps, `dataflow-run` where one is run without a recovery store, the module in `detail` where a command does; `reads-endless` another source of Beam without an end; `image-argument` a base image as written, with variables that a build fills in; `archive-argument` the same of an engine's archive, its name and version; `own-image` a base image that no registry has, as far as its name tells, `image-built` what an image's name and the path of its Dockerfile are, as JSON;
    `pipeline-feature` what a declarative pipeline of Databricks uses that not every edition has: `expectations` or `changes`;
    `tool-called` a tool of Kafka's that a script runs in a container that is there, both as JSON; `file-posted` the file that curl hands to Kafka Connect as it is, `connector-sent` the same with the shape that the address wants, as JSON (`named`: a name and a `config`, or `bare`), `fills-in` a program that fills variables into texts (`envsubst`, `sed` on `${NAME}`);
    `decoding-failures-handled` what a Java file does about records that Spring's consumer cannot decode, `kafka-listener` one of Spring's listeners in it,
    `template-watched` what in it, or in Spring's options, hears of each send of its template that fails;
    `takes-acknowledgment` such a listener with a parameter to acknowledge by, `ack-mode` the mode that one of Spring's containers is given (`?` where it is not known);
    `dead-letters` a topic of a Terraform module that takes the dead letters of a Pub/Sub subscription, `topic-given` one that keeps messages by itself or is given to what may read it;
    `topic-made` the topic that a command of kafka-topics makes, empty when it cannot be known; `zookeeper-option` a tool of Kafka's that is told of ZooKeeper; `spark-host` the name of a service of a compose file whose image, at `place`, is one of Spark;
    `broker-host` that of a broker's service that sets no option of the broker; `broker-local` the same, of one whose image then sends its clients to localhost;
    `container` a service of a compose file with a network of its own, as JSON: its name, the Python programs that it starts, the folders that they
    may come from, the Dockerfile that says which, all relative to the file, and its volumes (kind, path, name); `starts` the programs that a Dockerfile starts, as JSON; `entry-point` the
    words of its ENTRYPOINT, as JSON, none of one for a shell; `only-adds` the image of Flink to which a Dockerfile only adds files; `no-plugins` that to which it adds no file system that Flink loads; `hands-on` a command that a compose file gives to the ENTRYPOINT of an image that it builds,
    as JSON: the service, the Dockerfile relative to the file, the words; `image-python` the Python of a Dockerfile's last stage, as JSON: its minor version,
    whether its tag means the `newest`, the `image`, whether an argument may name another one (`argued`), whether it is on `alpine`, whether `librdkafka` is
    installed, the `files` of the build context that are installed for it, and the offsets of the `stages` that have it; `python-range` the Pythons that a
    project says it is for; `for-pythons` those for which a package is asked for, as JSON: its name, and a specifier or `?`; `six-moves-replaced` that a
    program gives kafka-python the module which newer Pythons do not find; `jobmanager-told` that it, or a change of the service that
    is named, says where Flink's JobManager is, or may say so;
    `pods-kept` how many pods of one kind a PodDisruptionBudget keeps, `pods-of` how many a workload has, both as JSON with namespace and labels;
    `passing-volume` the path of a broker's volume that ends with its pod, where the volume is declared;
    `passing-store` an object store in a container without a volume, as JSON: the names by which it is found, and the bucket for checkpoints that is made in it;
    `passing-zookeeper` a ZooKeeper in a container whose data are in no volume that is mounted again, as JSON: the names by which it is found;
    `plain-postgres` a container of PostgreSQL's own image, as JSON: the names by which it is found, and what is said of its `wal_level`;
    `volume-of-root` a path at which a service of Flink's own image mounts a new volume, in a folder that the image does not have;
    `driver-checkpoint` what a service that submits an application is told of checkpoints in its environment, where none of its volumes is there;
    `iso-times` a record that a program makes, as JSON: its `fields`, and those of them that are `times` as ISO 8601 writes them; `sql-time` the `column` of a table of JSON
    records that takes times as SQL writes them, with all `columns`, as JSON;
    `server-volume` the path of a lasting volume in a container of Debezium Server;
    `asks-unknown-host` the `host:port` at which a service looks for brokers or a registry, and which no service of its compose file has, `asks-across-networks` one that no service on its networks has; `compose-hosts` the names of all services of one;
    `asks-host` the `host:port` of another service in the environment of one, whose name labels the place; `asks-broker` the same,
    where the variable's name says that it is a broker;
    `submitted` what a command sends to a standalone cluster of Spark, as JSON: the program, the master, and whether its cores are limited (`yes`, `no`, `perhaps`); `core-limit`
    `spark.deploy.defaultCores`, wherever it is named;
    `plugins` the jars that the image of `block` is told to take for plugins, between `;`; `keeps-data` a container beside a broker that is a store with a volume for its data; `unused-volume` one for a broker's data that nothing mounts;
    `chart-value` a scalar of a chart's values file, as `path.to.it=text`, or `path.to.it?` where its text in a template is not certain;
    `playbook-variable` a variable of Ansible, as `name=text`, or `name?` where its text is not certain;
    `filled` the path and offset of a value in a template that a chart's value or a variable at `place` was filled into, only among the facts of a job;
    `checkpoint-beside-program` that a writer of Spark has its checkpoint in the folder `of the program`, or in the one `that the driver was started in`;
    `joined-as-of` the table that a query joins `FOR SYSTEM_TIME AS OF` a time;
    `bundle` the patterns of the files that a bundle of Databricks includes, a line each;
    `cluster-label` the name of the cluster that a resource of Strimzi says it is for, `cluster-label-misspelt` a label that is nearly the one for this; `strimzi-address` that of one whose service for
    clients an object of Kubernetes names; `mirror-target` that of the one which a flow of MirrorMaker, `block`, copies to;
    `property-for-modules` a property of a pom that others have for a parent, as `artifactId name=value`; `version-of-parent` a dependency whose name or version
    its parent's properties complete, as `artifactId of the parent group:artifact:version`;
    `kustomize-image` what a kustomization makes of the image `name`, as JSON (`newName`, `newTag`, `digest`, the `resources` it is for, and `fields`:
    whether also of images that stand in no list of containers).
    """

    kind: str
    detail: str
    place: Place
    block: str = ""


# Usages by which the files of a project tell one another things.
TELLING = frozenset({"asks", "has", "runs", "gives"})

Fact = Union[Block, Setting, Dependency, Entry, Mount, Oddity, Statement, Usage]

_ENV = pattern(
    r"\$\{([A-Za-z_][A-Za-z0-9_.]*|\d+|[@*#?])(?::?([-=?+])([^{}]*))?\}|\$[A-Za-z_][A-Za-z0-9_]*|\$\([^)]*\)|\A[\"']?\$\d[\"']?\Z"
)

# What no shell fills in: Spring's `${NAME:default}`, a config provider's `${env:NAME}`, nested ones.
_LEFT = pattern(r"\$\{[A-Za-z_]|" + _ENV.pattern)

# What a script or a reader of the file is to put a value in place of: `__PARTITIONS__`, `@SECONDS@s`, `<number of partitions>`,
# `%d`, `%slots%`.
_BLANK = pattern(r"\s*(?:(?:__[A-Z][A-Z0-9_]*__|@[A-Z][A-Z0-9_]*@|%(?:\d\$)?[ds]|%%?[A-Za-z_]\w*%%?)\s*[A-Za-z]*|<[^<>\n]+>)\s*")


def value_of(text: str) -> tuple[Value, str]:
    """A raw text as a value and how sure it is: masked, a blank or `${VAR}` is Unknown, `${VAR:-60s}` is known by its default."""
    if MASK in text or "\ufffd" in text or (text.lstrip()[:1] in "_@<%" and _BLANK.fullmatch(text)):
        return Unknown(text), "sure"
    if "$" not in text:
        return text, "sure"
    defaulted = False

    def default(match: re.Match[str]) -> str:
        nonlocal defaulted
        if match.group(2) in ("-", "=") and "$" not in (match.group(3) or ""):
            defaulted = True
            return match.group(3)
        return MASK

    filled = _ENV.sub(default, text)
    if MASK in filled or _LEFT.search(filled):
        return Unknown(text), "sure"
    return filled, "default" if defaulted else "sure"
