"""docker-compose files: services that run Flink, Spark or a Kafka broker."""

from __future__ import annotations

import json
import posixpath
import re
from typing import TYPE_CHECKING, NamedTuple

from shoal.facts import Block, Dependency, Usage, value_of
from shoal.lazy import pattern
from shoal.model import Edit, Span
from shoal.readers import delegate, engine_files, flink_client, images, kafka_container
from shoal.readers.containers import programs
from shoal.readers.kubernetes import entry_point, flink_role, is_conf_path
from shoal.readers.yaml_tree import Item, Node, Tree, elements, find, get, is_mapping, is_null, is_sequence, items, repeated, scalar
from shoal.text import MASK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shoal.facts import Fact
    from shoal.text import Text

_QUORUM = tuple(f"KAFKA_{name}" for way in ("", "CFG_") for name in (f"{way}ZOOKEEPER_CONNECT", f"{way}CONTROLLER_QUORUM_VOTERS"))
# Where the images of stores have their data.
_STORE_DATA = pattern(r"^/(?:var/lib|bitnami)/[\w-]+(?:/data)?/?$|^/data/db/?$")
_DATA_AT_ROOT = pattern(r"(?:^|/)(?:minio|redis|redis-stack)(?::|@|$)")
_BROKER_VOLUME = pattern(
    r"(?!.*(?:zoo|mqtt|rabbit|amq))(?:\w+[-_])?(?:kafka|broker)(?:[-_]?(?:\d+|broker|kafka|data|logs?|storage|volume|vol|kraft|combined))*"
)
_HOST = pattern(r"(?<![\w.\-])([\w.\-]{1,253}):[0-9]{2,5}\b")
_SERVED = ("http://", "https://")  # Confluent's metadata service has bootstrap servers, too, which speak HTTP
_BROKERS = pattern(r"BOOTSTRAP|BROKER(?!_ID)|KAFKA_(?:HOST|URL|ADDR|SERVER)")
_OF_HOST = pattern(r"EXTERNAL|PUBLIC|HOST_|ADVERTISED|LISTENER|MQTT|CELERY|RABBIT|AMQP|REDIS")
_ITSELF = pattern(r"(?:\w+://)?(?:localhost|127\.0\.0\.1):(\d{2,5})/?")
_REGISTRY = pattern(r"SCHEMA_?REGISTRY")
_REGISTRIES = pattern(r"schema-?registry|apicurio|karapace", re.IGNORECASE)
_INTERPRETER = pattern(r"(?:python|java|spark-submit|faust)[\d.]*")
# An image that has a configuration of its own where it is told nothing, and what a service may tell it beside its environment.
_APACHE = pattern(r"(?:^|/)apache/kafka(?:-native)?(?::|@|$)")
_FILES = pattern(r"/mnt|/etc|/opt/kafka/?$|/opt/kafka/config")
_CONFIGURED = ("env_file", "extends", "configs", "volumes_from", "build", "network_mode")
_MINIO = pattern(r"(?:^|/)minio/minio(?::|@|$)")
# The official image, and those that add extensions to it: none of them sets wal_level or has an output plugin beside pgoutput and test_decoding.
_POSTGRES = pattern(r"^(?:docker\.io/)?(?:library/)?postgres(?::|@|$)|(?:^|/)(?:postgis/postgis|pgvector/pgvector)(?::|@|$)")
_BUCKET = pattern(r"\bmc\s+mb\b[^\n;&|]*/([\w.-]*(?:checkpoint|savepoint)[\w.-]*)")
_COMMENT = pattern(r"(?:^|[ \t])#[^\n]*", re.MULTILINE)
_COMMAND = pattern(r"flink|spark|--runner|--conf|\s-D|jobmanager|taskmanager|standalone-job|sql-client")
# A command that puts the text of another file into Flink's configuration.
_FILLS_CONF = pattern(r"\b(?:cat|cp|mv|sed|envsubst|yq)\b[^&;|]*\b(?:flink-conf|config)\.ya?ml")
_SPARK = pattern(r"(?:^|/)spark-(?:submit|class)(?:\.sh)?$")
_CHECKPOINT = pattern(r"CHECKPOINT", re.IGNORECASE)
_INSTALLS = pattern(r"\b(?:pip3?|apt|apt-get|apk|conda|mamba|uv|yum|microdnf)\s.*\b(?:install|add)\b", re.DOTALL)
_FLINK_KEY = pattern(r"(?:jobmanager|taskmanager|state|execution|parallelism|rest|high-availability|restart-strategy)\.[\w.\-]+: ")
_CONF = pattern(r"flink\S*/conf/?$|flink\S*/conf/(?:flink-conf|config)\.yaml$")
_READ_ONLY = pattern(r":([^:\s]+):(?:[\w,]*,)?ro(?:,[\w,]*)?$")
_FIELDS = ("image", "build", "command", "environment", "extends", "restart", "deploy")


