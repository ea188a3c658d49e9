"""docker-compose files: services that run Flink, Spark or a Kafka broker."""

from __future__ import annotations

import json
import posixpath
import re
from typing import TYPE_CHECKING

from ruamel.yaml.nodes import ScalarNode

from shoal.facts import Block, Dependency, Usage, value_of
from shoal.lazy import pattern
from shoal.model import Span
from shoal.readers import (
    compose_flink,
    compose_kafka,
    compose_service,
    delegate,
    engine_files,
    kafka_container,
    kafka_required,
    kafka_variables,
)
from shoal.readers.compose_refused import (
    read_health_checks,
    read_misplaced,
    read_ports,
    read_refused,
    read_unchecked,
    read_unknown_keys,
    read_unmounted,
)
from shoal.readers.compose_words import read_words
from shoal.readers.containers import programs
from shoal.readers.kubernetes import flink_role
from shoal.readers.yaml_tree import Item, Node, Tree, elements, find, get, is_mapping, is_sequence, items, repeated, scalar, walk
from shoal.values.containers import compose_memory

if TYPE_CHECKING:
    from shoal.facts import Fact
    from shoal.text import Text

_INTERPRETER = pattern(r"(?:python|java|spark-submit|faust)[\d.]*")
# An image that has a configuration of its own where it is told nothing, and what a service may tell it beside its environment.
_APACHE = pattern(r"(?:^|/)apache/kafka(?:-native)?(?::|@|$)")
_MINIO = pattern(r"(?:^|/)minio/minio(?::|@|$)")
# Where images of ZooKeeper keep their data, unless a variable names another folder. Each image declares these as volumes, which have no name.
_ZOOKEEPER = pattern(r"(?:^|/)(?:(?P<owner>[\w-]+)/)?(?:cp-)?zookeeper(?::|@|$)")
_ZOOKEEPER_DATA = {
    "confluentinc": ("/var/lib/zookeeper/data", "/var/lib/zookeeper/log"),
    "bitnami": ("/bitnami/zookeeper/data",),
    "bitnamilegacy": ("/bitnami/zookeeper/data",),
    "debezium": ("/zookeeper/data", "/zookeeper/txns"),
    "": ("/data", "/datalog"),
    "library": ("/data", "/datalog"),
}
# The official image, and those that add extensions to it: none of them sets wal_level or has an output plugin beside pgoutput and test_decoding.
_POSTGRES = pattern(r"^(?:docker\.io/)?(?:library/)?postgres(?::|@|$)|(?:^|/)(?:postgis/postgis|pgvector/pgvector)(?::|@|$)")
_DEEPER = pattern(r"\n[ \t]*(- [^\n]*[^\s])")
_BUCKET = pattern(r"\bmc\s+mb\b[^\n;&|]*/([\w.-]*(?:checkpoint|savepoint)[\w.-]*)")
_COMMENT = pattern(r"(?:^|[ \t])#[^\n]*", re.MULTILINE)
_COMMAND = pattern(
    r"flink|spark|--runner|--conf|\s-D|jobmanager|taskmanager|standalone-job|sql-client|confluent/docker/run|/connect-distributed|/connectors|/jars/|"
    r"kafka-(?:topics|configs)"
)
# Ends of lines outside quotes, which are passed over whole, and a comment, which Compose does not know.
_LINE_ENDS = pattern(r"\"(?:\\.|[^\"\\])*\"|'[^']*'|\\.|\n|(?m:^[ \t]*#)", re.DOTALL)
_SPARK = pattern(r"(?:^|/)spark-(?:submit|class)(?:\.sh)?$")
_CHECKPOINT = pattern(r"CHECKPOINT", re.IGNORECASE)
_STREAMS = pattern(r"(?<![a-z])(?:kafka|spark|flink)(?![a-z])", re.IGNORECASE)
_FIELDS = ("image", "build", "command", "environment", "extends", "restart", "deploy")


