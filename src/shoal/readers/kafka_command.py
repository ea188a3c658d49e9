"""Kafka's own tools with client options on the line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from shoal.facts import Usage
from shoal.lazy import pattern
from shoal.model import Place
from shoal.readers.command_words import Word, add_pair, add_setting
from shoal.text import MASK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shoal.facts import Block
    from shoal.readers import Reading
    from shoal.text import Text

# The tools that once asked ZooKeeper.
_OLD = pattern(r"kafka-(?:topics|reassign-partitions|console-consumer|consumer-groups)(?:\.sh)?")

# A plugin of Confluent's hub, whichever is the newest.
_NEWEST = pattern(r"[\w.-]+/[\w.-]+:latest")

# What tells that a script may post something else than the files of the project.
_FILLS = pattern(r"\bsed\b|\bperl\b|mktemp|gomplate|/tmp/|\bjq\b[^|\n]*>")
# Commands that put values where a text says `${NAME}`, in what they are told to do.
_SUBSTITUTES = {
    "sed": pattern(r"(?:^|[;{\s/])s(\W)(?:(?!\1).)*(?:\\?\$|\[\$\])(?:\\?\{|\[\{\])"),
    "perl": pattern(r"\\?\$(?:\\?\{|\[\{\])|\bENV\b"),
    "awk": pattern(r"\bENVIRON\b"),
    "eval": pattern(r"\bcat\b|\becho\b|<<"),
    "python": pattern(
        r"\bexpandvars\b|substitute\(|\bTemplate\(|\bjinja2\b|replace\(\s*f?[\"']\$|(?:^|/)[^/\s]*(?:render|subst|templat|expand)[^/\s]*\.py$"
    ),
}
_RENDERERS = frozenset({"envsubst", "gomplate", "jinja2", "j2", "envtpl", "dockerize", "esh"})
_NAMED_AS = pattern(r"g?(sed)|[gm]?(awk)|(perl|eval)|(python)[\d.]*")
# Addresses of Connect's interface, and the shape in which each takes a connector.
_ASKS = (
    (pattern(r".*/connectors/[^/?\s]+/config/?(?:\?\S*)?"), "bare"),
    (pattern(r".*/connectors/?(?:\?\S*)?"), "named"),
)
_DATA = pattern(r"-d|--data|--data-ascii|--data-binary|--json|-T|--upload-file")


def read_fills(words: list[Text], bodies: list[Text], out: Reading) -> None:
    """A program that puts values where a text says `${NAME}`: `envsubst`, `sed`, a line of Perl or Python."""
    for index, word in enumerate(words[:12]):
        base = word.text.rsplit("/", 1)[-1].lstrip("@")
        named = _NAMED_AS.fullmatch(base)
        program = next(filter(None, named.groups()), "") if named else ""
        told = [one.text for one in (*words[index + 1 :], *bodies)]
        if base in _RENDERERS or (program and any(_SUBSTITUTES[program].search(text) for text in told)):
            out.facts.append(Usage("fills-in", base, Place(out.path, word.span(0, len(word.text)))))
            return


def read_called(container: Word, tool: Word, out: Reading) -> None:
    """`tool-called`: a tool of Kafka's that runs in a container which is there already (`docker exec kafka kafka-topics`), as JSON."""
    if container.value[:1] not in ("-", "$", "") and MASK not in container.value:
        told = {"container": container.value, "tool": tool.value}
        out.facts.append(Usage("tool-called", json.dumps(told), Place(out.path, tool.span)))


def read_posts(words: list[Word], out: Reading) -> None:
    """The file that curl hands to Connect as it is."""
    if not any("/connectors" in word.value for word in words) or _FILLS.search(out.raw):
        return
    for index, word in enumerate(words):
        option, equals, name = word.value.partition("=")
        if word.value.startswith(("-d@", "-T")) and len(word.value) > 2:
            option, name = word.value[:2], word.value[2:]
        elif _DATA.fullmatch(option) and not equals and index + 1 < len(words):
            name = words[index + 1].value
        file = name.removeprefix("@")
        if _DATA.fullmatch(option) and (name != file or option in ("-T", "--upload-file")) and not file.startswith(("-", "<", "/dev/")):
            out.facts.append(Usage("file-posted", file, Place(out.path, word.span)))
            asked = next((way for address, way in _ASKS if any(address.fullmatch(one.value) for one in words)), "")
            if asked:
                out.facts.append(Usage("connector-sent", json.dumps({"file": file, "shape": asked}), Place(out.path, word.span)))
            return


# Strimzi's newest release by its address, and its chart in a repository (a folder of the project holds one release).
_LATEST = pattern(r"https?://strimzi\.io/install/latest\b.*")
_CHART = pattern(r"(?:oci://|[A-Za-z][\w-]*/).*strimzi-kafka-operator")
_PINS = pattern(r"--version(?:=.*)?")
_RELEASE = pattern(r"https?://github\.com/strimzi/strimzi-kafka-operator/releases/download/v?(\d+\.\d+\.\d+)/.*")