class Variable(NamedTuple):
    name: str
    value: Text
    key_span: Span
    node: Node  # the scalar that holds the value, or the whole element in list form
    listed: bool


def is_compose(root: Node) -> bool:
    services = get(root, "services")
    if services is None or not is_mapping(services):
        return False
    return any(is_mapping(item.value) and any(get(item.value, key) is not None for key in _FIELDS) for item in items(services)[:200])


def read(tree: Tree, root: Node) -> None:
    before = len(tree.out.facts)
    found = items(get(root, "services"))[:500]
    services = {service.key: service.value for service in found}
    users = _users(tree, services) if "ADVERTISED_LISTENERS" in tree.source else {}
    alone = not any(is_mapping(node) and _changes(node) for node in services.values())
    known = " ".join(sorted({name for key, node in services.items() for name in _hosts(key, node)})) if alone else ""
    for service in found:
        if is_mapping(service.value):
            _read_service(tree, service, services, users, known)
    if "kafka" in tree.source.lower():
        _read_kept(tree, root, found)
        brokers = [fact.name for fact in tree.out.facts[before:] if isinstance(fact, Block) and fact.role == "broker"]
        if alone:
            lonely = [service for service in found if service.key not in brokers]
            _read_lonely(tree, lonely, [services[name] for name in brokers if name in services])
    local = any(isinstance(fact, Usage) and fact.kind == "broker-local" for fact in tree.out.facts[before:])
    if alone and (users or local):
        _read_asked(tree, found)
    _read_stores(tree, found)
    _read_databases(tree, found)
    if not tree.out.templated and any(_of_engine(fact) for fact in tree.out.facts[before:]):
        for item, first in repeated(root):
            related = (tree.out.place(tree.key(first), "related", "first here"),)
            tree.out.oddity("compose-key-twice", item.key, tree.key(item), related=related)


def _read_stores(tree: Tree, services: list[Item]) -> None:
    """MinIO whose data are in no volume: a usage with the names by which it is found, and the bucket for checkpoints that the file makes, if any."""
    for service in services:
        node = service.value
        words = _words(get(node, "command"))
        if not _MINIO.search(_resolved(scalar(get(node, "image")) or "")) or "server" not in " ".join(words).split():
            continue
        if any(get(node, key) is not None for key in ("volumes", "volumes_from", "extends", "tmpfs", "entrypoint")) or tree.hidden(service):
            continue
        made = _BUCKET.search(_COMMENT.sub("", tree.source))
        detail = json.dumps([list(_hosts(service.key, node)), made[1] if made else ""])
        tree.out.facts.append(Usage("passing-store", detail, tree.out.place(tree.key(service))))


def _read_databases(tree: Tree, services: list[Item]) -> None:
    """PostgreSQL in an image that logs no more than replicas need: a usage with the names by which it is found, and what is said of `wal_level`.

    `set` somewhere in the service, `told` where its command names a configuration file of its own (what that says is not known here),
    `perhaps` in a file that it mounts or takes variables from, else `unset`.
    """
    for service in services:
        node = service.value
        image = find(node, "image")
        if image is None or not _POSTGRES.search(_resolved(scalar(image.value) or "")) or tree.hidden(service):
            continue
        if any(get(node, key) is not None for key in ("build", "extends")):
            continue
        said = _said(node)
        mounts = any(kind == "bind" and not path.startswith("/var/lib/postgresql") for kind, path, _, _ in _volumes(tree, node))
        hidden = mounts or any(get(node, key) is not None for key in ("env_file", "configs", "volumes_from"))
        level = "set" if "wal_level" in said else "told" if "config_file" in said else "perhaps" if hidden else "unset"
        tree.out.facts.append(
            Usage("plain-postgres", json.dumps([list(_hosts(service.key, node)), level]), tree.out.place(tree.span(image.value)))
        )


def _is_configured(tree: Tree, service: Node) -> bool:
    """Whether a broker may have a configuration that is not its image's own, beside what its environment says."""
    return any(get(service, key) is not None for key in _CONFIGURED) or any(_FILES.match(path) for _, path, _, _ in _volumes(tree, service))


def _of_engine(fact: Fact) -> bool:
    """Whether a fact says that a streaming engine runs in a container of the file."""
    return isinstance(fact, Block) or (isinstance(fact, Dependency) and fact.ecosystem == "image")


def _read_kept(tree: Tree, root: Node, services: list[Item]) -> None:
    """What lasts beside a broker: stores with a volume, and volumes for a broker that no service mounts."""
    mounted: set[str] = set()
    elsewhere = get(root, "include") is not None
    for service in services:
        node = service.value
        elsewhere = elsewhere or get(node, "extends") is not None
        kept = [volume for volume in _volumes(tree, node) if volume[0] in ("named", "bind")]
        mounted.update(name for kind, _, name, _ in kept if kind == "named")
        about = _said(node)
        image = _resolved(scalar(get(node, "image")) or "")
        # a folder of the host is as often one of scripts, unless it lies where stores have their data
        places = {
            path: span
            for kind, path, _, span in kept
            if kind == "named" or _STORE_DATA.search(path) or (path.rstrip("/") == "/data" and _DATA_AT_ROOT.search(image))
        }
        if at := kafka_container.data_path(image, service.key, about, places):
            tree.out.facts.append(Usage("keeps-data", service.key, tree.out.place(places[at])))
    for volume in items(get(root, "volumes")):
        if _BROKER_VOLUME.fullmatch(volume.key) and volume.key not in mounted and not elsewhere:
            tree.out.facts.append(Usage("unused-volume", volume.key, tree.out.place(tree.key(volume))))