def is_compose(root: Node) -> bool:
    services = get(root, "services")
    if services is None or not is_mapping(services):
        return False
    return any(is_mapping(item.value) and any(get(item.value, key) is not None for key in _FIELDS) for item in items(services)[:200])


def read(tree: Tree, root: Node) -> None:
    before = len(tree.out.facts)
    found = items(get(root, "services"))[:500]
    services = {service.key: service.value for service in found}
    users = compose_kafka.users_of(tree, services) if "ADVERTISED_LISTENERS" in tree.source or "ADVERTISED_HOST_NAME" in tree.source else {}
    alone = not any(is_mapping(node) and compose_service.changes(node) for node in services.values())
    known = " ".join(sorted({name for key, node in services.items() for name in compose_service.hosts(key, node)})) if alone else ""
    for service in found:
        if is_mapping(service.value):
            _read_service(tree, service, services, users, known)
            if alone and get(root, "include") is None and get(service.value, "profiles") is None:
                kafka_required.read_service(tree, service.key, service.value)
            _read_unread(tree, service.value)
    if "kafka" in tree.source.lower():
        compose_kafka.read_kept(tree, root, found)
        compose_kafka.read_registries(tree, found)
        _read_zookeepers(tree, found)
        brokers = [fact.name for fact in tree.out.facts[before:] if isinstance(fact, Block) and fact.role == "broker"]
        if alone:
            lonely = [service for service in found if service.key not in brokers]
            compose_kafka.read_lonely(tree, lonely, [services[name] for name in brokers if name in services])
            compose_kafka.read_unknown(tree, root, found, known if brokers else "")
    local = any(isinstance(fact, Usage) and fact.kind == "broker-local" for fact in tree.out.facts[before:])
    if alone and (users or local):
        compose_kafka.read_asked(tree, found)
    clusters = {fact.name: fact.id for fact in tree.out.facts[before:] if isinstance(fact, Block) and fact.engine == "flink"}
    if clusters and alone and not any(get(service.value, "volumes_from") is not None for service in found):
        compose_flink.read_foreign_volumes(tree, root, found, clusters)
    _read_stores(tree, found)
    _read_databases(tree, found)
    if not tree.out.templated and (any(_of_engine(fact) for fact in tree.out.facts[before:]) or compose_kafka.has_client(tree, found)):
        for item, first in repeated(root):
            related = (tree.out.place(tree.key(first), "related", "first here"),)
            tree.out.oddity("compose-key-twice", item.key, tree.key(item), related=related)
        _read_joined(tree, root)
        read_refused(tree, root, found)
        read_misplaced(tree, found)
        read_unmounted(tree, root, found)
        read_unknown_keys(tree, root, found)
        read_health_checks(tree, found)
        read_unchecked(tree, found)
        read_words(tree, found)
    elif not tree.out.templated and _STREAMS.search(tree.source):
        read_ports(tree, found)  # programs built from an own image say in their names alone what they run


def _read_unread(tree: Tree, service: Node) -> None:
    """Variables that the image of a service does not read; what is built from it may read more."""
    if get(service, "build") is None:
        variables = compose_service.environment(tree, service)[0]
        said = [*compose_service.words(get(service, "entrypoint")), *compose_service.words(get(service, "command"))]
        named = {variable.name: variable.key_span for variable in variables}
        image = compose_service.resolved(scalar(get(service, "image")) or "")
        kafka_variables.read(tree, image, named, [*said, *(variable.value.text for variable in variables)])


def _read_joined(tree: Tree, root: Node) -> None:
    """Elements of lists that are indented deeper than those before them, which YAML takes for the rest of the text above."""
    for _, item in walk([root]):
        for element in elements(item.value)[:500]:
            if not isinstance(element, ScalarNode) or element.style in ("'", '"', "|", ">"):
                continue
            start, end = element.start_mark.index, element.end_mark.index
            if found := _DEEPER.search(tree.source, start, end):
                at, stop = tree.text.at(found.start(1)), tree.text.at(found.end(1))
                tree.out.oddity("compose-list-item-joined", tree.source[start:end].split("\n")[0].strip(), Span(at, stop), item.key)


