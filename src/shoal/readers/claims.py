"""Claims of storage that pods of one node alone may mount, and the pods of Flink that share one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.facts import Usage
from shoal.readers.namespaces import namespace_of
from shoal.readers.yaml_tree import elements, find, get, scalar

if TYPE_CHECKING:
    from shoal.facts import Block
    from shoal.readers.yaml_tree import Node, Tree

_ONE_NODE = frozenset({"ReadWriteOnce", "ReadWriteOncePod"})
_MAIN = "flink-main-container"


def read_claim(tree: Tree, root: Node) -> None:
    """`claim-of-one-node` for a claim that asks for nothing more: `namespace/name`, at its access modes."""
    name, modes = scalar(get(root, "metadata", "name")) or "", find(root, "spec", "accessModes")
    asked = {scalar(mode) for mode in elements(modes.value)} if modes is not None else set()
    if modes is not None and name and asked and asked <= _ONE_NODE:
        tree.out.facts.append(Usage("claim-of-one-node", f"{namespace_of(root)}/{name}", tree.out.place(tree.span(modes.value))))


def read_shared(tree: Tree, root: Node, spec: Node) -> None:
    """`claim-mounted` for a claim in the template of both a JobManager and its TaskManagers: `namespace/name/roles`."""
    pod = get(spec, "podTemplate", "spec")
    for container in elements(get(pod, "containers")):
        if scalar(get(container, "name")) == _MAIN:
            _add(tree, root, pod, container, "jobmanager taskmanager")


def read_mounted(tree: Tree, root: Node, pod: Node | None, container: Node, block: Block) -> None:
    """The same for a container of a workload."""
    role = block.trait("role")
    if block.engine == "flink" and role in ("jobmanager", "taskmanager"):
        _add(tree, root, pod, container, role)


def _add(tree: Tree, root: Node, pod: Node | None, container: Node, roles: str) -> None:
    used = {scalar(get(mount, "name")) for mount in elements(get(container, "volumeMounts"))}
    for volume in elements(get(pod, "volumes")):
        claim = find(volume, "persistentVolumeClaim", "claimName")
        if claim is not None and scalar(get(volume, "name")) in used and (name := scalar(claim.value)):
            detail = f"{namespace_of(root)}/{name}/{roles}"
            tree.out.facts.append(Usage("claim-mounted", detail, tree.out.place(tree.span(claim.value))))
