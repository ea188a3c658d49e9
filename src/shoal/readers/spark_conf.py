"""`spark-defaults.conf` and other Spark properties files.

Spark loads them with java.util.Properties (Utils.getPropertiesFromFile), trims each value and drops keys that do not begin with
`spark.`: white space, `=` and `:` all separate, and `#` after a value belongs to the value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.readers import properties
from shoal.text import MASK

if TYPE_CHECKING:
    from shoal.readers import Reading
    from shoal.text import Text


def read(text: Text, out: Reading) -> None:
    """A conf file with at least one Spark option; anything else (HOCON, an nginx.conf) is left alone."""
    entries = [entry for entry in properties.parse(text) if entry.key]
    if any(entry.key.startswith("spark.") for entry in entries):
        add_spark(entries, text, out)


def add_spark(entries: list[properties.Entry], text: Text, out: Reading) -> None:
    """One `defaults` block with the Spark options among the entries."""
    from shoal.readers import jars

    spark = [_trimmed(entry) for entry in entries if entry.key.startswith("spark.")]
    block = out.block("spark", "defaults", "properties", text.span(*spark[0].key_at), open=f"#{MASK}" in text.text)
    for entry in entries:
        if (
            not entry.key.startswith("spark.")
            and "." in entry.key
            and not entry.key.startswith(("log4j", "rootLogger"))
            and MASK not in entry.key
        ):
            out.oddity("non-spark-property", entry.key, text.span(*entry.key_at), "Spark ignores keys that do not begin with spark.", block)
    # A value that is an option's name: key and value may be swapped, and unknown-spark-option looks at it.
    swapped = [_trimmed(entry) for entry in entries if not entry.key.startswith("spark.") and entry.value.startswith("spark.")]
    properties.add([*spark, *swapped], text, out, block)
    for entry in spark:
        if entry.key == "spark.jars.packages":
            jars.read_coordinates(text.slice(*entry.value_at), out, block)
        elif entry.key in ("spark.jars", "spark.driver.extraClassPath", "spark.executor.extraClassPath"):
            jars.read_jars(text.slice(*entry.value_at), out, block)


def _trimmed(entry: properties.Entry) -> properties.Entry:
    value = entry.value.strip(" \t\x0c\x0b")
    start, end = entry.value_at
    return entry._replace(value=value, value_at=(start, max(start, end - (len(entry.value) - len(entry.value.rstrip(" \t\x0c\x0b"))))))