def _read_stores(tree: Tree, services: list[Item]) -> None:
    """MinIO whose data are in no volume: a usage with the names by which it is found, and the bucket for checkpoints that the file makes, if any."""
    for service in services:
        node = service.value
        words = compose_service.words(get(node, "command"))
        if not _MINIO.search(compose_service.resolved(scalar(get(node, "image")) or "")) or "server" not in " ".join(words).split():
            continue
        if any(get(node, key) is not None for key in ("volumes", "volumes_from", "extends", "tmpfs", "entrypoint")) or tree.hidden(service):
            continue
        made = _BUCKET.search(_COMMENT.sub("", tree.source))
        detail = json.dumps([list(compose_service.hosts(service.key, node)), made[1] if made else ""])
        tree.out.facts.append(Usage("passing-store", detail, tree.out.place(tree.key(service))))


def _read_zookeepers(tree: Tree, services: list[Item]) -> None:
    """ZooKeeper whose data are in no volume that outlives its container: a usage with the names by which it is found."""
    for service in services:
        node = service.value
        image = _ZOOKEEPER.search(compose_service.resolved(scalar(get(node, "image")) or ""))
        paths = _ZOOKEEPER_DATA.get(image["owner"] or "", ()) if image else ()
        if not paths or tree.hidden(service):
            continue
        if any(get(node, key) is not None for key in ("build", "extends", "volumes_from", "env_file", "entrypoint", "command", "configs")):
            continue
        variables, _ = compose_service.environment(tree, node)
        volumes = compose_service.volumes(tree, node)
        told = any("DATA" in one.name and "DIR" in one.name for one in variables) or any("/conf" in path for _, path, _, _ in volumes)
        lasting = [path.rstrip("/") + "/" for kind, path, _, _ in volumes if kind in ("named", "bind", "unknown")]
        if not told and not any(f"{one}/".startswith(path) or path.startswith(f"{one}/") for one in paths for path in lasting):
            detail = json.dumps(list(compose_service.hosts(service.key, node)))
            tree.out.facts.append(Usage("passing-zookeeper", detail, tree.out.place(tree.key(service))))


def _read_databases(tree: Tree, services: list[Item]) -> None:
    """PostgreSQL in an image that logs no more than replicas need: a usage with the names by which it is found, and what is said of `wal_level`.

    `set` somewhere in the service, `told` where its command names a configuration file of its own (what that says is not known here),
    `perhaps` in a file that it mounts or takes variables from, else `unset`.
    """
    for service in services:
        node = service.value
        image = find(node, "image")
        if image is None or not _POSTGRES.search(compose_service.resolved(scalar(image.value) or "")) or tree.hidden(service):
            continue
        if any(get(node, key) is not None for key in ("build", "extends")):
            continue
        said = compose_service.said(node)
        mounts = any(
            kind == "bind" and not path.startswith("/var/lib/postgresql") for kind, path, _, _ in compose_service.volumes(tree, node)
        )
        hidden = mounts or any(get(node, key) is not None for key in ("env_file", "configs", "volumes_from"))
        level = "set" if "wal_level" in said else "told" if "config_file" in said else "perhaps" if hidden else "unset"
        tree.out.facts.append(
            Usage(
                "plain-postgres",
                json.dumps([list(compose_service.hosts(service.key, node)), level]),
                tree.out.place(tree.span(image.value)),
            )
        )


def _of_engine(fact: Fact) -> bool:
    """Whether a fact says that a streaming engine runs in a container of the file."""
    return isinstance(fact, Block) or (isinstance(fact, Dependency) and fact.ecosystem == "image")