def _read_service(tree: Tree, service: Item, services: dict[str, Node], users: dict[str, list[str]], known: str) -> None:
    """`known` are the names of all services."""
    node = service.value
    image = find(node, "image")
    ref = _resolved(scalar(image.value) or "") if image else ""
    variables, odd = environment(tree, node)
    by_name = {variable.name: variable for variable in variables}
    words = [word for key in ("entrypoint", "command") for word in _words(get(node, key))]
    runs_flink = "FLINK_PROPERTIES" in by_name or bool(odd) or ("flink" in ref.lower() and "operator" not in ref)
    changes = _changes(node)
    role = flink_role(words) or (_role_by_name(service.key) if runs_flink or changes else "")
    block: Block | None = None
    if "FLINK_PROPERTIES" in by_name or odd or role not in ("", "client"):
        block = _flink_block(tree, service, known, role, by_name, words)
        _read_properties(tree, by_name.get("FLINK_PROPERTIES"), odd, ref, block)
        if "FLINK_PROPERTIES" in by_name:
            _read_unwritable_conf(tree, node, by_name["FLINK_PROPERTIES"], block)
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
            _broker_traits(service, services, users, known, by_name, words, ref, tree.hidden(service)) if kafka == "broker" else (),
            get(node, "env_file") is not None or get(node, "extends") is not None or tree.hidden(service),
            kafka_container.unread(kafka, ref, named, words),
        )
        if kafka == "broker":
            kafka_container.read_cluster_id(tree, ref, named, _texts(tree, node))
            block = _read_written(tree, service, block)
        if block is not None:
            kafka_container.read_memory(tree, block, _limit(node), named, words)
            kafka_container.read_topics(tree, block, ref, named, words)
        elif kafka == "broker":
            place = tree.out.place(tree.key(service))
            tree.out.facts += [Usage("broker-host", name, place) for name in _hosts(service.key, node)]
            if _APACHE.search(ref) and not words and not tree.hidden(service) and not _is_configured(tree, node):
                tree.out.facts += [Usage("broker-local", name, place) for name in _hosts(service.key, node)]
    if image and ref:
        delegate.image(ref, tree.span(image.value), tree.out, block)
        if "spark" in ref:
            place = tree.out.place(tree.span(image.value))
            tree.out.facts += [Usage("spark-host", name, place) for name in _hosts(service.key, node)]
    before = len(tree.out.facts)
    flags = _words(get(node, "entrypoint"))[-1:]
    _read_command(tree, get(node, "entrypoint"), block)
    _read_command(tree, get(node, "command"), block, shell=bool(flags) and re.fullmatch(r"-[a-z]*c", flags[0]) is not None)
    if role in ("", "client", "taskmanager") and not odd:
        _read_client(tree, service, services, ref, variables, words, tree.out.facts[before:])
    _read_driver(tree, service, services, variables, tree.out.facts[before:])
    _read_programs(tree, service, words)
    delegate.scripts((variable.value for variable in variables), tree.out, block if block is not None and block.engine == "flink" else None)
    for kind, path, name, span in _volumes(tree, node):
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


def _read_driver(tree: Tree, service: Item, services: dict[str, Node], variables: list[Variable], facts: list[Fact]) -> None:
    """What a service that submits a Spark application tells it of checkpoints, and an oddity where others are restarted, and it is not."""
    submits = [one for one in facts if isinstance(one, Block) and one.role == "submit" and one.trait("program") == "spark-submit"]
    if len(submits) != 1 or submits[0].trait("inside"):
        return
    node = service.value
    kept = [path.rstrip("/") + "/" for kind, path, _, _ in _volumes(tree, node) if kind in ("named", "bind")]
    for variable in variables:
        if _CHECKPOINT.search(variable.name) and get(node, "volumes_from") is None:
            value, _ = value_of(variable.value.text)
            if isinstance(value, str) and not any(f"{re.sub('^file:/*', '/', value)}/".startswith(path) for path in kept):
                place = tree.out.place(variable.value.span(0, len(variable.value.text)))
                tree.out.facts.append(Usage("driver-checkpoint", value, place, submits[0].id))
    if (
        _restart(node) in ("", "no", "none")
        and not tree.hidden(service)
        and not any(get(node, key) is not None for key in ("extends", "profiles"))
    ):
        other = next((name for name, one in services.items() if one is not node and _restart(one) not in ("", "no", "none")), None)
        if other is not None:
            at = find(services[other], "restart") or find(services[other], "deploy", "restart_policy", "condition")
            related = (tree.out.place(tree.span(at.value), "related", f"{other} is restarted"),) if at is not None else ()
            tree.out.oddity("run-once", service.key, tree.key(service), block=submits[0], related=related)


