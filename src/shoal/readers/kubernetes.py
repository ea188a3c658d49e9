"""Kubernetes objects: pods and what makes them, services, config maps."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from shoal.facts import Block, Usage
from shoal.lazy import pattern
from shoal.readers import (
    claims,
    delegate,
    disruption,
    engine_files,
    flink_client,
    flink_yaml,
    kafka_container,
    kafka_pods,
    kafka_required,
    kafka_tools,
    kafka_variables,
    kubernetes_served,
    zookeeper,
)
from shoal.readers.yaml_tree import Item, Node, Tree, elements, find, flatten, get, is_mapping, is_null, items, scalar
from shoal.text import MASK
from shoal.values.containers import is_quantity, kubernetes_memory

if TYPE_CHECKING:
    from shoal.facts import Fact
    from shoal.model import Span
    from shoal.text import Text

WORKLOADS = {
    "Deployment": ("spec", "template"),
    "StatefulSet": ("spec", "template"),
    "DaemonSet": ("spec", "template"),
    "ReplicaSet": ("spec", "template"),
    "ReplicationController": ("spec", "template"),
    "Job": ("spec", "template"),
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
    "Pod": (),
}
# `--output /tmp/result`, one word.
_FLAG_WITH_VALUE = pattern(r"\s*(--?[A-Za-z][\w.-]*)\s+(\S{1,60})")
_STREAMING = pattern(r"flink|spark|kafka|beam|job-?manager|task-?manager", re.IGNORECASE)
_VOLUMES = (
    ("persistentVolumeClaim", "pvc", "claimName"),
    ("hostPath", "hostPath", "path"),
    ("emptyDir", "emptyDir", ""),
    ("configMap", "configMap", "name"),
    ("secret", "secret", "secretName"),
    ("ephemeral", "ephemeral", ""),
)
_ADDRESS = pattern(r"(?m)^[ \t]*jobmanager\.rpc\.address[ \t]*:[ \t]+([\w.-]+)")
# What starts Flink in its image, and the variables that the image's entry point reads and these do not.
_SCRIPTS = frozenset({"jobmanager.sh", "taskmanager.sh", "standalone-job.sh"})
_OF_ENTRY_POINT = frozenset({"JOB_MANAGER_RPC_ADDRESS", "TASK_MANAGER_NUMBER_OF_TASK_SLOTS", "FLINK_PROPERTIES", "ENABLE_BUILT_IN_PLUGINS"})
CONF = pattern(r"flink\S*/conf/?$|flink\S*/conf/(?:flink-conf|config)\.yaml$")
_FLINK_TAG = pattern(r"(?:^|/)flink:v?(\d{1,3})\.(\d{1,3})")
# No container runs in less: who writes `512m`, thousandths of a byte, or `512`, bytes, means another unit.
_LEAST_MEMORY = 1024 * 1024
# What the image of ZooKeeper declares as a volume for its data. Source: VOLUME in zookeeper/Dockerfile.ubi8 of confluentinc/kafka-images.
_ZOOKEEPER_DECLARES = "/var/lib/zookeeper/data"
# Images in which a variable is an option where its name begins with KAFKA_ or CONNECT_, and what a pod is told of itself.
_OPTIONS_WITH_PREFIX = pattern(
    r"(?:^|/)(?:apache/kafka(?:-native)?|confluentinc/cp-(?:(?:enterprise-)?kafka|server)(?:-connect(?:-base)?)?)(?::|@|$)"
)
_OF_POD = pattern(r"(?:\w+_)?(?:POD|NODE|HOST)_(?:IP|NAME|NAMESPACE|UID)|NAMESPACE")
# The images of Apache, Confluent, Bitnami and wurstmeister, and where they keep snapshots, logs and the id of the cluster.
_ZOOKEEPER = pattern(r"(?:^|/)(?:cp-)?zookeeper(?::|@|$)")
_ZOOKEEPER_DATA = pattern(r"^(?:/var/lib/zookeeper(?:/data)?|/data|/bitnami(?:/zookeeper(?:/data)?)?|/opt/zookeeper[\w.-]*/data)/?$")
_REFERENCE = pattern(r"(?<!\$)\$\((\w+)\)")  # `$$(NAME)` is meant as it is
_CONTAINERS = ("initContainers", "containers")


def name_of(tree: Tree, root: Node) -> str:
    return tree.shown(get(root, "metadata", "name"))


def read_workload(tree: Tree, root: Node, kind: str) -> None:
    """A Deployment, Job, Pod, …: its containers that have to do with a streaming engine."""
    template = get(root, *WORKLOADS[kind])
    pod = get(template, "spec")
    name = name_of(tree, root)
    before = len(tree.out.facts)
    for container in containers(pod):
        read_container(tree, container, pod, root, kind, name)
    if len(tree.out.facts) > before:
        read_quantities(tree, root)
        if kind in ("Deployment", "StatefulSet"):
            disruption.read_pods(tree, root)
    kubernetes_served.read_version(tree, root, kind, known=len(tree.out.facts) > before)
    if "kafka" in tree.source.lower():
        _read_kept(tree, root, pod, name)


def _read_kept(tree: Tree, root: Node, pod: Node | None, name: str) -> None:
    """A store whose data are in a volume that is claimed: what lasts beside a broker."""
    claims = {scalar(get(claim, "metadata", "name")) for claim in elements(get(root, "spec", "volumeClaimTemplates"))}
    claims |= {scalar(get(one, "name")) for one in elements(get(pod, "volumes")) if get(one, "persistentVolumeClaim") is not None}
    for container in elements(get(pod, "containers")):
        mounts = [mount for mount in elements(get(container, "volumeMounts")) if scalar(get(mount, "name")) in claims]
        places = {path: tree.span(mount) for mount in mounts if (path := scalar(get(mount, "mountPath")))}
        if at := kafka_container.data_path(scalar(get(container, "image")) or "", name, "", places):
            tree.out.facts.append(Usage("keeps-data", name, tree.out.place(places[at])))


def containers(pod: Node | None) -> Iterator[Node]:
    for group in _CONTAINERS:
        for container in elements(get(pod, group)):
            if is_mapping(container):
                yield container


def environment(tree: Tree, container: Node) -> dict[str, tuple[Item, Text]]:
    """The environment of a container as (entry of `value`, its text) by name; variables from elsewhere are left out."""
    found = {}
    for variable in elements(get(container, "env")):
        name, value = scalar(get(variable, "name")), find(variable, "value")
        if name and value and scalar(value.value) is not None and not is_null(value.value):
            found[name] = (value, tree.value(value.value))
    return found


def read_plugins(tree: Tree, env: dict[str, tuple[Item, Text]], block: Block) -> None:
    """The plugins that Flink's entry point is told to enable."""
    if "ENABLE_BUILT_IN_PLUGINS" in env:
        value = env["ENABLE_BUILT_IN_PLUGINS"][1]
        tree.out.facts.append(Usage("plugins", value.text, tree.out.place(value.span(0, len(value.text))), block.id))


