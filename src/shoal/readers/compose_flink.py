"""Services of docker-compose files that run Flink, or submit jobs to it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from shoal.facts import Block, Usage
from shoal.lazy import pattern
from shoal.model import Edit, Span
from shoal.readers import compose_service, flink_client
from shoal.readers.engine_files import is_conf_path
from shoal.readers.kubernetes import CONF, entry_point, flink_role
from shoal.readers.yaml_tree import Item, Node, Tree, elements, find, get, items, scalar

if TYPE_CHECKING:
    from shoal.facts import Fact

# A command that puts the text of another file into Flink's configuration.
_FILLS_CONF = pattern(r"\b(?:cat|cp|mv|sed|envsubst|yq)\b[^&;|]*\b(?:flink-conf|config)\.ya?ml")
_PLAIN = pattern(r"(?:docker\.io/)?(?:library/|apache/)?flink:")
_ADDRESS = pattern(r"(?i)rpc[._]address|high-availability")
_INSTALLS = pattern(r"\b(?:pip3?|apt|apt-get|apk|conda|mamba|uv|yum|microdnf)\s.*\b(?:install|add)\b", re.DOTALL)
_ASIDE = pattern(r"/opt/flink/(?!conf)")  # a folder of Flink's image from which it reads no options
# Folders that the image has, and Flink may write into: a new volume there gets their owner.
_OWN = pattern(r"/(?:var/)?tmp/?|/opt/flink(?:/(?:bin|conf|examples|lib|licenses|log|opt|plugins))?/?")
# Images whose entry point starts another command than its own, `jobmanager.sh` say, as root (flink-docker before FLINK-20650).
_BEFORE_PASS_THROUGH = pattern(r"[\w./-]*flink:1\.(?:\d|1[01])(?!\d)")
_UNSPACED = pattern(r"(?m)^[ \t]*([a-z][\w-]*(?:\.[\w-]+)+:(?!//)[^\s:][^\s:]*)[ \t]*\r?$")
_READ_ONLY = pattern(r":([^:\s]+):(?:[\w,]*,)?ro(?:,[\w,]*)?$")


def role_by_name(name: str) -> str:
    plain = re.sub(r"[-_]", "", name.lower())
    return next((role for role in ("jobmanager", "taskmanager") if role in plain), "")


def block_of(
    tree: Tree, service: Item, known: str, role: str, by_name: dict[str, compose_service.Variable], words: list[str], ref: str
) -> Block:
    node = service.value
    traits = [("standalone", "true")]
    traits.append(("hosts", " ".join(compose_service.hosts(service.key, node))))
    plain = _PLAIN.match(ref) is not None and words[:1] == [role] and get(node, "build") is None
    if plain and not _ADDRESS.search(compose_service.said(node)):
        # what the image's entry point takes for the JobManager's address where nothing gives one: `hostname -f`, the container's id at first
        traits.append(("names-itself", scalar(get(node, "hostname")) or "-"))
    if role:
        traits.append(("role", role))
    if restart := compose_service.restart(node):
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
    if names := compose_service.neighbours(service, known, tree.hidden(service)):
        traits.append(("neighbours", names))
    conf = any(
        is_conf_path(target) and not (_ASIDE.match(target) and "FLINK_CONF_DIR" not in by_name and "onf" not in "".join(words))
        for _, target, _, _ in compose_service.volumes(tree, node)
    )
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
    if slots := by_name.get("TASK_MANAGER_NUMBER_OF_TASK_SLOTS"):
        tree.out.setting(
            block, "taskmanager.numberOfTaskSlots", slots.value.text, slots.key_span, slots.value.span(0, len(slots.value.text))
        )
    limit = compose_service.limit(node)
    if limit is not None and (text := scalar(limit.value)):
        tree.out.setting(block, "spec.memory-limit", text, tree.key(limit), tree.span(limit.value))
    return block


def read_properties(tree: Tree, properties: compose_service.Variable | None, odd: list[tuple[Node, str]], ref: str, block: Block) -> None:
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


def read_unspaced(tree: Tree, node: Node, properties: compose_service.Variable, block: Block) -> None:
    """Lines without a blank behind the colon, of a service whose image is built: the Flink that the Dockerfile names may drop them."""
    build = get(node, "build")
    built = compose_service.built(build) if build is not None else None
    for line in _UNSPACED.finditer(properties.value.text) if built is not None else ():
        tree.out.oddity("line-without-blank", line.group(1), properties.value.span(*line.span(1)), built[1] if built else "", block)


def read_foreign_volumes(tree: Tree, root: Node, services: list[Item], blocks: dict[str, str]) -> None:
    """A usage for each path at which containers of Flink's own image, and no others, mount a volume where the image has no folder.

    Docker makes such a volume root's, and the image's entry point runs Flink as a user of its own. `blocks`: ids by the names of services.
    """
    mounts: dict[str, list[tuple[Item, str, Span]]] = {}
    for service in services:
        for kind, path, name, span in compose_service.volumes(tree, service.value):
            if kind == "named":
                mounts.setdefault(name, []).append((service, path, span))
    for name, found in mounts.items():
        declared = find(root, "volumes", name)
        if declared is None or items(declared.value) or not all(_runs_as_flink(tree, service) for service, _, _ in found):
            continue
        for service, path, span in found:
            if not _OWN.fullmatch(path) and service.key in blocks:
                tree.out.facts.append(Usage("volume-of-root", path.rstrip("/"), tree.out.place(span), blocks[service.key]))


def _runs_as_flink(tree: Tree, service: Item) -> bool:
    """Whether nothing but the entry point of Flink's own image starts a container."""
    node = service.value
    image = compose_service.resolved(scalar(get(node, "image")) or "")
    others = ("build", "user", "entrypoint", "extends", "volumes_from", "post_start")
    if _PLAIN.match(image) is None or tree.hidden(service) or any(get(node, key) is not None for key in others):
        return False
    command = compose_service.words(get(node, "command"))
    return not _BEFORE_PASS_THROUGH.match(image) or command[:1] in (["jobmanager"], ["taskmanager"], ["standalone-job"])


