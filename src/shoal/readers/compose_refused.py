"""What docker compose refuses: a key that it does not know, and in a file that it is given alone a service that waits for one that there is not, one port of the host for two of them,
and networks and volumes that nothing declares.

And a health check that it takes, and that does not do what is written there.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from shoal.lazy import pattern
from shoal.readers import kafka_tools, zookeeper
from shoal.readers.compose_service import changes, resolved, volumes
from shoal.readers.yaml_tree import Item, Node, Tree, elements, get, is_mapping, is_sequence, items, scalar
from shoal.text import MASK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shoal.model import Span

# The names that compose looks for; any other file is given with -f, often beside these.
_ALONE = pattern(r"(?:^|[\\/])(?:docker-)?compose\.ya?ml$")
_DECLARED = pattern(r"[A-Za-z0-9][\w.-]+")  # no path, and nothing that is filled in
_COMPOSE = pattern(r"compose[^\\/]*\.ya?ml$")
# All that may stand in a file and in a service, beside `x-…`; of the older formats what compose still takes.
# Source: compose-spec.json of the Compose specification.
_OF_FILE = frozenset({"version", "services", "networks", "volumes", "configs", "secrets", "name", "include", "models"})
_KEYS = (
    "annotations attach blkio_config build cap_add cap_drop cgroup cgroup_parent command configs container_name cpu_count cpu_percent cpu_period cpu_quota "
    "cpu_rt_period cpu_rt_runtime cpu_shares cpus cpuset credential_spec depends_on deploy develop device_cgroup_rules devices dns dns_opt dns_search domainname "
    "entrypoint env_file environment expose extends external_links extra_hosts gpus group_add healthcheck hostname image init ipc isolation label_file labels "
    "links logging mac_address mem_limit mem_reservation mem_swappiness memswap_limit models network_mode networks oom_kill_disable oom_score_adj pid pids_limit "
    "platform ports post_start pre_stop privileged profiles provider pull_policy pull_refresh_after read_only restart runtime scale secrets security_opt shm_size "
    "stdin_open stop_grace_period stop_signal storage_opt sysctls tmpfs tty ulimits use_api_socket user userns_mode uts volume_driver volumes volumes_from "
    "working_dir"
)
_OF_SERVICE = frozenset(_KEYS.split())
_WORD = pattern(r"[a-z]{3,}")
# Words of names that say nothing of the service.
_COMMON = frozenset(
    [
        "data",
        "volume",
        "volumes",
        "vol",
        "storage",
        "store",
        "logs",
        "log",
        "config",
        "conf",
        "server",
        "service",
        "database",
        "persistent",
        "shared",
        "network",
    ]
)
# Files and folders that set a service up, and hold nothing of what it writes.
_OF_SETUP = pattern(r"initdb|/etc/|/config(?:/|$)|\.[a-z]{2,10}$")
# What is mounted and where, `./jobs:/opt/jobs:ro`.
_MOUNT = pattern(r"(?:\.{0,2}/|~/|\$\{?\w+\}?/|[A-Za-z][\w.-]*(?=:))[^\s:=]*:/(?!/)[^\s:=]*(?::\w+)?")
_PORT = pattern(r"(?:(?P<address>[\d.]+|\[[\da-fA-F:]+\]):)?(?P<port>\d{1,5}):\d{1,5}(?:/(?P<protocol>tcp|udp))?")


def _called_nearly(service: Item, name: str) -> bool:
    """Whether a service is called nearly so, or has that name for its container or host: `mongo_1` and `mongo1`, `kafka` and `kafka-broker`."""

    def plain(text: str) -> str:
        return re.sub(r"[^a-z]", "", text.lower())

    if _swapped(service.key, name):
        return True
    one, other = plain(service.key), plain(name)
    begins = min(len(one), len(other)) >= 3 and (one.startswith(other) or other.startswith(one))
    return begins or (is_mapping(service.value) and any(scalar(get(service.value, key)) == name for key in ("container_name", "hostname")))


def _swapped(one: str, other: str) -> bool:
    """Whether two names differ in two neighbours that changed places: `kakfa` and `kafka`."""
    apart = [at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]]
    return len(one) == len(other) >= 4 and len(apart) == 2 and apart[1] == apart[0] + 1 and sorted(one) == sorted(other)


def _read_misspelt(tree: Tree, services: list[Item]) -> None:
    """In a file that may be given together with others: a service that waits for one whose name has two letters of another one's swapped."""
    names = {service.key for service in services}
    for service in services:
        for name, span in _awaited(tree, service.value) if is_mapping(service.value) else ():
            meant = next((one for one in services if _swapped(one.key, name)), None) if name and name not in names else None
            if meant is not None:
                related = (tree.out.place(tree.key(meant), "related", "or this one"),)
                tree.out.oddity("service-not-in-compose", name, span, service.key, related=related)