def _variable_names(tree: Tree, container: Node) -> dict[str, Span]:
    """Where each variable is named, those whose value is elsewhere too."""
    named = [item.value for variable in elements(get(container, "env")) if (item := find(variable, "name"))]
    return {name: tree.span(node) for node in named if (name := scalar(node))}


def _told_elsewhere(container: Node, image: str, env: dict[str, tuple[Item, Text]]) -> bool:
    """Whether a variable whose value is elsewhere may be an option of Kafka's: those of the pod's own name and address are not, nor others where options have a prefix."""
    others = [
        (name, variable) for variable in elements(get(container, "env")) if (name := scalar(get(variable, "name"))) and name not in env
    ]
    prefixed = bool(_OPTIONS_WITH_PREFIX.search(image))
    return any(
        name.startswith(("KAFKA_", "CONNECT_"))
        or not (prefixed or (_OF_POD.fullmatch(name) and get(variable, "valueFrom", "fieldRef") is not None))
        for name, variable in others
    )


def _read_early(tree: Tree, container: Node, block: Block) -> None:
    """Variables that another one refers to before they are set: kubelet resolves `$(NAME)` from top to bottom, and leaves as it is what it does not know yet.

    Source: `makeEnvironment` in kubelet, and the documentation of EnvVar.value. What `envFrom` brings is known from the start; what the cluster's services are
    called is not known here, and has other names.
    """
    if get(container, "envFrom") is not None:
        return
    variables = elements(get(container, "env"))
    named = [scalar(get(variable, "name")) or "" for variable in variables]
    for at, variable in enumerate(variables):
        value = find(variable, "value")
        text = scalar(value.value) if value is not None else None
        for found in _REFERENCE.finditer(text or ""):
            if value is not None and found[1] in named[at + 1 :] and found[1] not in named[:at]:
                place = tree.value(value.value).span(*found.span())
                later = tree.span(get(variables[named.index(found[1])], "name") or variable)
                related = (tree.out.place(later, "related", "set here, further down"),)
                tree.out.oddity("variable-too-early", found[1], place, named[at], block, related)