def _changes(service: Node) -> bool:
    """Whether a service changes one that another file holds, so that names and services may be known there."""
    return not any(get(service, key) is not None for key in ("image", "build", "extends"))


def _restart(service: Node) -> str:
    return scalar(get(service, "restart")) or scalar(get(service, "deploy", "restart_policy", "condition")) or ""


def _has_own_localhost(service: Node) -> bool:
    """Whether `localhost` is the container itself: no network of another's, and no other address that the file gives the name."""
    hosts = get(service, "extra_hosts")
    named = [item.key for item in items(hosts)] if hosts is not None and is_mapping(hosts) else _words(hosts)
    return get(service, "network_mode") is None and not any(re.match(r"localhost(?:[:=]|$)", host) for host in named)


def _read_programs(tree: Tree, service: Item, words: list[str]) -> None:
    """The Python programs that a container with a network of its own starts, or its image, the folders they may come from, and what of it lasts."""
    node = service.value
    if not _has_own_localhost(node):
        return
    started = programs(words)
    build = get(node, "build")
    built = _built(build) if build is not None else None
    if not started and (built is None or get(node, "command") is not None or get(node, "entrypoint") is not None):
        return
    volumes = [(kind, path, name) for kind, path, name, _ in _volumes(tree, node) if kind in ("named", "bind")]
    folders = [name for kind, _, name in volumes if kind == "bind" and name.startswith(".")]
    detail = json.dumps([service.key, started, [*([built[0]] if built else []), *folders], built[1] if built else "", volumes])
    tree.out.facts.append(Usage("container", detail, tree.out.place(tree.key(service))))


def _built(build: Node) -> tuple[str, str] | None:
    """The context that an image is built from, and the path of its Dockerfile; None where they cannot be known."""
    context = get(build, "context") if is_mapping(build) else build
    folder = (scalar(context) or "") if context is not None else "."
    file = scalar(get(build, "dockerfile")) or "Dockerfile" if is_mapping(build) else "Dockerfile"
    if not folder or "://" in folder or "$" in folder + file or MASK in folder + file or get(build, "dockerfile_inline") is not None:
        return None
    return folder, posixpath.normpath(posixpath.join(folder, file))


def _read_written(tree: Tree, service: Item, block: Block | None) -> Block | None:
    """What the broker's own command writes into the file that it starts with, and whether it may do so twice."""
    node, flags = service.value, ""
    for entry in filter(None, (find(node, key) for key in ("entrypoint", "command"))):
        for one in elements(entry.value) if is_sequence(entry.value) else [entry.value]:
            text = tree.value(one) if scalar(one) is not None else None
            body = kafka_container.started_with(text) if text is not None else None
            if text is not None and body is not None:
                from shoal.readers import properties

                traits = (("container", "true"), ("command", text.text.split()[0]))
                block = tree.out.block("kafka", "broker", "compose", tree.key(service), service.key, traits=traits, open=block is not None)
                properties.add(properties.parse(body), body, tree.out, block)
            if text is not None and (at := kafka_container.formats_again(text, flags)) is not None:
                tree.out.oddity("formatted-again", service.key, at, scalar(get(node, "restart")) or "", block)
            flags += f" {scalar(one) or ''}"
    return block


def _read_build(tree: Tree, item: Item, block: Block | None) -> None:
    """The Dockerfile that the service's image is built from: an entry with its context and its arguments as `NAME=value`, and the command that it gets."""
    service = item.value
    build = get(service, "build")
    built = _built(build) if build is not None else None
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
    command = find(service, "command")
    words = _words(command.value)[:20] if command is not None and get(service, "entrypoint") is None else []
    if command is not None and words and _INTERPRETER.fullmatch(posixpath.basename(words[0])) and get(build, "target") is None:
        tree.out.facts.append(Usage("hands-on", json.dumps([item.key, image, words]), tree.out.place(tree.span(command.value))))


def _resolved(ref: str) -> str:
    """An image reference with the defaults of its variables."""
    value, _ = value_of(ref)
    return value if isinstance(value, str) else ref


def _role_by_name(name: str) -> str:
    plain = re.sub(r"[-_]", "", name.lower())
    return next((role for role in ("jobmanager", "taskmanager") if role in plain), "")