def read_plugins(names: list[str], words: list[Word], out: Reading) -> None:
    """`confluent-hub install owner/plugin:latest`, and the same with Confluent's other client."""
    if "install" not in names or not ("confluent-hub" in names or {"confluent", "connect", "plugin"} <= set(names)):
        return
    for word in words:
        if _NEWEST.fullmatch(word.value):
            out.oddity("plugin-unpinned", word.value, word.span)


def read_operator(names: list[str], words: list[Word], version: Word | None, out: Reading) -> None:
    """The release of Strimzi's operator that is installed (`version`: the one that is asked for), or an oddity where it is whatever is the newest."""
    asked = None
    if {"kubectl", "oc"} & set(names) and {"create", "apply", "replace"} & set(names):
        asked = next((word for word in words if _LATEST.fullmatch(word.value)), None)
        for word in words:
            if found := _RELEASE.fullmatch(word.value):
                out.dependency("field", "strimzi", found[1], word.span)
    elif "helm" in names and {"install", "upgrade", "template"} & set(names):
        chart = next((word for word in words if _CHART.fullmatch(word.value)), None)
        if chart is not None and version is not None:
            out.dependency("field", "strimzi", version.value.removeprefix("v"), version.span)
        elif not any(_PINS.fullmatch(word.value) for word in words):
            asked = chart
    if asked is not None:
        out.oddity("operator-unpinned", "strimzi", asked.span)


def read_kafka(base: str, words: list[Word], first: Word, out: Reading, parent: Block | None) -> None:
    """Kafka's tools with client properties on the line."""
    roles = {
        "--consumer-property": "consumer",
        "--producer-property": "producer",
        "--command-property": "client",
        "--override": "broker",
    }
    told = next((word for word in words if word.value.split("=", 1)[0] == "--zookeeper"), None)
    programs = [base, *(word.value.rsplit("/", 1)[-1] for word in words)]
    tool = next((name for name in programs if _OLD.fullmatch(name)), "")
    if told is not None and tool:
        out.facts.append(Usage("zookeeper-option", tool.removesuffix(".sh"), Place(out.path, told.span)))
    if tool.startswith("kafka-topics") and any(word.value == "--create" for word in words):
        given = list(_given(words))
        out.facts.append(Usage("topic-made", _named(given, "--topic"), Place(out.path, first.span)))
        _topic_options(given, "--config", "--topic", first, out, parent)
    elif not {"kafka-configs", "kafka-configs.sh"}.isdisjoint(programs):
        given = list(_given(words))
        if _named(given, "--entity-type") == "topics":
            _topic_options(given, "--add-config", "--entity-name", first, out, parent)
    blocks: dict[str, Block] = {}
    for index, word in enumerate(words):
        option = word.value.split("=", 1)[0]
        if option not in roles:
            continue
        argument = word.part(len(option) + 1) if "=" in word.value else words[index + 1] if index + 1 < len(words) else None
        if argument is None or "=" not in argument.value:
            continue
        role = roles[option]
        if role not in blocks:
            span = first.span
            blocks[role] = out.block("kafka", role, "command", span, parent=parent, traits=(("program", base),))
        add_pair(out, blocks[role], argument)


# `a=b,c=[d,e]`, as `kafka-configs` takes several.
_PAIR = pattern(r"[^,=]+=(?:\[[^\]]*\]|[^,]*)")
_WHOLE = pattern(r"[^=]+=(?s:.*)")
# What `kafka-topics` is told of a topic itself, by what a topic's block calls it.
_OF_TOPIC = {"--replication-factor": "replicas", "--partitions": "partitions"}


def _named(given: list[tuple[str, Word]], wanted: str) -> str:
    """What a command names with an option; empty where that cannot be known."""
    for option, value in given:
        if option == wanted:
            return value.value if "$" not in value.value and MASK not in value.value else ""
    return ""


def _given(words: list[Word]) -> Iterator[tuple[str, Word]]:
    """Options with their values, `--a b` or `--a=b`."""
    for index, word in enumerate(words):
        option, equals, _ = word.value.partition("=")
        if option.startswith("--") and equals:
            yield option, word.part(len(option) + 1)
        elif option.startswith("--") and index + 1 < len(words):
            yield option, words[index + 1]


def _topic_options(given: list[tuple[str, Word]], option: str, named_by: str, first: Word, out: Reading, parent: Block | None) -> None:
    """What a command that makes or alters a topic says of it; nothing where it gives neither options nor replicas, which are then the brokers' defaults."""
    if not any((name == option and "=" in value.value) or _OF_TOPIC.get(name) == "replicas" for name, value in given):
        return
    servers = _named(given, "--bootstrap-server") or _named(given, "--broker-list")
    traits = (("servers", servers),) if servers else ()
    block = out.block("kafka", "topic", "command", first.span, _named(given, named_by), parent, traits, option == "--add-config")
    for named, value in given:
        if named == option:
            for pair in _PAIR.finditer(value.value) if option == "--add-config" else _WHOLE.finditer(value.value):
                add_pair(out, block, value.part(*pair.span()))
        elif named in _OF_TOPIC:
            add_setting(out, block, Word(_OF_TOPIC[named], value.text), value)