def _read_tools(tree: Tree, container: Node, image: str) -> None:
    """Tools of Kafka that the image of a container does not find, in its probes and in what it runs."""
    started = [word for key in ("command", "args") for word in elements(get(container, key))]
    for asked in (
        started,
        *(elements(get(container, name, "exec", "command")) for name in ("readinessProbe", "livenessProbe", "startupProbe")),
    ):
        kafka_tools.read(tree, image, [(scalar(word) or "", tree.span(word)) for word in asked])


def _read_probes(tree: Tree, container: Node, image: str) -> None:
    """Probes of ZooKeeper that wait for an answer which it does not give."""
    whole = tree.source[container.start_mark.index : container.end_mark.index]
    for name in ("readinessProbe", "livenessProbe", "startupProbe"):
        asked = get(container, name, "exec", "command")
        check = " ".join(scalar(word) or "" for word in elements(asked))
        if asked is not None and (command := zookeeper.refused(image, whole, check)):
            tree.out.oddity("zookeeper-command-refused", command, tree.span(asked), image)


def read_container(tree: Tree, container: Node, pod: Node | None, root: Node, kind: str, name: str) -> None:
    image = find(container, "image")
    ref = (scalar(image.value) or "") if image else ""
    words = argv(tree, container)
    env = environment(tree, container)
    text = " ".join([ref, *(word for word, _ in words)])
    if _ZOOKEEPER.search(ref):
        _read_passing(tree, pod, container, None, ref)
        _read_probes(tree, container, ref)
    if image is not None and "strimzi/operator" in ref:
        delegate.image(ref, tree.span(image.value), tree.out, None)
    if "debezium/server" in ref or any(path.startswith("/debezium") for path in mounted_paths(container)):
        _read_server_volumes(tree, pod, container)
    kafka_pods.read_links(tree, root, pod, container, ref, [word for word, _ in words])
    kafka_required.read_container(tree, name, container)
    if "kafka" in ref:
        _read_tools(tree, container, ref)
    kafka_variables.read(
        tree, ref, _variable_names(tree, container), [*(word for word, _ in words), *(value.text for _, value in env.values())]
    )
    kafka = kafka_container.runs(ref, env)
    if not (kafka or _STREAMING.search(f"{text} {name}") or "FLINK_PROPERTIES" in env or any("--conf" in word for word, _ in words)):
        return
    block: Block | None = None
    role = flink_role([word for word, _ in words])
    if "FLINK_PROPERTIES" in env or (role not in ("", "client") and "flink" in f"{ref} {name}".lower()):
        container_name = scalar(get(container, "name")) or ""
        traits = [("kind", kind), ("container", container_name)]
        if role:
            traits.append(("role", role))
        if kind in ("Deployment", "StatefulSet", "DaemonSet"):
            traits.append(("standalone", "true"))
            traits.append(("restart", "always"))
        if replicas := scalar(get(root, "spec", "replicas")):
            traits.append(("replicas", replicas))
        if pull := scalar(get(container, "imagePullPolicy")):
            traits.append(("pull", pull))
        if get(container, "envFrom") is not None:
            traits.append(("hidden", "variables"))
        if "ENABLE_BUILT_IN_PLUGINS" in env:
            traits.append(("plugins", env["ENABLE_BUILT_IN_PLUGINS"][1].text))
        elif any("/plugins" in word for word, _ in words):  # the command puts them there before it starts Flink
            traits.append(("plugins", "command"))
        if (master := _master(env)) and MASK not in master and "$" not in master:
            traits.append(("master", master))
        place = (
            tree.key(env["FLINK_PROPERTIES"][0]) if "FLINK_PROPERTIES" in env else tree.span(image.value) if image else tree.span(container)
        )
        # the conf folder usually comes from a config map, and an image may bring its own
        opened = bool(get(container, "envFrom")) or any(engine_files.is_conf_path(path) for path in mounted_paths(container))
        block = tree.out.block("flink", "cluster", "manifest", place, name, traits=tuple(traits), open=opened)
        read_plugins(tree, env, block)
        limit = find(container, "resources", "limits", "memory")
        if limit is not None and (most := scalar(limit.value)):
            tree.out.setting(block, "spec.memory-limit", most, tree.key(limit), tree.span(limit.value))
        if "FLINK_PROPERTIES" in env:
            from shoal.readers.conf_text import read_legacy

            read_legacy(env["FLINK_PROPERTIES"][1], tree.out, block, properties=True, entry_point=entry_point(ref))
            if "FLINK_CONF_DIR" not in env:
                _read_unwritable_conf(tree, container, pod, env["FLINK_PROPERTIES"][0], block)
        texts = " ".join([*(word for word, _ in words), *(value.text for _, value in env.values())])
        named = ((name, value.text, tree.span(item.value)) for name, (item, value) in env.items())
        delegate.unread_variables(named, texts, tree.out, block)
        script = (scalar(next(iter(elements(get(container, "command"))), None)) or "").rpartition("/")[2]
        if script in _SCRIPTS and not opened:
            for variable in sorted(name for name in _OF_ENTRY_POINT & env.keys() if name not in texts):
                item, _ = env[variable]
                tree.out.oddity("entry-point-passed-over", variable, tree.span(item.value), script, block)
    elif kafka:
        traits = [("kind", kind)]
        if kafka == "broker" and kafka_container.is_tool(word for word, _ in words):
            traits.append(("tool", "true"))
        if words:
            traits.append(("command", words[0][0]))
        if replicas := scalar(get(root, "spec", "replicas")):
            traits.append(("replicas", replicas))
        places = _variable_names(tree, container)
        variables = [(one, value, places[one]) for one, (_, value) in env.items()]
        block = kafka_container.read_variables(
            tree,
            kafka,
            kafka_container.options(kafka, ref, variables),
            tree.span(image.value) if image else tree.span(container),
            name,
            "manifest",
            tuple(traits),
            get(container, "envFrom") is not None or _told_elsewhere(container, ref, env) or _templated(tree, container),
            kafka_container.unread(kafka, ref, variables, (word for word, _ in words)),
        )
        if kafka == "broker":
            kafka_container.read_cluster_id(tree, ref, variables, [text for _, text in words])
        kafka_container.read_topics(tree, block, ref, variables, (word for word, _ in words))
        if block is not None:
            limit = find(container, "resources", "limits", "memory")
            kafka_container.read_memory(tree, block, limit, variables, (word for word, _ in words))
            if kafka == "broker" and not block.trait("tool"):
                _read_rollout(tree, root, kind, block, env)
                kafka_pods.read_pod_name(tree, container, (word for word, _ in words), block)
                _read_passing(tree, pod, container, block)
    if image and ref:
        delegate.image(ref, tree.span(image.value), tree.out, block)
        if block is not None and MASK in ref:  # the chart's values may tell it
            tree.out.setting(block, "spec.container-image", ref, tree.key(image), tree.span(image.value))
    before = len(tree.out.facts)
    hand_on(tree, words, block)
    if kind == "Job" and flink_client.OFFICIAL.fullmatch(ref):
        _read_client(tree, container, pod, words, env, tree.out.facts[before:], name)
    if kind == "Job":
        _read_job(tree, root, [fact for fact in tree.out.facts[before:] if isinstance(fact, Block)])
    delegate.scripts((value for _, value in env.values()), tree.out, block)
    read_mounts(tree, pod, block, [container])
    read_hidden(tree, [pod] if pod is not None else [], container, ref, block)
    if block is not None:
        _read_early(tree, container, block)
        claims.read_mounted(tree, root, pod, container, block)


