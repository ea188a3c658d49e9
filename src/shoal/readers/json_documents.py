"""JSON: Kafka Connect connectors, EMR and managed-Flink configurations, and all that the YAML readers know, written as JSON.

JSON is read as the YAML it is, by the same composer: the nodes carry exact offsets. Only files that hold an engine's own words are parsed.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from shoal.facts import Block
from shoal.lazy import pattern
from shoal.model import LeftOut
from shoal.text import MASK

if TYPE_CHECKING:
    from shoal.readers import Reading
    from shoal.readers.yaml_tree import Node, Tree
    from shoal.text import Text

_TELLING = pattern(
    r"\"connector\.class\"|\"spark[._]|\"spark-defaults\"|\"flink-conf\"|\"PropertyMap\"|\"bootstrap\.servers\"|\"RuntimeEnvironment\"|\"Application(?:Restore|Snapshot)Configuration|\"apiVersion\"\s*:|flinkConfiguration|"
    r"FLINK_PROPERTIES|--runner|--conf\b|spark-submit|flink run|\"pipeline_task\"|\"(?:edition|serverless)\"\s*:|\"(?:execution|restart-strategy|high-availability|taskmanager|jobmanager|state)\."
)
# Beyond doubt ours: a syntax error in one of these is worth a word.
_OURS = pattern(
    r"\"connector\.class\"|\"Classification\"\s*:\s*\"(?:flink-conf|spark-defaults)\"|\"apiVersion\"\s*:\s*\"[\w.-]*(?:flink|spark|strimzi)[\w.-]*/|"
    r"\"spark_conf\"\s*:\s*\{|\"RuntimeEnvironment\"\s*:\s*\"FLINK"
)
_IGNORED = frozenset(
    {
        "package.json",
        "package-lock.json",
        "composer.json",
        "composer.lock",
        "tsconfig.json",
        "swagger.json",
        "openapi.json",
        "schema.json",
        "renovate.json",
    }
)
# Schemas, notebooks, and what Iceberg keeps of a table: its snapshots name the application that wrote them.
_NOT_OURS = (".schema.json", ".ipynb", ".metadata.json")
# A flow of NiFi, whose processors hand the options of a client on with a grammar of their own (`5 sec`).
_NIFI = pattern(r"\"flowContents\"|org\.apache\.nifi\.")
_SURROGATE = pattern(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_CONTROL = pattern("[\x7f-\x84\x86-\x9f]")
# A line that is taken out as in JavaScript; JSON has no comments, but nothing of it is an option.
_TAKEN_OUT = pattern(r"(?m)^[ \t]*//[^\n]*")
_LARGEST = 5_000_000
# In a script: where an object begins, what matters for where it ends, and what the shell fills in.
_OBJECT = pattern(r"\{\s*\"[\w.-]+\"\s*:")
_TOKEN = pattern(r"\"(?:[^\"\\\n]|\\.)*\"|[{}]")
_SHELL = pattern(r"'\"?\$\{?\w+\}?\"?'|\$\{[A-Z_][A-Z0-9_]*(?::-[^{}\"\n]*)?\}|\$[A-Z_][A-Z0-9_]+\b(?!\.)|\$\([^()\"\n]*\)")
_ESCAPED = pattern(r"\\[\\\"`]")
_OBJECTS = 50
_LARGEST_WITHIN = 50_000
_CLASSIFICATIONS = {"flink-conf": ("flink", "cluster"), "spark-defaults": ("spark", "defaults")}


def read(text: Text, out: Reading) -> None:
    """Read a JSON file, or leave it alone when nothing in it concerns an engine."""
    name = out.path.replace("\\", "/").rsplit("/", 1)[-1].lower()
    if name in _IGNORED or name.endswith(_NOT_OURS) or not _TELLING.search(text.text) or _NIFI.search(text.text):
        return
    if len(text.text) > _LARGEST:
        out.left_out.append(LeftOut(out.path, "too-large", f"{len(text.text)} characters of JSON"))
        return
    from shoal.readers import yaml_documents
    from shoal.readers.yaml_tree import TooMuch, Tree, compose, kind_and_version

    # YAML knows neither surrogates nor C1 controls; as many characters stand in for them
    clean = _CONTROL.sub("\ufffd", _SURROGATE.sub(r"\\ufffd", text.text) if "\\u" in text.text else text.text)
    clean = _TAKEN_OUT.sub(_blank, clean)
    if clean != text.text:
        text = text.compose([(clean, 0)])
    roots, errors = compose(text.text)
    if errors and not text.text.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        read_within(text, out)  # a command that posts it, saved under the name of what it posts
        return
    for error in errors:
        if "nested deeper" in error.message:
            out.problem("too-deep", error.message, text.at(error.offset), "shoal reads at most 1,000 levels")
        elif out.unfinished:
            out.left_out.append(LeftOut(out.path, "template", error.message))
        elif _OURS.search(text.text):
            out.problem("unparsable", f"not valid JSON: {error.message}", text.at(error.offset), "correct the syntax, or exclude the file")
    tree = Tree(text, out)
    before = len(out.facts)
    try:
        for root in roots:
            if kind_and_version(root) is not None or not read_known(tree, root):
                yaml_documents.read_root(tree, root, name)
    except TooMuch:
        out.problem("too-large", "it holds too many values", help="split it, or exclude the file")
    for index in range(before, len(out.facts)):
        fact = out.facts[index]
        if isinstance(fact, Block) and fact.form == "yaml":
            out.facts[index] = fact._replace(form="json")


def read_within(text: Text, out: Reading) -> None:
    """Connectors that a script posts: objects of JSON in its strings and here-documents. What does not parse there is no problem of the script."""
    from shoal.readers.yaml_tree import TooMuch, Tree, compose

    if '\\"connector.class\\"' in text.text:
        text = _in_double_quotes(text)
    whole = text.text
    at = count = 0
    while count < _OBJECTS and (begin := _OBJECT.search(whole, at)) is not None:
        count += 1
        end = _closed(whole, begin.start())
        at = end if end > 0 else begin.end()
        if end < 0 or '"connector.class"' not in whole[begin.start() : end]:
            continue
        if whole[whole.rfind("\n", 0, begin.start()) + 1 : begin.start()].lstrip().startswith("#"):
            continue  # what somebody noted, such as the answer
        body = text.slice(begin.start(), end)
        clean = _TAKEN_OUT.sub(_blank, _SHELL.sub(lambda match: MASK * len(match.group()), body.text))
        if clean != body.text or "\\$" in clean:
            # of an escaped dollar, which JSON does not know, only the dollar reaches Connect
            cuts = [0, *(match.start() for match in re.finditer(r"(?<!\\)\\\$", clean)), len(clean)]
            body = body.compose([(clean[a + (a > 0) : b], a + (a > 0)) for a, b in pairwise(cuts)])
        roots, errors = compose(body.text)
        try:
            for root in roots if not errors else []:
                read_known(Tree(body, out), root)
        except TooMuch:
            return


def _in_double_quotes(text: Text) -> Text:
    """What the shell makes of a text between double quotes, but for its variables: `{\\"name\\": \\"orders\\"}`."""
    parts, at = [], 0
    for escaped in _ESCAPED.finditer(text.text):
        parts.append((text.text[at : escaped.start()], at))
        at = escaped.end() - 1
    return text.compose([*parts, (text.text[at:], at)])


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


def _closed(text: str, start: int) -> int:
    """Where the object that begins here ends; -1 when it does not."""
    depth = 0
    for token in _TOKEN.finditer(text, start, start + _LARGEST_WITHIN):
        depth += {"{": 1, "}": -1}.get(token.group(), 0)
        if depth == 0:
            return token.end()
    return -1


def read_known(tree: Tree, root: Node) -> bool:
    """Read the shapes that only JSON has; True when one was found, so that nothing is read twice."""
    from shoal.readers.yaml_tree import elements, get, is_mapping, is_sequence, items, scalar

    found = False
    stack: list[tuple[Node, str, int]] = [(root, "", 0)]
    seen: set[int] = set()
    while stack:
        node, name, depth = stack.pop()
        if id(node) in seen or depth > 30:
            continue
        seen.add(id(node))
        if is_sequence(node):
            if _arguments(tree, node):
                found = True
                continue
            stack += [(child, name, depth + 1) for child in reversed(elements(node)) if not scalar(child)]
            continue
        if not is_mapping(node):
            continue
        own = scalar(get(node, "name"))
        if get(node, "connector.class") is not None:
            _connector(tree, node, own or name, "named" if get(root, "config") is node else "bare" if node is root else "")
            found = True
        elif (classification := scalar(get(node, "Classification")) or scalar(get(node, "classification"))) is not None:
            found = _classification(tree, node, classification) or found
            stack += [(item.value, name, depth + 1) for item in items(node) if item.key.lower() == "configurations"]
        elif get(node, "bootstrap.servers") is not None and get(node, "offset.storage.topic") is not None:
            _worker(tree, node)
            found = True
        elif scalar(get(node, "--conf")):
            _glue(tree, node)
            found = True
        elif scalar(get(node, "PropertyGroupId")) == "kinesis.analytics.flink.run.options":
            _run_options(tree, node)
        else:
            stack += [
                (item.value, own if own and item.key == "config" else item.key, depth + 1)
                for item in reversed(items(node))
                if scalar(item.value) is None
            ]
    return found


def _connector(tree: Tree, node: Node, name: str, shape: str) -> None:
    """The options of a connector; `shape` says how the file holds them: `named` behind `config`, as Connect wants it to make one, or `bare`, as it does to change one."""
    from shoal.readers import flink_yaml
    from shoal.readers.yaml_tree import find, scalar

    item = find(node, "connector.class")
    if item is None:
        return
    traits = (("class", scalar(item.value) or ""), ("shape", shape))
    block = tree.out.block("kafka-connect", "connector", "json", tree.key(item), name, traits=traits)
    flink_yaml.read_map(tree, node, block)


def _worker(tree: Tree, node: Node) -> None:
    from shoal.readers import flink_yaml
    from shoal.readers.yaml_tree import find

    item = find(node, "bootstrap.servers")
    if item is not None:
        flink_yaml.read_map(tree, node, tree.out.block("kafka-connect", "worker", "json", tree.key(item)))


def _glue(tree: Tree, node: Node) -> None:
    """Arguments of an AWS Glue job: the value of `--conf` goes on with ` --conf k=v` for each further option."""
    from shoal.readers import jars
    from shoal.readers.command_words import Word, add_pair
    from shoal.readers.shell_words import words
    from shoal.readers.yaml_tree import find, scalar

    item = find(node, "--conf")
    if item is None:
        return
    block = tree.out.block("spark", "submit", "json", tree.key(item), traits=(("platform", "glue"),), open=True)
    for word in words(tree.value(item.value)):
        if word.text.startswith("spark.") and "=" in word.text:
            add_pair(tree.out, block, Word(word.text, word))
    extra = find(node, "--extra-jars")
    if extra is not None and scalar(extra.value):
        jars.read_jars(tree.value(extra.value), tree.out, block)


def _classification(tree: Tree, node: Node, classification: str) -> bool:
    """One entry of an EMR configuration list."""
    from shoal.readers import flink_yaml, spark_yaml
    from shoal.readers.yaml_tree import find

    properties = find(node, "Properties") or find(node, "properties")
    if classification not in _CLASSIFICATIONS or properties is None:
        return False
    engine, role = _CLASSIFICATIONS[classification]
    block = tree.out.block(engine, role, "json", tree.key(properties), classification, traits=(("platform", "emr"),), open=True)
    if engine == "spark":
        spark_yaml.read_conf(tree, properties, block)
    else:
        flink_yaml.read_map(tree, properties.value, block)
    return True


def _run_options(tree: Tree, node: Node) -> None:
    """The Python file that Amazon's managed Flink runs."""
    from shoal.readers.yaml_tree import find, scalar

    item = find(node, "PropertyMap", "python")
    target = scalar(item.value) if item is not None else None
    if item is not None and target:
        tree.out.entry("python", target, (), tree.span(item.value))


def _arguments(tree: Tree, node: Node) -> bool:
    """A step's argument list (`["spark-submit", "--conf", …]`)."""
    from shoal.readers import delegate
    from shoal.readers.yaml_tree import elements, scalar

    words = [(word, child) for child in elements(node)[:2000] if (word := scalar(child)) is not None]
    if len(words) < 2 or not any(re.search(r"spark-submit$|^--conf$|^--runner=|/flink$|^flink$", word) for word, _ in words):
        return False
    delegate.arguments([(word, tree.value(child)) for word, child in words], tree.out, None)
    return True