def read_refused(tree: Tree, root: Node, services: list[Item]) -> None:
    if not _ALONE.search(tree.out.path) or get(root, "include") is not None:
        _read_misspelt(tree, services)
        read_ports(tree, services)
        return
    names = {service.key for service in services}
    for service in services:
        if not is_mapping(service.value) or get(service.value, "extends") is not None:
            continue
        for name, span in _awaited(tree, service.value):
            if name and name not in names and MASK not in name and "$" not in name:
                related = tuple(tree.out.place(tree.key(one), "related", "or this one") for one in services if _called_nearly(one, name))
                tree.out.oddity("service-not-in-compose", name, span, service.key, related=related[:1])
    read_ports(tree, services)
    _read_undeclared(tree, root, services)


def _read_undeclared(tree: Tree, root: Node, services: list[Item]) -> None:
    """Networks and volumes that services name and the file does not declare, each at the first service that names it."""
    for kind in ("networks", "volumes"):
        top = get(root, kind)
        declared = {item.key for item in items(top)} if is_mapping(top) else set()
        found: dict[str, list[tuple[Item, Node]]] = {}
        for service in services:
            for name, node in _named(service.value, kind) if is_mapping(service.value) else ():
                if name not in declared and _DECLARED.fullmatch(name):
                    found.setdefault(name, []).append((service, node))
        for name, ((first, node), *others) in found.items():
            related = tuple(tree.out.place(tree.span(other), "related", f"{service.key}, too") for service, other in others[:9])
            tree.out.oddity("undeclared-in-compose", f"{kind[:-1]} {name}", tree.span(node), first.key, related=related)


def _named(service: Node, kind: str) -> Iterator[tuple[str, Node]]:
    """The networks of a service, or the volumes that it names; folders of the host are none."""
    entry = get(service, kind)
    if kind == "networks" and is_mapping(entry):
        yield from ((item.key, item.key_node) for item in items(entry) if item.key != "default")
        return
    for node in elements(entry)[:100]:
        text = scalar(node)
        if kind == "networks":
            name = text or ""
        elif text is not None:
            name = text.split(":")[0] if re.match(r"[^:]+:/", text) else ""
        else:
            name = (scalar(get(node, "source")) or "") if (scalar(get(node, "type")) or "") == "volume" else ""
        if name and name != "default":
            yield name, node


def _is_whole(service: Item) -> bool:
    return is_mapping(service.value) and any(get(service.value, key) is not None for key in ("image", "build"))


def read_ports(tree: Tree, services: list[Item]) -> None:
    """Ports of the host that two services publish; in files that may be given together with others (which adds to what is published) those of whole ones."""
    taken: dict[tuple[str, str, str], tuple[Item, Span]] = {}
    alone = _ALONE.search(tree.out.path) is not None
    for service in services:
        if not is_mapping(service.value) or get(service.value, "extends") is not None or not (alone or _is_whole(service)):
            continue
        if get(service.value, "profiles") is not None or get(service.value, "network_mode") is not None:
            continue
        for node in elements(get(service.value, "ports"))[:100]:
            found = _PORT.fullmatch((scalar(node) or "").strip())
            if found is None:
                continue
            key = (found["address"] or "0.0.0.0", found["port"], found["protocol"] or "tcp")
            first, span = taken.setdefault(key, (service, tree.span(node)))
            if first is not service:
                related = (tree.out.place(span, "related", f"{first.key} has it"),)
                tree.out.oddity("host-port-of-two-services", found["port"], tree.span(node), first.key, related=related)


def _alike(words: set[str], others: set[str]) -> bool:
    """Whether one of the words is one of the others, two letters of it swapped or one wrong, perhaps."""
    if words & others:
        return True
    from difflib import SequenceMatcher

    return any(len(one) > 4 and SequenceMatcher(None, one, other).ratio() >= 0.8 for one in words for other in others)


def read_misplaced(tree: Tree, services: list[Item]) -> None:
    """Volumes in the list of a service's variables."""
    for service in services:
        for element in elements(get(service.value, "environment") if is_mapping(service.value) else None)[:500]:
            if (text := scalar(element)) is not None and _MOUNT.fullmatch(text.strip()):
                tree.out.oddity("volume-among-variables", text.strip(), tree.span(element), service.key)


def read_unmounted(tree: Tree, root: Node, services: list[Item]) -> None:
    """Volumes that the file declares and no service of it mounts, and that are called like a service which mounts nothing for its data."""
    nodes = [service.value for service in services]
    if not _ALONE.search(tree.out.path) or get(root, "include") is not None or any(changes(node) for node in nodes if is_mapping(node)):
        return
    declared = [item for item in items(get(root, "volumes")) if MASK not in item.key and "$" not in item.key]
    if not declared or any(get(node, "volumes_from") is not None for node in nodes if is_mapping(node)):
        return
    named = {name for node in nodes if is_mapping(node) for kind, _, name, _ in volumes(tree, node) if kind != "bind"}
    for item in declared:
        if item.key in named or get(item.value, "external") is not None:
            continue
        words = set(_WORD.findall(item.key.lower()))
        for service in services:
            node = service.value
            if not is_mapping(node) or tree.hidden(service):
                continue
            names = {word for name in (service.key, scalar(get(node, "container_name")) or "") for word in _WORD.findall(name.lower())}
            if _alike(words - _COMMON, names - _COMMON) and all(
                kind == "bind" and _OF_SETUP.search(path) for kind, path, _, _ in volumes(tree, node)
            ):
                place = tree.out.place(tree.key(service), "related", "mounts no volume")
                tree.out.oddity("volume-never-mounted", item.key, tree.key(item), service.key, related=(place,))
                break