def _read_unwritable_conf(tree: Tree, container: Node, pod: Node | None, properties: Item, block: Block) -> None:
    """Flink's conf where an object of Kubernetes is mounted, so that the image's entry point cannot write FLINK_PROPERTIES into it."""
    command = [word for word, _ in words_of(tree, get(container, "command"))]
    if command and "docker-entrypoint" not in command[0]:
        return
    known = _backing(pod)
    for mount in elements(get(container, "volumeMounts")):
        path, name = find(mount, "mountPath"), scalar(get(mount, "name")) or ""
        if (
            path is None
            or not CONF.search(where := scalar(path.value) or "")
            or known.get(name, ("", ""))[0] not in ("configMap", "secret")
        ):
            continue
        related = (tree.out.place(tree.key(properties))._replace(label="what is lost"),)
        tree.out.oddity("flink-conf-read-only", where, tree.span(path.value), block=block, related=related)


def _master(env: dict[str, tuple[Item, Text]]) -> str:
    """Where the container looks for the JobManager, which without high availability is a name that it is given."""
    properties = env["FLINK_PROPERTIES"][1].text if "FLINK_PROPERTIES" in env else ""
    if "high-availability" in properties:
        return ""
    given = _ADDRESS.search(properties)
    return given.group(1) if given else env["JOB_MANAGER_RPC_ADDRESS"][1].text.strip() if "JOB_MANAGER_RPC_ADDRESS" in env else ""