def _read_service(tree: Tree, service: Item, services: dict[str, Node], users: dict[str, list[str]], known: str) -> None:
    """`known` are the names of all services."""
    node = service.value
    image = find(node, "image")
    ref = compose_service.resolved(scalar(image.value) or "") if image else ""
    variables, odd = compose_service.environment(tree, node)
    by_name = {variable.name: variable for variable in variables}
    words = [word for key in ("entrypoint", "command") for word in compose_service.words(get(node, key))]
    runs_flink = "FLINK_PROPERTIES" in by_name or bool(odd) or ("flink" in ref.lower() and "operator" not in ref)
    changes = compose_service.changes(node)
    role = flink_role(words) or (compose_flink.role_by_name(service.key) if runs_flink or changes else "")
    block: Block | None = None
    if "FLINK_PROPERTIES" in by_name or odd or role not in ("", "client"):
        block = compose_flink.block_of(tree, service, known, role, by_name, words, ref)
        compose_flink.read_properties(tree, by_name.get("FLINK_PROPERTIES"), odd, ref, block)
        if "FLINK_PROPERTIES" in by_name:
            compose_flink.read_unspaced(tree, node, by_name["FLINK_PROPERTIES"], block)
            compose_flink.read_unwritable_conf(tree, node, by_name["FLINK_PROPERTIES"], block)
        texts = " ".join([*words, *(variable.value.text for variable in variables)])
        delegate.unread_variables(((one.name, one.value.text, one.key_span) for one in variables), texts, tree.out, block)
    elif kafka := kafka_container.runs(ref, by_name):
        named = [(one.name, one.value, one.key_span) for one in variables]
        block = kafka_container.read_variables(
            tree,
            kafka,
            kafka_container.options(kafka, ref, named),
            tree.key(service),
            service.key,
            "compose",
            compose_kafka.broker_traits(service, services, users, known, by_name, words, ref, tree.hidden(service))
            if kafka == "broker"
            else (),
            get(node, "env_file") is not None or get(node, "extends") is not None or tree.hidden(service),
            kafka_container.unread(kafka, ref, named, words),
        )
        if kafka == "broker":
            kafka_container.read_cluster_id(tree, ref, named, compose_service.texts(tree, node))
            block = compose_kafka.read_written(tree, service, block)
        if block is not None:
            kafka_container.read_memory(tree, block, compose_service.limit(node), named, words)
        kafka_container.read_topics(tree, block, ref, named, words)
        if block is None and kafka == "broker":
            place = tree.out.place(tree.key(service))
            tree.out.facts += [Usage("broker-host", name, place) for name in compose_service.hosts(service.key, node)]
            if _APACHE.search(ref) and not words and not tree.hidden(service) and not compose_kafka.is_configured(tree, node):
                tree.out.facts += [Usage("broker-local", name, place) for name in compose_service.hosts(service.key, node)]
    if image and ref:
        delegate.image(ref, tree.span(image.value), tree.out, block)
        if "spark" in ref:
            place = tree.out.place(tree.span(image.value))
            tree.out.facts += [Usage("spark-host", name, place) for name in compose_service.hosts(service.key, node)]
    _read_spark_memory(tree, node, by_name)
    before = len(tree.out.facts)
    flags = compose_service.words(get(node, "entrypoint"))[-1:]
    _read_command(tree, get(node, "entrypoint"), block)
    _read_command(tree, get(node, "command"), block, shell=bool(flags) and re.fullmatch(r"-[a-z]*c", flags[0]) is not None)
    if role in ("", "client", "taskmanager") and not odd:
        compose_flink.read_client(tree, service, services, ref, variables, words, tree.out.facts[before:])
    _read_driver(tree, service, services, variables, tree.out.facts[before:])
    if get(node, "profiles") is not None:  # started by those alone who name a profile
        submits = [one for one in tree.out.facts[before:] if isinstance(one, Block) and one.role == "submit"]
        tree.out.facts += [Usage("on-request", "", one.place, one.id) for one in submits]
    _read_programs(tree, service, words)
    delegate.scripts((variable.value for variable in variables), tree.out, block if block is not None and block.engine == "flink" else None)
    for kind, path, name, span in compose_service.volumes(tree, node):
        engine_files.hidden(tree.out, ref or ("flink" if role else ""), path, kind, name, span, block)
        if kind in ("named", "bind") and ("debezium/server" in ref or path.startswith("/debezium")):
            tree.out.facts.append(Usage("server-volume", path, tree.out.place(span)))
    _read_build(tree, service, block)
    spark = "spark" in ref.lower() or any(_SPARK.search(word) for word in words)  # an image that is built has no name to go by
    if (block is not None and (block.engine == "flink" or block.role == "broker")) or role == "client" or spark:
        _read_volumes(tree, node, block)
        for other in elements(get(node, "volumes_from"))[:100]:  # what that service has, this one has too
            name = (scalar(other) or "").partition(":")[0]
            if name in services and services[name] is not node:
                _read_volumes(tree, services[name], block)