def environment(tree: Tree, service: Node) -> tuple[list[Variable], list[tuple[Node, str]]]:
    """The variables of a service, and the elements by which FLINK_PROPERTIES goes wrong, each with what is wrong."""
    entry = find(service, "environment")
    variables: list[Variable] = []
    odd: list[tuple[Node, str]] = []
    if entry is None:
        return variables, odd
    if is_mapping(entry.value):
        for item in items(entry.value):
            if scalar(item.value) is not None:
                if not is_null(item.value):
                    variables.append(Variable(item.key, tree.value(item.value), tree.key(item), item.value, False))
            elif item.key == "FLINK_PROPERTIES":
                odd.append((item.key_node, "its value is a mapping or a list where compose wants one text"))
        return variables, odd
    for element in elements(entry.value)[:2000]:
        text = scalar(element)
        if text is None:
            first = next(iter(items(element)), None)
            if first is not None and first.key.startswith("FLINK_PROPERTIES"):
                odd.append((first.key_node, "the list element is a mapping where compose wants NAME=value"))
            elif first is not None and _FLINK_KEY.match(f"{first.key}: "):
                odd.append((first.key_node, "an option as a list element of its own is not part of FLINK_PROPERTIES"))
            continue
        name, sign, _ = text.partition("=")
        whole = tree.value(element)
        if sign and re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.]*", name):
            variables.append(Variable(name, whole.slice(len(name) + 1, len(text)), whole.span(0, len(name)), element, True))
        elif re.match(r"\s*FLINK_PROPERTIES\b", text):
            odd.append((element, "FLINK_PROPERTIES is not followed by `=`"))
        elif "\n" in text and _FLINK_KEY.search(text):
            odd.append((element, "the block does not start with FLINK_PROPERTIES="))
    return variables, odd


def _flink_block(tree: Tree, service: Item, known: str, role: str, by_name: dict[str, Variable], words: list[str]) -> Block:
    node = service.value
    traits = [("standalone", "true")]
    if role:
        traits.append(("role", role))
    if restart := _restart(node):
        traits.append(("restart", restart))
    if get(node, "build") is not None:
        traits.append(("build", "true"))
    if network := scalar(get(node, "network_mode")):
        traits.append(("network", network))
    if any("standalone-job" in word or "job-cluster" in word for word in words):
        traits.append(("application", "true"))
    if any("usrlib" in word for word in words):
        traits.append(("names-usrlib", "true"))
    if _INSTALLS.search(" ".join(words)):
        traits.append(("installs", "true"))
    replicas = scalar(get(node, "deploy", "replicas")) or scalar(get(node, "scale"))
    if replicas:
        traits.append(("replicas", replicas))
    if "ENABLE_BUILT_IN_PLUGINS" in by_name:
        traits.append(("plugins", by_name["ENABLE_BUILT_IN_PLUGINS"].value.text))
    elif any("/plugins" in word for word in words):  # the command puts them there before it starts Flink
        traits.append(("plugins", "command"))
    if names := _neighbours(service, known, tree.hidden(service)):
        traits.append(("neighbours", names))
    conf = any(is_conf_path(target) for _, target, _, _ in _volumes(tree, node))
    properties = by_name.get("FLINK_PROPERTIES")
    opened = conf or get(node, "env_file") is not None or get(node, "extends") is not None
    opened = opened or _FILLS_CONF.search(" ".join(words)) is not None
    opened = opened or (properties is not None and bool(re.search(r"(?m)^[ \t]*\$", properties.value.text))) or tree.hidden(service)
    block = tree.out.block("flink", "cluster", "compose", tree.key(service), service.key, traits=tuple(traits), open=opened)
    if plugins := by_name.get("ENABLE_BUILT_IN_PLUGINS"):
        span = plugins.value.span(0, len(plugins.value.text))
        tree.out.facts.append(Usage("plugins", plugins.value.text, tree.out.place(span), block.id))
    if address := by_name.get("JOB_MANAGER_RPC_ADDRESS"):  # the entry point of Flink's image puts it into the conf
        tree.out.setting(
            block, "jobmanager.rpc.address", address.value.text, address.key_span, address.value.span(0, len(address.value.text))
        )
    limit = _limit(node)
    if limit is not None and (text := scalar(limit.value)):
        tree.out.setting(block, "spec.memory-limit", text, tree.key(limit), tree.span(limit.value))
    return block


def _limit(service: Node) -> Item | None:
    """How much memory the service's containers may use."""
    return find(service, "mem_limit") or find(service, "deploy", "resources", "limits", "memory")