def read_quantities(tree: Tree, root: Node) -> None:
    """What containers ask for and may use, where Kubernetes does not take it for a quantity, or takes it for less than one makes of it.

    `subject` is the text, `detail` the field. Fields of Flink's own resource, outside of its pod templates, are Flink's to read.
    """
    flink = (scalar(get(root, "kind")) or "").startswith("Flink")
    for path, item in _entries(root):
        text = scalar(item.value)
        if path[-2:-1] != ("resources",) or path[-1] not in ("requests", "limits") or not text or MASK in text or "$" in text:
            continue
        if flink and path[-3:-2] != ("*",):
            continue
        amount = kubernetes_memory(text) if item.key == "memory" else None
        if not is_quantity(text):
            tree.out.oddity("no-quantity", text, tree.span(item.value), item.key)
        elif amount is not None and 0 < amount < _LEAST_MEMORY:
            tree.out.oddity("tiny-quantity", text, tree.span(item.value), f"{amount:g}")


def _read_job(tree: Tree, root: Node, commands: list[Block]) -> None:
    """An oddity for what a Job submits: `subject` is how often the Job starts it again."""
    limit, policy = find(root, "spec", "backoffLimit"), find(root, "spec", "template", "spec", "restartPolicy")
    at = limit or policy or find(root, "kind")
    for block in commands:
        if block.role == "submit" and at is not None and MASK not in (often := scalar(limit.value) or "" if limit is not None else "6"):
            tree.out.oddity("run-by-job", often, tree.span(at.value), name_of(tree, root), block)


def _read_client(
    tree: Tree,
    container: Node,
    pod: Node | None,
    words: list[tuple[str, Text]],
    env: dict[str, tuple[Item, Text]],
    facts: list[Fact],
    name: str,
) -> None:
    """An oddity for a Job that submits a program to Flink and is told nowhere where the JobManager is."""
    run = flink_client.untold(facts)
    elsewhere = get(container, "envFrom") is not None or len(_variable_names(tree, container)) > len(env) or _templated(tree, container)
    if run is None or elsewhere or scalar(get(pod, "hostNetwork")) == "true" or get(pod, "initContainers") is not None:
        return
    variables = ((variable, value.text) for variable, (_, value) in env.items())
    if not flink_client.is_told((word for word, _ in words), variables, mounted_paths(container)):
        overridden = get(container, "command") is not None and words[0][0] not in ("/docker-entrypoint.sh", "docker-entrypoint.sh")
        tree.out.oddity("client-untold", name, run.place.span, json.dumps(["", "", overridden]))


