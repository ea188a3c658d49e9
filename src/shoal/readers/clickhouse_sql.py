"""Tables of ClickHouse that read Kafka, as its `.sql` files have them: `ENGINE = Kafka`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.lazy import pattern

if TYPE_CHECKING:
    from shoal.readers import Reading
    from shoal.text import Text

_COMMENT = pattern(r"(?s)--[^\n]*|/\*.*?\*/")
_TABLE = pattern(
    r"(?is)\bcreate\s+(?:or\s+replace\s+)?table\s+(?:if\s+not\s+exists\s+)?([\w.`\"]{1,200})[^;]{0,20000}?\b(engine\s*=\s*kafka)\b([^;]{0,4000})"
)
# What says what becomes of a message that does not parse; and formats that take any message.
_MINDED = pattern(r"(?i)\bkafka_(?:handle_error_mode|skip_broken_messages)\b")
_ANY = pattern(r"(?i)'(?:RawBLOB|LineAsString|JSONAsString|Regexp)'")
# Arguments in place of settings; more than four of them may say the same, and a name stands for a collection on the server.
_ARGUMENTS = pattern(r"\s*\(([^()]*)\)")


def read_kafka_tables(text: Text, out: Reading) -> None:
    masked = _COMMENT.sub(lambda found: " " * len(found.group()), text.text)
    for found in _TABLE.finditer(masked):
        rest = found[3]
        arguments = _ARGUMENTS.match(rest)
        given = arguments[1].split(",") if arguments is not None and arguments[1].strip() else []
        if len(given) > 4 or any(not one.strip().startswith(("'", '"')) for one in given) or _MINDED.search(rest) or _ANY.search(rest):
            continue
        if given or "kafka_broker_list" in rest.lower():
            out.oddity("clickhouse-stops-at-broken-message", found[1].strip('`"'), text.span(*found.span(2)))
