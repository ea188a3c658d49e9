"""Custom resources of the Flink operators: Apache's, Lyft's FlinkApplication, and Google's (now Spotify's) FlinkCluster.

And Confluent's FlinkApplication (`cmf.confluent.io`, `platform.confluent.io`), which Confluent's manager hands to Apache's operator: its `spec` is a FlinkDeployment's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.lazy import pattern
from shoal.readers import claims, delegate, flink_yaml
from shoal.readers.kubernetes import (
    add_fields,
    argv,
    containers,
    environment,
    flags_with_values,
    name_of,
    read_hidden,
    read_mounts,
    read_plugins,
    words_of,
)
from shoal.readers.yaml_tree import Item, Node, Tree, elements, find, get, is_mapping, is_null, items, scalar
from shoal.text import MASK

if TYPE_CHECKING:
    from shoal.facts import Block
    from shoal.text import Text

KINDS = {
    "FlinkDeployment": "apache",
    "FlinkSessionJob": "apache",
    "FlinkBlueGreenDeployment": "apache",
    "FlinkApplication": "lyft",
    "FlinkCluster": "google",
}
_CONF = {"apache": "flinkConfiguration", "lyft": "flinkConfig", "google": "flinkProperties"}
# Read by other means, or not options of the resource itself.
_SKIP = frozenset({"flinkConfiguration", "flinkConfig", "flinkProperties", "logConfiguration", "podTemplate", "template"})
_VERSION = pattern(r"v?(\d+)[._](\d+)(?:[._](\d+))?$")


# The fields in the operator's definitions up to 1.15, those of a job apart, whose values are settings.
_PARTS = {
    "jobManager": frozenset({"resource", "resources", "replicas", "podTemplate"}),
    "taskManager": frozenset({"resource", "resources", "replicas", "podTemplate"}),
    "ingress": frozenset({"annotations", "className", "labels", "template", "tls"}),
    "resource": frozenset({"cpu", "memory", "ephemeralStorage"}),
    "resources": frozenset({"claims", "limits", "requests"}),
}
_FIELDS = {
    "FlinkSessionJob": frozenset({"deploymentName", "job", "flinkConfiguration", "restartNonce"}),
    "FlinkDeployment": frozenset(
        {
            *("image", "imagePullPolicy", "serviceAccount", "flinkVersion", "ingress", "podTemplate", "jobManager", "taskManager"),
            *("logConfiguration", "mode", "flinkConfiguration", "job", "restartNonce"),
        }
    ),
}
_PROGRAM = pattern(r"\bpython[\d.]*\s+(?:-[a-zA-Z]\s+)*?(?:-m\s+([\w.]+)|([\w./-]+\.py))")


def read(tree: Tree, root: Node, kind: str) -> None:
    """One resource as a block with its conf, its fields as `spec.…`, what it runs, and what backs its paths."""
    spec_item = find(root, "spec")
    if kind not in KINDS or spec_item is None or not is_mapping(spec_item.value):
        return
    if kind == "FlinkBlueGreenDeployment":
        inner = find(spec_item.value, "template", "spec")
        if inner is not None and is_mapping(inner.value):
            spec_item = inner
    # an environment of Confluent's may have defaults that win over the application's
    confluent = "confluent.io/" in (scalar(get(root, "apiVersion")) or "")
    operator = "apache" if confluent else KINDS[kind]
    spec = spec_item.value
    conf = find(spec, _CONF[operator])
    version = find(spec, "flinkVersion")
    image = find(spec, "image") if operator != "google" else find(spec, "image", "name")
    # … and IBM's operator, which asks for its licence among the options, fills in version and image
    ibms = conf is not None and any(item.key == "license.accept" for item in items(conf.value))
    opened = confluent or tree.hidden(spec_item) or (kind != "FlinkSessionJob" and version is None and image is None and not ibms)
    opened = opened or any(MASK in item.key for item in items(spec))
    if conf is not None:  # in Terraform a variable, or what a variable is merged into
        opened = opened or MASK in (scalar(conf.value) or "") or any(MASK in item.key for item in items(conf.value))
    traits = _traits(tree, root, spec, kind, operator)
    role = "sessionjob" if kind == "FlinkSessionJob" else "deployment"
    place = tree.key(conf) if conf is not None else tree.key(find(root, "kind") or spec_item)
    block = tree.out.block("flink", role, "manifest", place, name_of(tree, root), traits=traits, open=opened)
    if conf is not None:
        flink_yaml.read_map(tree, conf.value, block)
        if text := scalar(conf.value):
            _read_text_conf(tree, conf, text, block)
    add_fields(tree, block, spec_item, "spec", _SKIP)
    for pod in _pods(spec):
        for container in containers(pod):
            read_plugins(tree, environment(tree, container), block)
    _read_emr(tree, spec, block)
    if operator == "apache" and not confluent and find(spec, "emrReleaseLabel") is None:  # whose definitions have fields of their own
        _read_fields(tree, spec, _FIELDS.get(kind, _FIELDS["FlinkDeployment"]), "spec", block)
    if version is not None and (match := _VERSION.match(scalar(version.value) or "")):
        tree.out.dependency("field", "flink", ".".join(part for part in match.groups() if part), tree.span(version.value), block=block)
    if image is not None and (ref := scalar(image.value)):
        tag = scalar(get(spec, "imageTag")) if operator == "lyft" else None
        delegate.image(f"{ref}:{tag}" if tag else ref, tree.span(image.value), tree.out, block)
    _read_templates(tree, spec, block, operator)
    claims.read_shared(tree, root, spec)
    _read_job(tree, spec, block, operator)


def _read_fields(tree: Tree, node: Node, known: frozenset[str], path: str, block: Block) -> None:
    """An oddity for each field that the definitions do not have: the API server drops it, with all that is in it."""
    for item in items(node):
        name = item.key
        if MASK in name or name.startswith("x-"):
            continue
        if name not in known:
            tree.out.oddity("no-such-field", f"{path}.{name}", tree.key(item), "", block)
        elif name in _PARTS and is_mapping(item.value):
            _read_fields(tree, item.value, _PARTS[name], f"{path}.{name}", block)


def _traits(tree: Tree, root: Node, spec: Node, kind: str, operator: str) -> tuple[tuple[str, str], ...]:
    traits = [("kind", kind), ("apiVersion", scalar(get(root, "apiVersion")) or ""), ("operator", operator)]
    for trait, node in (
        ("mode", get(spec, "mode")),
        ("flinkVersion", get(spec, "flinkVersion")),
        ("namespace", get(root, "metadata", "namespace")),
    ):
        if (value := scalar(node)) and MASK not in value:
            traits.append((trait, value))
    for pod in _pods(spec):
        if (scalar(get(pod, "hostNetwork")) or "false").lower() != "false" or any(
            scalar(get(one, "name")) != "flink-main-container" for one in containers(pod)
        ):
            traits.append(("shared", "true"))  # something else may answer at localhost
        for container in containers(pod):
            plugins = environment(tree, container).get("ENABLE_BUILT_IN_PLUGINS")
            if plugins:
                traits.append(("plugins", plugins[1].text))
    return tuple(traits)


def _pods(spec: Node) -> list[Node]:
    paths = (("podTemplate",), ("jobManager", "podTemplate"), ("taskManager", "podTemplate"))
    return [pod for path in paths if (pod := get(spec, *path, "spec")) is not None]


def _read_text_conf(tree: Tree, conf: Item, text: str, block: Block) -> None:
    if ": " in text:
        from shoal.readers.conf_text import read_legacy

        read_legacy(tree.value(conf.value), tree.out, block)


def _read_emr(tree: Tree, spec: Node, block: Block) -> None:
    """Amazon EMR's operator makes options of two fields that Apache's does not have."""
    enabled = find(spec, "jobManager", "highAvailabilityEnabled")
    if find(spec, "emrReleaseLabel") is None or enabled is None or (scalar(enabled.value) or "").lower() != "true":
        return
    tree.out.setting(block, "high-availability.type", "kubernetes", tree.key(enabled), tree.span(enabled.value))
    folder = find(spec, "jobManager", "storageDir")
    if folder is not None and (path := scalar(folder.value)):
        tree.out.setting(block, "high-availability.storageDir", path, tree.key(folder), tree.span(folder.value))


def _read_templates(tree: Tree, spec: Node, block: Block, operator: str) -> None:
    for pod in _pods(spec):
        # volumes of the common template serve the containers of the special ones too
        read_mounts(tree, pod, block, volumes=get(spec, "podTemplate", "spec", "volumes"))
        for container in containers(pod):
            image = find(container, "image")
            if image is not None and (ref := scalar(image.value)):
                delegate.image(ref, tree.span(image.value), tree.out, block)
            delegate.scripts((value for _, value in environment(tree, container).values()), tree.out, block)
            read_hidden(tree, _pods(spec), container, "flink" if scalar(get(container, "name")) == "flink-main-container" else "", block)
        for container in elements(get(pod, "initContainers")):
            for word, text in argv(tree, container):
                if ".jar" in word:  # fetched into a volume of the main container
                    delegate.jars(text, tree.out, block)
    if operator == "apache" and len(_pods(spec)) == 1 and not block.open:  # several are merged
        for container in containers(_pods(spec)[0]):
            named = find(container, "name")
            if named is not None and find(container, "image") is None:
                name = scalar(named.value) or ""
                if name and name != "flink-main-container" and MASK not in name:
                    tree.out.oddity("container-without-image", name, tree.span(named.value), "", block)
    if operator == "lyft":
        read_mounts(tree, spec, block, only=[spec])
    elif operator == "google":
        for part in ("jobManager", "taskManager", "job"):
            node = get(spec, part)
            if is_mapping(node) and node is not None:
                read_mounts(tree, node, block, only=[node, *elements(get(node, "sidecars"))])


def _read_job(tree: Tree, spec: Node, block: Block, operator: str) -> None:
    if operator == "lyft":
        jar, entry_class, args = find(spec, "jarName"), find(spec, "entryClass"), find(spec, "programArgs")
    elif operator == "google":
        jar = find(spec, "job", "jarFile") or find(spec, "job", "pyFile") or find(spec, "job", "pythonFile")
        entry_class, args = find(spec, "job", "className"), find(spec, "job", "args")
    else:
        jar, entry_class, args = find(spec, "job", "jarURI"), find(spec, "job", "entryClass"), find(spec, "job", "args")
    words = words_of(tree, args.value if args is not None else None)
    if not _driver(tree, entry_class, words, args, block):
        entry(tree, jar, entry_class, words, block)
        flags_with_values(tree, words, block)
    delegate.arguments(words, tree.out, block)
    delegate.scripts((text for _, text in words), tree.out, block)
    if args is not None and scalar(args.value) and not is_null(args.value):
        delegate.command(tree.value(args.value), tree.out, block)


def _driver(tree: Tree, entry_class: Item | None, words: list[tuple[str, Text]], args: Item | None, block: Block) -> bool:
    """The Python program that Beam's entry point for Flink starts (`--driver-cmd`); False for any other class."""
    if entry_class is None or not (scalar(entry_class.value) or "").endswith(".FlinkPortableClientEntryPoint"):
        return False
    whole = [tree.value(args.value)] if args is not None and scalar(args.value) else []
    for text in (*whole, *(text for _, text in words)):
        if found := _PROGRAM.search(text.text):
            group = 1 if found.group(1) else 2
            tree.out.entry("python", found.group(group), (), text.span(*found.span(group)), block)
            return True
    return False


def entry(tree: Tree, jar: Item | None, entry_class: Item | None, words: list[tuple[str, Text]], block: Block) -> None:
    """What a job runs: the Python file or module its arguments name, else the jar and the class."""
    texts = tuple(word for word, _ in words)
    for index, (word, text) in enumerate(words):
        if word in ("-py", "--python", "-pym", "--pyModule") and index + 1 < len(words):
            target, where = words[index + 1]
            tree.out.entry("python", target, texts, where.span(0, len(target)), block)
            return
        if word.endswith(".sql"):
            tree.out.entry("sql", word, texts, text.span(0, len(word)), block)
    uri = scalar(jar.value) if jar is not None else None
    if jar is not None and uri:
        tree.out.entry("python" if uri.endswith(".py") else "jar", uri, texts, tree.span(jar.value), block)
        delegate.jars(tree.value(jar.value), tree.out, block)
    if entry_class is not None and not (uri or "").endswith(".py") and (name := scalar(entry_class.value)):
        tree.out.entry("class", name, texts, tree.span(entry_class.value), block)
