"""What a config value means to the engine that reads it.

Each engine module (`flink`, `spark`, `kafka`, `beam`) turns a text into the value the engine would get,
or into `Bad` where the engine refuses the text. None of these functions raises on any text.
"""

from __future__ import annotations

from typing import TypeAlias

from shoal.records import NamedTuple

NANOS_PER_MICRO = 1_000
NANOS_PER_MILLI = 1_000_000
NANOS_PER_SECOND = 1_000_000_000
NANOS_PER_MINUTE = 60 * NANOS_PER_SECOND
NANOS_PER_HOUR = 60 * NANOS_PER_MINUTE
NANOS_PER_DAY = 24 * NANOS_PER_HOUR

_TIME_UNITS = (
    (NANOS_PER_DAY, "d"),
    (NANOS_PER_HOUR, "h"),
    (NANOS_PER_MINUTE, "min"),
    (NANOS_PER_SECOND, "s"),
    (NANOS_PER_MILLI, "ms"),
    (NANOS_PER_MICRO, "µs"),
    (1, "ns"),
)
_MEMORY_UNITS = ((1 << 40, "tb"), (1 << 30, "gb"), (1 << 20, "mb"), (1 << 10, "kb"), (1, "b"))


class Duration(NamedTuple):
    """A length of time in whole nanoseconds; negative where the engine allows it."""

    nanos: int

    @property
    def millis(self) -> int:
        """Whole milliseconds, rounded down."""
        return self.nanos // NANOS_PER_MILLI

    @property
    def seconds(self) -> float:
        """Seconds, with the fraction."""
        return self.nanos / NANOS_PER_SECOND

    def __str__(self) -> str:
        """The largest unit that needs no fraction: "90 s", "10 min", "500 ms". Flink reads it back."""
        for size, unit in _TIME_UNITS:
            if self.nanos and self.nanos % size == 0:
                return f"{self.nanos // size} {unit}"
        return "0 ms"


class MemorySize(NamedTuple):
    """A number of bytes; negative where the engine allows it."""

    bytes: int

    def __str__(self) -> str:
        """The largest binary unit that needs no fraction: "512 mb", "1536 kb". Flink reads it back."""
        for size, unit in _MEMORY_UNITS:
            if self.bytes and self.bytes % size == 0:
                return f"{self.bytes // size} {unit}"
        return "0 b"


class Bad(NamedTuple):
    """A text the engine refuses.

    why: what is wrong, as the engine sees it, to be put after the value in a message.
    suggestion: a text that the engine takes and that can only mean what was written, else None.
    """

    why: str
    suggestion: str | None


def shorten(text: str) -> str:
    """The text for a message: at most 40 characters."""
    return text if len(text) <= 40 else text[:39] + "…"


Value: TypeAlias = "Duration | MemorySize | bool | int | float | str | list[Value] | dict[str, str]"
"""What a parse function yields besides `Bad`."""