def _read_rollout(tree: Tree, root: Node, kind: str, broker: Block, env: dict[str, tuple[Item, Text]]) -> None:
    """An oddity for a broker with an id of its own of which a Deployment starts a second one, before it ends the first."""
    strategy = get(root, "spec", "strategy")
    surge = scalar(get(strategy, "rollingUpdate", "maxSurge")) or ""
    at = find(root, "kind")
    named = next((name for name in kafka_pods.BROKER_ID if name in env and env[name][1].text.strip().isdigit()), None)
    if (
        kind == "Deployment"
        and at is not None
        and named
        and scalar(get(strategy, "type")) != "Recreate"
        and not re.fullmatch(r"0%?", surge)
    ):
        related = (tree.out.place(env[named][1].span(0, len(env[named][1].text)), "related", "the id"),)
        tree.out.oddity("broker-in-deployment", env[named][1].text.strip(), tree.span(at.value), broker.name, broker, related)


def _read_passing(tree: Tree, pod: Node | None, container: Node, broker: Block | None, image: str = "") -> None:
    """The volumes of a broker, or those for ZooKeeper's data, that end with the pod: where they are declared. Also what is mounted above a volume that ZooKeeper's image declares."""
    paths = {path.rstrip("/") for path in mounted_paths(container)}
    covered = "confluentinc/cp-zookeeper" in image and _ZOOKEEPER_DECLARES not in paths
    declared = {scalar(get(volume, "name")): entry for volume in elements(get(pod, "volumes")) if (entry := find(volume, "emptyDir"))}
    for mount in elements(get(container, "volumeMounts")):
        path, entry = find(mount, "mountPath"), declared.get(scalar(get(mount, "name")))
        if path is None or not (where := scalar(path.value)):
            continue
        if entry is None:
            if covered and _ZOOKEEPER_DECLARES.startswith(where.rstrip("/") + "/"):
                tree.out.oddity("zookeeper-volume-covered", where, tree.span(path.value), _ZOOKEEPER_DECLARES)
        elif broker is not None:
            tree.out.facts.append(Usage("passing-volume", where, tree.out.place(tree.key(entry)), broker.id))
        elif _ZOOKEEPER_DATA.search(where):
            related = (tree.out.place(tree.key(entry), "related", "this ends with the pod"),)
            tree.out.oddity("zookeeper-data-passing", where, tree.span(path.value), related=related)


def _read_server_volumes(tree: Tree, pod: Node | None, container: Node) -> None:
    """The volumes of Debezium Server that outlive its pod, or may."""
    known = _backing(pod)
    for mount in elements(get(container, "volumeMounts")):
        path, name = find(mount, "mountPath"), scalar(get(mount, "name")) or ""
        if path is not None and (where := scalar(path.value)) and known.get(name, ("pvc", name))[0] not in engine_files.EMPTY:
            tree.out.facts.append(Usage("server-volume", where, tree.out.place(tree.span(path.value))))


def _templated(tree: Tree, container: Node) -> bool:
    """Whether a template puts something into a container."""
    return tree.out.templated and f"#{MASK}" in tree.source[container.start_mark.index : container.end_mark.index]


def mounted_paths(container: Node) -> list[str]:
    return [scalar(get(mount, "mountPath")) or "" for mount in elements(get(container, "volumeMounts"))]


def argv(tree: Tree, container: Node) -> list[tuple[str, Text]]:
    """`command` and `args` of a container as one argument list."""
    return words_of(tree, get(container, "command")) + words_of(tree, get(container, "args"))


def words_of(tree: Tree, node: Node | None) -> list[tuple[str, Text]]:
    """The words of a sequence of scalars, each with its text; none for anything else."""
    return [(word, tree.value(child)) for child in elements(node)[:2000] if (word := scalar(child)) is not None]


