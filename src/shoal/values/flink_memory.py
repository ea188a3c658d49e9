"""How Flink shares out the memory of a process before it starts it, and when that fails.

Checked against `TaskExecutorProcessUtils` and `JobManagerProcessUtils` of 1.18.1. Sizes are bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from shoal.records import NamedTuple

_MB = 1 << 20
SIZES: Mapping[str, int | None] = {
    "jobmanager.memory.process.size": None,
    "jobmanager.memory.flink.size": None,
    "jobmanager.memory.heap.size": None,
    "jobmanager.memory.off-heap.size": 128 * _MB,
    "jobmanager.memory.jvm-metaspace.size": 256 * _MB,
    "jobmanager.memory.jvm-overhead.min": 192 * _MB,
    "jobmanager.memory.jvm-overhead.max": 1024 * _MB,
    "taskmanager.memory.process.size": None,
    "taskmanager.memory.flink.size": None,
    "taskmanager.memory.task.heap.size": None,
    "taskmanager.memory.managed.size": None,
    "taskmanager.memory.task.off-heap.size": 0,
    "taskmanager.memory.framework.heap.size": 128 * _MB,
    "taskmanager.memory.framework.off-heap.size": 128 * _MB,
    "taskmanager.memory.network.min": 64 * _MB,
    "taskmanager.memory.network.max": 1024
    * _MB,  # without bound since 1.17: the smaller counts, since it is asked what surely does not fit
    "taskmanager.memory.jvm-metaspace.size": 256 * _MB,
    "taskmanager.memory.jvm-overhead.min": 192 * _MB,
    "taskmanager.memory.jvm-overhead.max": 1024 * _MB,
}
FRACTIONS: Mapping[str, float] = {
    "jobmanager.memory.jvm-overhead.fraction": 0.1,
    "taskmanager.memory.jvm-overhead.fraction": 0.1,
    "taskmanager.memory.managed.fraction": 0.4,
    "taskmanager.memory.network.fraction": 0.1,
}

_FRAMEWORK = ("framework.heap.size", "framework.off-heap.size", "task.off-heap.size")


class Shortage(NamedTuple):
    """What a process is to hold, and the option whose size is less. `parts` are what each is called, and its bytes."""

    key: str
    parts: tuple[tuple[str, int], ...]


def shortage(process: str, given: Mapping[str, float]) -> Shortage | None:
    """What of the options that are set for a `jobmanager` or `taskmanager` cannot be shared out; None where it can, or where Flink wants more of them."""
    memory = _Memory(f"{process}.memory.", given)
    total, flink = memory.size("process.size"), memory.size("flink.size")
    metaspace = ("metaspace", memory.size("jvm-metaspace.size") or 0)
    if flink is not None:
        if found := memory.lacks("flink.size", memory.parts(flink)):
            return found
        least = memory.size("jvm-overhead.min") or 0  # what both sizes leave for it must be in its range
        return memory.lacks("process.size", [("Flink", flink), metaspace, ("JVM overhead", least)]) if total is not None else None
    if total is None:
        return None
    around = [metaspace] if memory.adds_up() else [metaspace, ("JVM overhead", memory.share("jvm-overhead", total))]
    return memory.lacks("process.size", [*around, *memory.parts(max(total - _sum(around), 0))])


def excess(process: str, given: Mapping[str, float]) -> tuple[int, int] | None:
    """What the sizes of a process and of Flink in it leave for the JVM's overhead, and the most that this may be, where it is more."""
    memory = _Memory(f"{process}.memory.", given)
    total, flink = memory.size("process.size"), memory.size("flink.size")
    if total is None or flink is None:
        return None
    left, most = total - flink - (memory.size("jvm-metaspace.size") or 0), memory.size("jvm-overhead.max") or 0
    return (left, most) if left > most else None


class _Memory(NamedTuple):
    prefix: str
    given: Mapping[str, float]

    def size(self, name: str) -> int | None:
        value = self.given.get(self.prefix + name, SIZES[self.prefix + name])
        return None if value is None else int(value)

    def share(self, name: str, whole: int) -> int:
        """A fraction of the whole, not below its least nor above its greatest size."""
        most = self.size(f"{name}.max")
        part = max(int(whole * self.fraction(name)), self.size(f"{name}.min") or 0)
        return part if most is None else min(part, most)

    def fraction(self, name: str) -> float:
        key = f"{self.prefix}{name}.fraction"
        return self.given.get(key, FRACTIONS[key])

    def adds_up(self) -> bool:
        """Whether Flink's part of the process is what its own parts come to, and not what the process leaves it."""
        if self.prefix.startswith("jobmanager"):
            return self.size("heap.size") is not None
        return self.size("task.heap.size") is not None and self.size("managed.size") is not None

    def parts(self, flink: int) -> list[tuple[str, int]]:
        """What is to fit into Flink's part of the process, which is so large."""
        if self.prefix.startswith("jobmanager"):
            heap, off_heap = self.size("heap.size"), self.size("off-heap.size") or 0
            # with both sizes set, off-heap memory is what the heap leaves
            return ([("heap", heap)] if heap is not None else []) + ([("off-heap", off_heap)] if heap is None or not self._whole() else [])
        heap, managed = self.size("task.heap.size"), self.size("managed.size")
        found = [(name.replace(".", " ").removesuffix(" size"), self.size(name) or 0) for name in _FRAMEWORK]
        if heap is not None:
            found.append(("task heap", heap))
        found.append(("managed memory", int(flink * self.fraction("managed")) if managed is None else managed))
        if heap is None:
            found.append(("network buffers", self.share("network", flink)))
        elif not self._whole():
            found.append(("network buffers", self.size("network.min") or 0))
        return found

    def _whole(self) -> bool:
        return self.size("flink.size") is not None

    def lacks(self, name: str, parts: list[tuple[str, int]]) -> Shortage | None:
        held = self.size(name)
        return Shortage(self.prefix + name, tuple(part for part in parts if part[1])) if held is not None and held < _sum(parts) else None


def _sum(parts: Iterable[tuple[str, int]]) -> int:
    return sum(size for _, size in parts)