def _rows(tree: Tree, node: Node) -> int:
    """Lines with content that a block scalar was written on."""
    raw = tree.source[node.start_mark.index : node.end_mark.index]
    return sum(1 for line in raw.split("\n")[1:] if line.strip())


def _offer_own_elements(tree: Tree, properties: compose_service.Variable, before: int) -> None:
    """Give the oddity about environment variables at the end of the block the edits that make them list elements."""
    from shoal.facts import Oddity

    facts = tree.out.facts
    for index in range(before, len(facts)):
        fact = facts[index]
        if isinstance(fact, Oddity) and fact.kind == "env-var-inside-flink-properties":
            facts[index] = fact._replace(edits=_own_elements(tree, properties, fact.place.span.start))


def _own_elements(tree: Tree, properties: compose_service.Variable, start: int) -> tuple[Edit, ...]:
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


def read_client(
    tree: Tree,
    service: Item,
    services: dict[str, Node],
    ref: str,
    variables: list[compose_service.Variable],
    words: list[str],
    facts: list[Fact],
) -> None:
    """An oddity for a service that submits a job, or is a TaskManager, and is told nowhere where the JobManager is: another service of the file.

    `detail` names that service, and the Dockerfile of the image, which may say it, with whether the service starts by that image's entry point.
    """
    node = service.value
    if compose_service.changes(node):
        told = flink_client.is_told([" ".join(words)], ((one.name, one.value.text) for one in variables), ())
        if told or get(node, "env_file") is not None or get(node, "volumes") is not None:
            tree.out.facts.append(Usage("jobmanager-told", service.key, tree.out.place(tree.key(service))))
        return
    run = flink_client.untold(facts)
    works = get(node, "entrypoint") is None and words[:1] == ["taskmanager"]
    if run is None and not works:
        return
    masters = [
        name
        for name, other in services.items()
        if name != service.key and flink_role(compose_service.words(get(other, "command"))) == "jobmanager"
    ]
    if not masters or any(get(node, key) is not None for key in ("network_mode", "env_file", "extends", "volumes_from")):
        return
    # a TaskManager has properties of its own as a rule, without which it would not be told either
    hints = [
        ("" if works and one.name == "FLINK_PROPERTIES" and "$" not in one.value.text else one.name, one.value.text) for one in variables
    ]
    if tree.hidden(service) or flink_client.is_told(
        [" ".join(words)], hints, (path for _, path, _, _ in compose_service.volumes(tree, node))
    ):
        return
    build = get(node, "build")
    built = compose_service.built(build) if build is not None else None
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


def read_unwritable_conf(tree: Tree, service: Node, properties: compose_service.Variable, block: Block) -> None:
    """Flink's conf where it is mounted read-only, so that the image's entry point cannot write FLINK_PROPERTIES into it."""
    if get(service, "entrypoint") is not None and "docker-entrypoint" not in " ".join(compose_service.words(get(service, "entrypoint"))):
        return
    for node in elements(get(service, "volumes"))[:500]:
        text = scalar(node)
        target, readonly = scalar(get(node, "target")) if text is None else None, scalar(get(node, "read_only")) if text is None else None
        if text is not None and (match := _READ_ONLY.search(text)):
            target, readonly = match[1], "true"
        if target is not None and readonly == "true" and CONF.search(target):
            related = (tree.out.place(properties.key_span)._replace(label="what is lost"),)
            tree.out.oddity("flink-conf-read-only", target, tree.span(node), block=block, related=related)