def _read_properties(tree: Tree, properties: Variable | None, odd: list[tuple[Node, str]], ref: str, block: Block) -> None:
    for node, detail in odd:
        span = tree.span(node)
        edits: tuple[Edit, ...] = ()
        if (scalar(node) or "").startswith("FLINK_PROPERTIES:\n"):
            edits = (tree.out.edit(Span(span.start + 16, span.start + 17), "="),)
        tree.out.oddity("flink-properties-malformed", (scalar(node) or "").split("\n")[0], span, detail, block, edits=edits)
    if properties is None:
        return
    text = properties.value.text
    if properties.node.style == ">" and (scalar(properties.node) or "").strip().count("\n") + 1 < _rows(tree, properties.node):  # type: ignore[attr-defined]
        detail = "a folded scalar (`>`) joins the lines into one"
        at = tree.text.at(tree.source.index(">", properties.node.start_mark.index))
        edits = (tree.out.edit(Span(at, at + 1), "|"),)
        tree.out.oddity("flink-properties-malformed", "FLINK_PROPERTIES", properties.key_span, detail, block, edits=edits)
        return
    if not text.strip():
        if properties.listed:
            tree.out.oddity(
                "flink-properties-malformed",
                "FLINK_PROPERTIES",
                properties.key_span,
                "it has no value: the lines must stand in the same block",
                block,
            )
        return
    from shoal.readers.conf_text import read_legacy

    before = len(tree.out.facts)
    read_legacy(properties.value, tree.out, block, properties=True, entry_point=entry_point(ref))
    if properties.listed:
        _offer_own_elements(tree, properties, before)


def _rows(tree: Tree, node: Node) -> int:
    """Lines with content that a block scalar was written on."""
    raw = tree.source[node.start_mark.index : node.end_mark.index]
    return sum(1 for line in raw.split("\n")[1:] if line.strip())


def _offer_own_elements(tree: Tree, properties: Variable, before: int) -> None:
    """Give the oddity about environment variables at the end of the block the edits that make them list elements."""
    from shoal.facts import Oddity

    facts = tree.out.facts
    for index in range(before, len(facts)):
        fact = facts[index]
        if isinstance(fact, Oddity) and fact.kind == "env-var-inside-flink-properties":
            facts[index] = fact._replace(edits=_own_elements(tree, properties, fact.place.span.start))


def _own_elements(tree: Tree, properties: Variable, start: int) -> tuple[Edit, ...]:
    raw = tree.out.raw
    end = tree.text.span(properties.node.start_mark.index, properties.node.end_mark.index).end
    dash = raw.rfind("\n", 0, tree.text.at(properties.node.start_mark.index)) + 1
    match = re.compile(r"[ \t]*- *").match(raw, dash)
    if not match or properties.node.style != "|":  # type: ignore[attr-defined]
        return ()
    edits = []
    at = raw.rfind("\n", 0, start) + 1
    while at < end:
        stop = raw.find("\n", at)
        stop = len(raw) if stop == -1 else stop
        line = raw[at:stop]
        if line.strip():
            variable = re.match(r"([ \t]+)(?:- +)?([A-Z_][A-Z0-9_]*=.*)$", line)
            if not variable or ": " in line or " #" in line:
                return ()
            edits.append(tree.out.edit(Span(at, at + variable.start(2)), match.group()))
        at = stop + 1
    return tuple(edits)


_PORTS = pattern(r"(?:[\d.]+:|\[[\w:]*\]:)?(\d+):(\d+)(?:/tcp)?")


# What gives a service names of others that the file does not know as theirs, or may.
_MORE_NAMES = ("extends", "extra_hosts", "links", "external_links", "dns", "dns_search", "network_mode")


def _hosts(key: str, service: Node) -> dict[str, None]:
    """The names by which other services come to the one that the file calls `key`."""
    networks = get(service, "networks")
    joined = items(networks) if networks is not None and is_mapping(networks) else []
    aliases = [scalar(alias) for network in joined for alias in elements(get(network.value, "aliases"))]
    return dict.fromkeys(filter(None, (key, *(scalar(get(service, name)) for name in ("container_name", "hostname")), *aliases)))


def _neighbours(service: Item, known: str, hidden: bool) -> str:
    """The names of all services, where a name that is none of these means nothing to this one; empty where others may."""
    return "" if hidden or any(get(service.value, key) is not None for key in _MORE_NAMES) else known


def _broker_traits(
    broker: Item,
    services: dict[str, Node],
    users: dict[str, list[str]],
    known: str,
    variables: dict[str, Variable],
    words: list[str],
    ref: str,
    templated: bool,
) -> tuple[tuple[str, str], ...]:
    """What the file says of a broker beside its settings.

    `tool`: the service runs something else of the image; `command`: how it starts the broker, when it says so; `cluster`: its ZooKeeper, or its controllers, are services of this file;
    `asked-by`: the service that comes to it by its name; `hosts`: the names by which it is found on the network of the file; `neighbours`: those of
    all services, where a name that is none of these means nothing to it; `hostname`: the one that its container is given, else each new one has
    another; `published`: its ports on the host, as `29092:9092` with the container's behind;
    `image`: the name of its image, where the tag is a variable; `hidden`: `variables` where nothing but these may come from another file.
    """
    if kafka_container.is_tool(words):
        return (("tool", "true"),)
    named = next((variables[name] for name in _QUORUM if name in variables), None)
    hosts = {entry.rpartition("@")[2].partition(":")[0].strip() for entry in named.value.text.split(",")} if named else set()
    whole = bool(hosts) and all(host == "localhost" or host in services for host in hosts)
    names = _hosts(broker.key, broker.value)
    alone = scalar(get(broker.value, "network_mode")) == "host"
    user = next((user for name in names for user in users.get(name, ()) if user != broker.key and not alone), "")
    traits = {
        "cluster": "whole" if whole else "",
        "asked-by": user,
        "command": words[0] if words else "",
        "hosts": "" if alone else " ".join(names),
        "neighbours": _neighbours(broker, known, templated),
        "published": " ".join(_published(broker.value)),
        "hostname": scalar(get(broker.value, "hostname")) or ("host" if alone else ""),
        "image": image.name if "$" in ref and (image := images.parse(ref)) and "$" not in image.name else "",
        "hidden": "variables"
        if get(broker.value, "env_file") is not None and get(broker.value, "extends") is None and not templated
        else "",
    }
    return tuple((name, value) for name, value in traits.items() if value)