# Official images without a HEALTHCHECK of their own.
_UNCHECKED = pattern(
    r"(?:docker\.io/)?(?:(?:library/)?(?:zookeeper|flink|postgres|redis|mysql|mongo)|confluentinc/cp-[\w-]+|apache/(?:kafka|flink|spark))(?:[:@].*)?"
)


def read_unchecked(tree: Tree, services: list[Item]) -> None:
    """A service that waits until another one is healthy, of which nothing says when that is: compose gives up at once."""
    named = {service.key: service.value for service in services}
    for service in services if _ALONE.search(tree.out.path) else ():
        for item in items(get(service.value, "depends_on")) if is_mapping(service.value) else ():
            condition, other = get(item.value, "condition"), named.get(item.key)
            if condition is None or scalar(condition) != "service_healthy" or other is None or not is_mapping(other):
                continue
            if any(get(other, key) is not None for key in ("healthcheck", "build", "extends")):
                continue
            if _UNCHECKED.fullmatch(resolved(scalar(get(other, "image")) or "")):
                tree.out.oddity("health-never-checked", item.key, tree.span(condition), service.key)


def read_unknown_keys(tree: Tree, root: Node, services: list[Item]) -> None:
    if not _COMPOSE.search(tree.out.path):
        return
    parts = [("the file", root, _OF_FILE), *((f"service {service.key}", service.value, _OF_SERVICE) for service in services)]
    for where, node, known in parts:
        for item in items(node) if is_mapping(node) else ():
            if item.key not in known and not item.key.startswith(("x-", "<<")) and MASK not in item.key:
                tree.out.oddity("unknown-compose-key", item.key, tree.key(item), where)
    for before, item in pairwise(services):
        if item.key in _OF_SERVICE and not is_mapping(item.value):
            tree.out.oddity("key-among-services", item.key, tree.key(item), before.key)
            break  # what is indented so is all of one service


# What only a shell makes something of.
_SHELL = frozenset({"|", "||", "&&", ";", ">", ">>", "2>&1", ">/dev/null"})


def _read_unanswered(tree: Tree, service: Item, test: Node | None) -> None:
    """A check that waits for an answer which ZooKeeper does not give."""
    if test is None:
        return
    image = resolved(scalar(get(service.value, "image")) or "")
    words = [scalar(test)] if scalar(test) is not None else [scalar(word) for word in elements(test)]
    whole = tree.source[service.value.start_mark.index : service.value.end_mark.index]
    if command := zookeeper.refused(image, whole, " ".join(word or "" for word in words)):
        tree.out.oddity("zookeeper-command-refused", command, tree.span(test), image)


def _read_tools(tree: Tree, service: Item, test: Node | None) -> None:
    """Tools of Kafka that the image of a service does not find, in its check and in what it runs."""
    image = resolved(scalar(get(service.value, "image")) or "") if is_mapping(service.value) else ""
    if "kafka" not in image or get(service.value, "build") is not None:
        return
    checked = [
        (scalar(word) or "", tree.span(word)) for word in (elements(test)[1:] if is_sequence(test) else [test] if test is not None else [])
    ]
    kafka_tools.read(tree, image, checked)
    started = [node for key in ("entrypoint", "command") if (node := get(service.value, key)) is not None]
    words = [(scalar(word) or "", tree.span(word)) for node in started for word in (elements(node) if is_sequence(node) else [node])]
    kafka_tools.read(tree, image, words)


def read_health_checks(tree: Tree, services: list[Item]) -> None:
    """`test: ["CMD", …]` runs a program without a shell: it is given `||` and `|` as arguments, and what stands behind them."""
    for service in services:
        test = get(get(service.value, "healthcheck"), "test") if is_mapping(service.value) else None
        _read_unanswered(tree, service, test)
        _read_tools(tree, service, test)
        words = elements(test) if is_sequence(test) else []
        if len(words) < 3 or scalar(words[0]) != "CMD":
            continue
        mark = next((node for node in words[2:] if (scalar(node) or "").strip() in _SHELL), None)
        if mark is not None:
            program = (scalar(words[1]) or "").rsplit("/", 1)[-1]
            always = ", which always succeeds, and the service counts as healthy whatever becomes of it"
            other = ", and the check is another than is written here"
            tree.out.oddity(
                "health-check-without-shell",
                (scalar(mark) or "").strip(),
                tree.span(mark),
                program + (always if program in ("echo", "true") else other),
            )


def _awaited(tree: Tree, service: Node) -> list[tuple[str, Span]]:
    """The services that one depends on, but for those that it can do without."""
    node = get(service, "depends_on")
    if is_sequence(node):
        return [(scalar(one) or "", tree.span(one)) for one in elements(node)]
    return [(item.key, tree.key(item)) for item in items(node) if scalar(get(item.value, "required")) != "false"]