def flags_with_values(tree: Tree, words: list[tuple[str, Text]], block: Block) -> None:
    """Oddities for arguments of a program that hold a flag and its value: no shell comes between, which would part them."""
    for word, text in words:
        if MASK not in word and (found := _FLAG_WITH_VALUE.match(word)):
            tree.out.oddity("flag-with-value", found[1], text.span(0, len(word)), found[2], block=block)


def hand_on(tree: Tree, words: list[tuple[str, Text]], block: Block | None) -> None:
    """Give an argument list to the command readers: `sh -c "…"` holds a command, anything else is one."""
    for word, text in words:
        if " " in word.strip() and re.search(
            r"flink|spark|-D|--conf|--runner|python|confluent/docker/run|/connect-distributed|/connectors|/jars/|kafka-(?:topics|configs)",
            word,
        ):
            delegate.command(text, tree.out, block)
            return
    if any(re.search(r"flink|spark|beam|kafka-(?:topics|configs)|^-D|^--(?:conf|packages|runner)", word) for word, _ in words) or (
        block is not None and block.engine == "flink"
    ):
        delegate.arguments(words, tree.out, block)


def flink_role(words: list[str]) -> str:
    """What a Flink container is told to be: `jobmanager`, `taskmanager`, `historyserver`, `client`, or nothing."""
    for word in words:
        for part in word.split()[:6]:
            base = part.rsplit("/", 1)[-1]
            if base in ("jobmanager", "jobmanager.sh", "standalone-job", "standalone-job.sh", "job-cluster"):
                return "jobmanager"
            if base in ("taskmanager", "taskmanager.sh", "task-manager"):
                return "taskmanager"
            if base in ("history-server", "historyserver", "historyserver.sh"):
                return "historyserver"
            if base in ("sql-client.sh", "sql-gateway.sh", "flink"):
                return "client"
    return ""


def entry_point(image: str) -> str:
    """Which entry point reads FLINK_PROPERTIES in an image: `new` since Flink 1.19, empty before, or `unknown`."""
    match = _FLINK_TAG.search(image)
    if not match:
        return "unknown"
    return "new" if (int(match.group(1)), int(match.group(2))) >= (1, 19) else ""


def read_mounts(tree: Tree, pod: Node | None, block: Block | None, only: list[Node] | None = None, volumes: Node | None = None) -> None:
    """What backs the paths in the containers of a pod template."""
    known = _backing(pod, volumes)
    for container in only if only is not None else containers(pod):
        for mount in elements(get(container, "volumeMounts")):
            path, name = find(mount, "mountPath"), scalar(get(mount, "name"))
            if path and name and (where := scalar(path.value)):
                kind, backing = known.get(name, ("unknown", name))
                tree.out.mount(where, kind, backing, tree.span(path.value), block)
                if where.endswith(".jar"):
                    delegate.mounted_jar(where, scalar(get(mount, "subPath")) or "", tree.span(path.value), tree.out, block)


def _backing(pod: Node | None, volumes: Node | None = None) -> dict[str, tuple[str, str]]:
    """Kind and name of what backs each volume of a pod, by its name."""
    known: dict[str, tuple[str, str]] = {}
    for volume in [*elements(get(pod, "volumes")), *elements(volumes)]:
        name = scalar(get(volume, "name"))
        if name is None:
            continue
        # what has a name and nothing else, Kubernetes makes an emptyDir
        known[name] = ("emptyDir" if [item.key for item in items(volume)] == ["name"] else "unknown", name)
        for key, kind, field in _VOLUMES:
            entry = find(volume, key)
            if entry:
                known[name] = (kind, (scalar(get(entry.value, field)) if field else None) or name)
    return known


def _may_fill(container: Node, folder: str) -> bool:
    """Whether a container may put something into a folder where a volume is mounted."""
    words = [scalar(word) or "" for key in ("command", "args") for word in elements(get(container, key))]
    shell = len(words) == 3 and words[1] == "-c" and words[0].rpartition("/")[2] in ("sh", "bash")
    return not shell or MASK in words[2] or engine_files.may_fill(words[2], folder)


