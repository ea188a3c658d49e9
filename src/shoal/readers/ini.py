"""INI files as Python's `configparser` reads them, with options of Kafka clients that programs hand to confluent-kafka as dicts.

Keys are lower-cased; they end at the first `=` or `:`; `#` and `;` begin a comment only at a line's start; lines that are indented more than the
option go on with its value; the last of several equal keys counts here (a strict parser refuses them).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.facts import Unknown
from shoal.lazy import pattern
from shoal.readers.kafka_names import names_classes
from shoal.readers.properties import kind_of, value_in
from shoal.records import NamedTuple
from shoal.text import Text

if TYPE_CHECKING:
    from shoal.readers import Reading

_LINE = pattern(r"[^\r\n]+")
_SECTION = pattern(r"[ \t]*\[([^\r\n]+)\]")
_OPTION = pattern(r"(?P<indent>[ \t]*)(?P<key>[^\s=:#;\[][^=:]*?)[ \t]*[=:][ \t]*(?P<value>[^\r\n]*?)[ \t]*$")
_INTERPOLATED = pattern(r"%\(\w[^)]*\)s")
# What takes its options from dicts has these without a dot; other words without one are the program's own (`topic`, `timeout`).
_PLAIN = frozenset({"acks", "retries", "debug", "partitioner"})


class _Option(NamedTuple):
    key: str
    value: str
    key_at: tuple[int, int]
    value_at: tuple[int, int]


def read(text: Text, out: Reading) -> None:
    """A block for each section that is for a Kafka client; a program puts them together, so each may have more than it says."""
    found = sections(text.text)
    if not any("bootstrap.servers" in options for options in found.values()):
        return
    java = names_classes(key for options in found.values() for key in options)
    for name, options in found.items():
        own = {key: option for key, option in options.items() if "." in key or key in _PLAIN}
        kind = kind_of(set(own), name.lower()) if own else None
        if kind is None or kind[0] != "kafka" or kind[1] == "broker":
            continue
        first = next(iter(own.values()))
        traits = () if java else (("library", "confluent-kafka"),)
        block = out.block("kafka", kind[1], "ini", text.span(*first.key_at), name, traits=traits, open=True)
        for key, option in own.items():
            value = Unknown(option.value) if "\n" in option.value or _INTERPOLATED.search(option.value) else value_in(option.value)
            out.setting(block, key, value, text.span(*option.key_at), text.span(*option.value_at))


def sections(source: str) -> dict[str, dict[str, _Option]]:
    """The options of each section, by key; a line that is neither is passed over."""
    found: dict[str, dict[str, _Option]] = {}
    options: dict[str, _Option] | None = None
    last, indent = "", 0
    for line in _LINE.finditer(source):
        written, start = line.group(), line.start()
        bare = written.lstrip(" \t")
        if bare[:1] in ("", "#", ";"):
            continue
        deep = len(written) - len(bare)
        if options is not None and last and deep > indent:
            earlier = options[last]
            options[last] = earlier._replace(value=f"{earlier.value}\n{bare.rstrip()}", value_at=(earlier.value_at[0], line.end()))
            continue
        header, option = _SECTION.match(written), _OPTION.match(written)
        if header is not None:
            options, last = found.setdefault(header.group(1), {}), ""
        elif option is not None and options is not None:
            last, indent = option["key"].lower(), deep
            options[last] = _Option(
                last,
                option["value"],
                (start + option.start("key"), start + option.end("key")),
                (start + option.start("value"), start + option.end("value")),
            )
    return found