def _published(service: Node) -> Iterator[str]:
    """Ports of the host and of the container, as far as both are known."""
    for node in elements(get(service, "ports"))[:100]:
        text = _resolved(scalar(node) or f"{scalar(get(node, 'published')) or ''}:{scalar(get(node, 'target')) or ''}")
        if found := _PORTS.fullmatch(text):
            yield f"{found[1]}:{found[2]}"


def _read_asked(tree: Tree, services: list[Item]) -> None:
    """What services on the network of the file are told in their environment: `host:port` of another one."""
    hosts = {name for service in services for name in _hosts(service.key, service.value)}
    for service in services:
        if not is_mapping(service.value) or get(service.value, "network_mode") is not None:
            continue
        for variable in environment(tree, service.value)[0]:
            for found in _HOST.finditer(variable.value.text):
                if found[1] in hosts and found[1] not in _hosts(service.key, service.value):
                    place = tree.out.place(variable.value.span(found.start(), found.end()), label=service.key)
                    tree.out.facts.append(Usage("asks-host", found.group(), place))
                    served = variable.value.text[: found.start()].lower().endswith(_SERVED)
                    if _BROKERS.search(variable.name) and not served:
                        tree.out.facts.append(Usage("asks-broker", found.group(), place))


def _read_lonely(tree: Tree, services: list[Item], brokers: list[Node]) -> None:
    """What containers with a network of their own are told of brokers, and of a schema registry: nothing but themselves, at a port of another service."""
    if not brokers or not _ITSELF.search(tree.source):
        return
    known = " ".join(map(_said, brokers))
    registries = {service.key: _said(service.value) for service in services if _is_registry(service)}
    served = " ".join([*registries.values(), *(said for said in map(_said, brokers) if "redpanda" in said)])
    for service in services:
        node = service.value
        if not is_mapping(node) or not _has_own_localhost(node):
            continue
        for variable in environment(tree, node)[0]:
            if _OF_HOST.search(variable.name):
                continue
            if _REGISTRY.search(variable.name) and not _BROKERS.search(variable.name):
                kind, there = "registry-at-itself", "" if service.key in registries else served
            elif _BROKERS.search(variable.name):
                kind, there = "asks-itself", known
            else:
                continue
            found = [_ITSELF.fullmatch(entry.strip()) for entry in variable.value.text.split(",")]
            if all(one is not None and f":{one[1]}" in there for one in found):
                place = tree.out.place(variable.value.span(0, len(variable.value.text)), label=service.key)
                tree.out.facts.append(Usage(kind, variable.value.text, place))


def _is_registry(service: Item) -> bool:
    """Whether a service is a schema registry, by its image, or by its own name where it has none."""
    named = scalar(get(service.value, "image")) if is_mapping(service.value) else None
    return _REGISTRIES.search(named or service.key) is not None


def _users(tree: Tree, services: dict[str, Node]) -> dict[str, list[str]]:
    """The services that name a host with a port, by host."""
    found: dict[str, list[str]] = {}
    for name, node in services.items():
        for host in dict.fromkeys(_HOST.findall(_said(node))):
            found.setdefault(host, []).append(name)
    return found


def _said(node: Node, level: int = 0) -> str:
    """All that a service says, a line for each scalar, what it takes from anchors included."""
    if is_mapping(node) and level < 8:
        return "\n".join(f"{item.key}: {_said(item.value, level + 1)}" for item in items(node)[:500])
    if is_sequence(node) and level < 8:
        return "\n".join(_said(one, level + 1) for one in elements(node)[:500])
    return scalar(node) or ""


def _words(node: Node | None) -> list[str]:
    if node is None:
        return []
    if is_sequence(node):
        return [word for child in elements(node)[:500] if (word := scalar(child)) is not None]
    return (scalar(node) or "").split()


