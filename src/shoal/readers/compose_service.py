"""What a service of a docker-compose file says, whatever runs in it: its names, words, variables and volumes."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from shoal.facts import value_of
from shoal.lazy import pattern
from shoal.model import Span
from shoal.readers.yaml_tree import Item, Node, Tree, elements, find, get, is_mapping, is_null, is_sequence, items, scalar
from shoal.records import NamedTuple
from shoal.text import MASK

if TYPE_CHECKING:
    from shoal.text import Text

_FLINK_KEY = pattern(r"(?:jobmanager|taskmanager|state|execution|parallelism|rest|high-availability|restart-strategy)\.[\w.\-]+: ")
# What gives a service names of others that the file does not know as theirs, or may.
_MORE_NAMES = ("extends", "extra_hosts", "links", "external_links", "dns", "dns_search", "network_mode")


class Variable(NamedTuple):
    name: str
    value: Text
    key_span: Span
    node: Node  # the scalar that holds the value, or the whole element in list form
    listed: bool


def changes(service: Node) -> bool:
    """Whether a service changes one that another file holds, so that names and services may be known there."""
    return not any(get(service, key) is not None for key in ("image", "build", "extends"))


def restart(service: Node) -> str:
    return scalar(get(service, "restart")) or scalar(get(service, "deploy", "restart_policy", "condition")) or ""


def has_own_localhost(service: Node) -> bool:
    """Whether `localhost` is the container itself: no network of another's, and no other address that the file gives the name."""
    hosts = get(service, "extra_hosts")
    named = [item.key for item in items(hosts)] if hosts is not None and is_mapping(hosts) else words(hosts)
    return get(service, "network_mode") is None and not any(re.match(r"localhost(?:[:=]|$)", host) for host in named)


def built(build: Node) -> tuple[str, str] | None:
    """The context that an image is built from, and the path of its Dockerfile; None where they cannot be known."""
    context = get(build, "context") if is_mapping(build) else build
    folder = (scalar(context) or "") if context is not None else "."
    file = scalar(get(build, "dockerfile")) or "Dockerfile" if is_mapping(build) else "Dockerfile"
    if not folder or "://" in folder or "$" in folder + file or MASK in folder + file or get(build, "dockerfile_inline") is not None:
        return None
    return folder, posixpath.normpath(posixpath.join(folder, file))


def resolved(ref: str) -> str:
    """An image reference with the defaults of its variables."""
    value, _ = value_of(ref)
    return value if isinstance(value, str) else ref


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


def limit(service: Node) -> Item | None:
    """How much memory the service's containers may use."""
    return find(service, "mem_limit") or find(service, "deploy", "resources", "limits", "memory")


def hosts(key: str, service: Node) -> dict[str, None]:
    """The names by which other services come to the one that the file calls `key`."""
    networks = get(service, "networks")
    joined = items(networks) if networks is not None and is_mapping(networks) else []
    aliases = [scalar(alias) for network in joined for alias in elements(get(network.value, "aliases"))]
    return dict.fromkeys(filter(None, (key, *(scalar(get(service, name)) for name in ("container_name", "hostname")), *aliases)))


def networks(root: Node, service: Node) -> set[str]:
    """The networks of its file that a service is on; none where they cannot be told."""
    if any(get(service, key) is not None for key in ("extends", "network_mode")):
        return set()
    joined = get(service, "networks")
    if joined is None:
        return {"default"}
    named = [item.key for item in items(joined)] if is_mapping(joined) else words(joined)
    # two keys may be one network
    return {scalar(get(root, "networks", name, "name")) or name for name in named}


def neighbours(service: Item, known: str, hidden: bool) -> str:
    """The names of all services, where a name that is none of these means nothing to this one; empty where others may."""
    told = [(key, node) for key in _MORE_NAMES if (node := get(service.value, key)) is not None]
    return "" if hidden or any(key != "links" or not _plain_links(node) for key, node in told) else known


def _plain_links(node: Node) -> bool:
    """Whether `links` gives no other names than services have: none of the form `SERVICE:ALIAS`."""
    return is_sequence(node) and all(one is not None and ":" not in one for one in map(scalar, elements(node)))


def said(node: Node, level: int = 0) -> str:
    """All that a service says, a line for each scalar, what it takes from anchors included."""
    if is_mapping(node) and level < 8:
        return "\n".join(f"{item.key}: {said(item.value, level + 1)}" for item in items(node)[:500])
    if is_sequence(node) and level < 8:
        return "\n".join(said(one, level + 1) for one in elements(node)[:500])
    return scalar(node) or ""


def words(node: Node | None) -> list[str]:
    if node is None:
        return []
    if is_sequence(node):
        return [word for child in elements(node)[:500] if (word := scalar(child)) is not None]
    return (scalar(node) or "").split()


def texts(tree: Tree, service: Node) -> list[Text]:
    """The scalars of what a service starts."""
    found = filter(None, (get(service, key) for key in ("entrypoint", "command")))
    nodes = [one for node in found for one in (elements(node)[:500] if is_sequence(node) else [node])]
    return [tree.value(one) for one in nodes if scalar(one) is not None]


def volumes(tree: Tree, service: Node) -> list[tuple[str, str, str, Span]]:
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
        if len(parts) > 2 and len(parts[0]) == 1 and parts[0].isalpha():  # a drive letter
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
