"""What a program asks of a database: the statements that its cursors and connections execute, and what it adds to numbers that a store keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.lazy import pattern
from shoal.python.texts import text_of
from shoal.python.values import Mapping, names
from shoal.text import MASK

if TYPE_CHECKING:
    from shoal.python.module import Module
    from shoal.python.tree import Call
    from shoal.text import Text

EXECUTES = ("execute", "executemany", "execute_values", "execute_batch")
# Methods of a Redis client that add to a number.
COUNTS = names("incrby incrbyfloat hincrby hincrbyfloat zincrby")
# What shows that a row which is there already is thought of.
MINDED = pattern(r"IntegrityError|UniqueViolation|DuplicateKey|UniqueConstraint")
LOOKS = pattern(r"(?is)\s*(?:delete|truncate|select\b.*\bwhere)\b")


def statement(module: Module, call: Call) -> str:
    """The SQL that a call is given, with a name for each part that is not known."""
    text = statement_text(module, call)
    return text.text.replace(MASK, "x") if text is not None else ""


def statement_text(module: Module, call: Call) -> Text | None:
    """The same with its places in the file, what is not known masked; None where nothing is."""
    node = call.argument(1 if call.name in ("execute_values", "execute_batch") else 0, "sql")
    return text_of(module, node, call.spot) if node is not None else None


def increments(module: Module, call: Call) -> bool:
    """Whether an update of MongoDB adds to a number: `{"$inc": {"sold": 1}}`."""
    given = module.value(call.argument(1, "update"), call.spot)
    return isinstance(given, Mapping) and given.get("$inc") is not None