def _read_spark_memory(tree: Tree, node: Node, by_name: dict[str, compose_service.Variable]) -> None:
    """Oddities for what Spark's worker or daemon is told it has, where the container may use no more."""
    named = [by_name[name] for name in ("SPARK_WORKER_MEMORY", "SPARK_DAEMON_MEMORY") if name in by_name]
    limit = compose_service.limit(node) if named else None
    if limit is None:
        return
    text = scalar(limit.value) or ""
    most = compose_memory(text)
    for variable in named if most else ():
        value, sure = value_of(variable.value.text)
        told = compose_memory(value) if isinstance(value, str) and sure == "sure" and not value.strip().isdigit() else None
        if told is not None and told >= (most or 0):
            related = (tree.out.place(tree.span(limit.value), "related", "what its container may use"),)
            subject = f"{variable.name}={variable.value.text.strip()}"
            tree.out.oddity("spark-memory-above-limit", subject, variable.value.span(0, len(variable.value.text)), text, None, related)


def _read_driver(
    tree: Tree, service: Item, services: dict[str, Node], variables: list[compose_service.Variable], facts: list[Fact]
) -> None:
    """What a service that submits a Spark application tells it of checkpoints, and an oddity where others are restarted, and it is not."""
    submits = [one for one in facts if isinstance(one, Block) and one.role == "submit" and one.trait("program") == "spark-submit"]
    if len(submits) != 1 or submits[0].trait("inside") == "container":
        return
    node = service.value
    kept = [path.rstrip("/") + "/" for kind, path, _, _ in compose_service.volumes(tree, node) if kind in ("named", "bind")]
    for variable in variables:
        if _CHECKPOINT.search(variable.name) and get(node, "volumes_from") is None:
            value, _ = value_of(variable.value.text)
            if isinstance(value, str) and not any(f"{re.sub('^file:/*', '/', value)}/".startswith(path) for path in kept):
                place = tree.out.place(variable.value.span(0, len(variable.value.text)))
                tree.out.facts.append(Usage("driver-checkpoint", value, place, submits[0].id))
    if (
        compose_service.restart(node) in ("", "no", "none")
        and not tree.hidden(service)
        and not any(get(node, key) is not None for key in ("extends", "profiles"))
    ):
        other = next(
            (name for name, one in services.items() if one is not node and compose_service.restart(one) not in ("", "no", "none")), None
        )
        if other is not None:
            at = find(services[other], "restart") or find(services[other], "deploy", "restart_policy", "condition")
            related = (tree.out.place(tree.span(at.value), "related", f"{other} is restarted"),) if at is not None else ()
            tree.out.oddity("run-once", service.key, tree.key(service), block=submits[0], related=related)