def read_hidden(tree: Tree, pods: list[Node], container: Node, image: str, block: Block | None) -> None:
    """Volumes over an engine's own files, but for those that another container of the pod, an init container say, may fill.

    `pods`: the templates that are merged into one.
    """
    others = [other for pod in pods for other in containers(pod) if other is not container]
    shared = {
        scalar(get(mount, "name"))
        for other in others
        for mount in elements(get(other, "volumeMounts"))
        if _may_fill(other, scalar(get(mount, "mountPath")) or "")
    }
    known = {name: backing for pod in pods for name, backing in _backing(pod).items()}
    own = "\n".join(word for word, _ in argv(tree, container))
    role = block is not None and block.engine == "flink" and block.trait("role")
    # the image may be the template's affair: what the container starts says what is in it
    runs_flink = MASK in image and MASK not in own and ("/opt/flink/bin/" in own or role)
    for mount in elements(get(container, "volumeMounts")):
        path, name = find(mount, "mountPath"), scalar(get(mount, "name")) or ""
        if path is not None and (where := scalar(path.value)) and find(mount, "subPath") is None and name not in shared:
            kind, backing = known.get(name, ("unknown", name))
            shown = "flink" if runs_flink and where.rstrip("/") not in own else image
            engine_files.hidden(tree.out, shown, where, kind, backing, tree.span(path.value), block)


def read_service(tree: Tree, root: Node, kind: str) -> None:
    """A Service, Ingress, or Route of OpenShift's, that leads to a streaming engine, as flat settings."""
    name = name_of(tree, root)
    if kind == "Service":
        kafka_pods.read_named(tree, root, name)
    selector = ",".join(f"{item.key}={scalar(item.value) or ''}" for item in items(get(root, "spec", "selector")))
    ports = {scalar(get(port, field)) for port in elements(get(root, "spec", "ports")) for field in ("port", "targetPort", "name")}
    backends = " ".join(
        scalar(item.value) or ""
        for path, item in _entries(root)
        if item.key in ("name", "serviceName") and {"backend", "to"}.intersection(path)
    )
    if not re.search(r"flink|spark|kafka|job-?manager|task-?manager", f"{name} {selector} {backends}", re.IGNORECASE):
        return
    # a service is placed where it begins: a template may choose its type on a condition
    place_item = find(root, "kind") if kind == "Service" else find(root, "metadata", "name")
    place = tree.span(place_item.value) if place_item else tree.span(root)
    traits = [("kind", kind), ("selector", selector), ("ports", ",".join(sorted(port for port in ports if port)))]
    if backends:
        traits.append(("backend", backends))
    traits += [(f"annotation:{item.key}", scalar(item.value) or "") for item in items(get(root, "metadata", "annotations"))]
    block = tree.out.block("kubernetes", kind.lower(), "manifest", place, name, traits=tuple(traits[:100]))
    add_fields(tree, block, find(root, "spec"), "spec", lists=True)


def _entries(root: Node) -> Iterator[tuple[tuple[str, ...], Item]]:
    from shoal.readers.yaml_tree import walk

    return walk([root])


def add_fields(tree: Tree, block: Block, entry: Item | None, prefix: str, skip: frozenset[str] = frozenset(), lists: bool = False) -> None:
    """Every scalar below an entry as a setting named by its path; those in lists too, by index, when `lists`."""
    if entry is None or not is_mapping(entry.value):
        return
    for child in items(entry.value):
        if child.key in skip:
            continue
        if is_mapping(child.value):
            for leaf in flatten(child.value, f"{prefix}.{child.key}"):
                _add_field(tree, block, leaf, leaf.key, lists)
        else:
            _add_field(tree, block, child, f"{prefix}.{child.key}", lists)


def _add_field(tree: Tree, block: Block, item: Item, key: str, lists: bool) -> None:
    if scalar(item.value) is not None:
        if not is_null(item.value):
            flink_yaml.add(tree, block, item, key)
        return
    if not lists:
        return
    for index, child in enumerate(elements(item.value)[:100]):
        for leaf in flatten(child, f"{key}.{index}"):
            if scalar(leaf.value) is not None:
                flink_yaml.add(tree, block, leaf, leaf.key)