def _read_client(
    tree: Tree, service: Item, services: dict[str, Node], ref: str, variables: list[Variable], words: list[str], facts: list[Fact]
) -> None:
    """An oddity for a service that submits a job, or is a TaskManager, and is told nowhere where the JobManager is: another service of the file.

    `detail` names that service, and the Dockerfile of the image, which may say it, with whether the service starts by that image's entry point.
    """
    node = service.value
    if _changes(node):
        told = flink_client.is_told([" ".join(words)], ((one.name, one.value.text) for one in variables), ())
        if told or get(node, "env_file") is not None or get(node, "volumes") is not None:
            tree.out.facts.append(Usage("jobmanager-told", service.key, tree.out.place(tree.key(service))))
        return
    run = flink_client.untold(facts)
    works = get(node, "entrypoint") is None and words[:1] == ["taskmanager"]
    if run is None and not works:
        return
    masters = [
        name for name, other in services.items() if name != service.key and flink_role(_words(get(other, "command"))) == "jobmanager"
    ]
    if not masters or any(get(node, key) is not None for key in ("network_mode", "env_file", "extends", "volumes_from")):
        return
    # a TaskManager has properties of its own as a rule, without which it would not be told either
    hints = [
        ("" if works and one.name == "FLINK_PROPERTIES" and "$" not in one.value.text else one.name, one.value.text) for one in variables
    ]
    if tree.hidden(service) or flink_client.is_told([" ".join(words)], hints, (path for _, path, _, _ in _volumes(tree, node))):
        return
    build = get(node, "build")
    built = _built(build) if build is not None else None
    if build is not None and (built is None or get(build, "target") is not None):
        return
    if built is None and not flink_client.OFFICIAL.fullmatch(ref):
        return
    related = (tree.out.place(tree.key(service), "related", "its container"),)
    detail = json.dumps([masters[0], built[1] if built else "", get(node, "entrypoint") is not None])
    if run is not None:
        tree.out.oddity("client-untold", service.key, run.place.span, detail, related=related)
    else:
        command = find(node, "command")
        at = tree.span(command.value) if command is not None else tree.key(service)
        tree.out.oddity("taskmanager-untold", service.key, at, detail, related=related)


def _texts(tree: Tree, service: Node) -> list[Text]:
    """The scalars of what a service starts."""
    found = filter(None, (get(service, key) for key in ("entrypoint", "command")))
    nodes = [one for node in found for one in (elements(node)[:500] if is_sequence(node) else [node])]
    return [tree.value(one) for one in nodes if scalar(one) is not None]


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
        delegate.command(tree.value(node), tree.out, block)


def _volumes(tree: Tree, service: Node) -> list[tuple[str, str, str, Span]]:
    """(kind, path in the container, name, span) of each volume of a service."""
    result = []
    for node in elements(get(service, "volumes"))[:500]:
        text = scalar(node)
        if text is None:
            target, source, kind = find(node, "target"), scalar(get(node, "source")) or "", scalar(get(node, "type")) or "volume"
            if target is not None and (path := scalar(target.value)):
                kind = {"bind": "bind", "tmpfs": "emptyDir", "volume": "named" if source else "ephemeral"}.get(kind, "unknown")
                result.append((kind, path, source or path, tree.span(target.value)))
            continue
        parts = re.split(r":(?![-?+=\\])(?![^{}]*\})", text)
        if len(parts) > 2 and len(parts[0]) == 1:  # a drive letter
            parts = [f"{parts[0]}:{parts[1]}", *parts[2:]]
        if len(parts) == 1:
            result.append(("ephemeral", parts[0], parts[0], tree.span(node)))
        else:
            kind = "bind" if parts[0][:1] in "./~$\\" or ":" in parts[0] else "named"
            result.append((kind, parts[1], parts[0], tree.span(node)))
    tmpfs = get(service, "tmpfs")
    for child in elements(tmpfs) if tmpfs is None or scalar(tmpfs) is None else [tmpfs]:
        if path := scalar(child):
            result.append(("emptyDir", path, path, tree.span(child)))
    return result


def _read_unwritable_conf(tree: Tree, service: Node, properties: Variable, block: Block) -> None:
    """Flink's conf where it is mounted read-only, so that the image's entry point cannot write FLINK_PROPERTIES into it."""
    if get(service, "entrypoint") is not None and "docker-entrypoint" not in " ".join(_words(get(service, "entrypoint"))):
        return
    for node in elements(get(service, "volumes"))[:500]:
        text = scalar(node)
        target, readonly = scalar(get(node, "target")) if text is None else None, scalar(get(node, "read_only")) if text is None else None
        if text is not None and (match := _READ_ONLY.search(text)):
            target, readonly = match[1], "true"
        if target is not None and readonly == "true" and _CONF.search(target):
            related = (tree.out.place(properties.key_span)._replace(label="what is lost"),)
            tree.out.oddity("flink-conf-read-only", target, tree.span(node), block=block, related=related)


def _read_volumes(tree: Tree, service: Node, block: Block | None) -> None:
    for kind, path, name, span in _volumes(tree, service):
        tree.out.mount(path, kind, name, span, block)
        if kind == "bind" and path.endswith(".jar"):
            delegate.mounted_jar(path, name, span, tree.out, block)