def _read_programs(tree: Tree, service: Item, words: list[str]) -> None:
    """The Python programs that a container with a network of its own starts, or its image, the folders they may come from, and what of it lasts."""
    node = service.value
    if not compose_service.has_own_localhost(node):
        return
    started = programs(words)
    build = get(node, "build")
    built = compose_service.built(build) if build is not None else None
    if not started and (built is None or get(node, "command") is not None or get(node, "entrypoint") is not None):
        return
    volumes = [(kind, path, name) for kind, path, name, _ in compose_service.volumes(tree, node) if kind in ("named", "bind")]
    folders = [name for kind, _, name in volumes if kind == "bind" and name.startswith(".")]
    detail = json.dumps([service.key, started, [*([built[0]] if built else []), *folders], built[1] if built else "", volumes])
    tree.out.facts.append(Usage("container", detail, tree.out.place(tree.key(service))))


def _read_build(tree: Tree, item: Item, block: Block | None) -> None:
    """The Dockerfile that the service's image is built from: an entry with its context and its arguments as `NAME=value`, and the command that it gets."""
    service = item.value
    build = get(service, "build")
    built = compose_service.built(build) if build is not None else None
    if build is None or built is None:
        return
    folder, image = built
    context = find(build, "context") if is_mapping(build) else None
    at = build if scalar(build) is not None else context.value if context else None
    given = get(build, "args") if is_mapping(build) else None
    pairs = [scalar(child) or "" for child in elements(given)] if given is not None and is_sequence(given) else []
    pairs += [f"{one.key}={scalar(one.value) or ''}" for one in items(given)] if given is not None and is_mapping(given) else []
    known = [(name, value_of(value)[0]) for name, sign, value in (pair.partition("=") for pair in pairs[:200]) if sign]
    arguments = [f"{name}={value}" for name, value in known if isinstance(value, str)]
    place = at if at is not None else build
    tree.out.entry("build", image, (folder, *arguments), tree.span(place), block)
    if name := scalar(get(service, "image")):
        tree.out.facts.append(Usage("image-built", json.dumps([name, image]), tree.out.place(tree.span(place))))
    command = find(service, "command")
    words = compose_service.words(command.value)[:20] if command is not None and get(service, "entrypoint") is None else []
    if command is not None and words and _INTERPRETER.fullmatch(posixpath.basename(words[0])) and get(build, "target") is None:
        tree.out.facts.append(Usage("hands-on", json.dumps([item.key, image, words]), tree.out.place(tree.span(command.value))))


def _read_command(tree: Tree, node: Node | None, block: Block | None, shell: bool = False) -> None:
    """`shell`: the entry point ends with `-c`, so the first word is a script."""
    if node is None:
        return
    if shell and scalar(node) is not None:
        from shoal.readers import shell_words

        first = next(iter(shell_words.words(tree.value(node))), None)
        if first is not None and " " in first.text.strip() and _COMMAND.search(first.text):
            delegate.command(first, tree.out, block)
            return
    if is_sequence(node):
        from shoal.readers.kubernetes import hand_on

        words = [(word, tree.value(child)) for child in elements(node)[:2000] if (word := scalar(child)) is not None]
        hand_on(tree, words, block)
    elif _COMMAND.search(scalar(node) or ""):
        text = tree.value(node)
        delegate.command(text if shell else _on_one_line(text), tree.out, block)


def _on_one_line(text: Text) -> Text:
    """A command as Compose takes it: no shell reads it, and the end of a line parts words as a space does. A folded scalar keeps it before deeper lines."""
    found = [(one.start(), one[0]) for one in _LINE_ENDS.finditer(text.text.rstrip())]
    ends = [at for at, what in found if what == "\n"]
    if not ends or any(what.endswith("#") for _, what in found):
        return text
    parts, begin = [], 0
    for end in ends:
        parts += [(text.text[begin:end], begin), (" ", end)]
        begin = end + 1
    return text.compose([*parts, (text.text[begin:], begin)])


def _read_volumes(tree: Tree, service: Node, block: Block | None) -> None:
    for kind, path, name, span in compose_service.volumes(tree, service):
        tree.out.mount(path, kind, name, span, block)
        if kind == "bind" and path.endswith(".jar"):
            delegate.mounted_jar(path, name, span, tree.out, block)
