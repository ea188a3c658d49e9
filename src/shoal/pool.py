"""A pool of worker processes that survives its workers: one that dies or hangs costs the file it was at, and no other.

Not `concurrent.futures`: there one dead worker breaks the whole pool and nobody learns which file it was, and importing
`multiprocessing` costs 20 ms. Workers are forked, so they know the work list already and only indices and answers cross the pipes.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import select
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from shoal.records import NamedTuple

_MEMORY = 4 << 30  # address space of a worker, in bytes: a reader that runs wild gets a MemoryError, not the machine
_MOST_FILES = 256
_HEADER = 8
_SLEEPS = 0.05  # what takes a smaller part of a processor than this waits for something, or for ever

AVAILABLE = hasattr(os, "fork")

# What a worker does with one item; its answer is made of lists, texts, bytes and numbers.
Work = Callable[[int], Any]


class Lost(NamedTuple):
    """Stands for the answer of an item whose worker did not live to give one. `kind` is that of a Problem."""

    kind: str
    message: str


class TimedOut(BaseException):
    """The time for one item is over. Not an Exception: what guards against rules that fail must not catch it."""


def cores() -> int:
    """The processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def chunks(sizes: Sequence[int], workers: int) -> list[list[int]]:
    """Item numbers in portions of about as many bytes, the heaviest first; a large item is a portion of its own."""
    target = min(max(sum(sizes) // (workers * 8), 64_000), 1_000_000)
    portions: list[list[int]] = []
    weights: list[int] = []
    current: list[int] = []
    weight = 0
    for number, size in enumerate(sizes):
        if current and (weight + size > target or len(current) >= _MOST_FILES):
            portions.append(current)
            weights.append(weight)
            current, weight = [], 0
        current.append(number)
        weight += size
    if current:
        portions.append(current)
        weights.append(weight)
    order = sorted(range(len(portions)), key=lambda index: -weights[index])
    return [portions[index] for index in order]


def _left(timeout: float, spent: float | None, elapsed: float) -> float:
    """The seconds of processor time that are left of a time limit, once so many have passed: none for what sleeps, or where nobody knows.

    On a machine that has much else to do, what takes 5 s may end after 30.
    """
    return 0.0 if spent is None or spent < elapsed * _SLEEPS else max(0.0, timeout - spent)


def _spent_by(process: int) -> float | None:
    """The seconds of processor time that a process has taken, where the system tells (the clock of clock_getcpuclockid(3) on Linux)."""
    try:
        return time.clock_gettime((~process << 3) | 2) if sys.platform == "linux" else None
    except OSError:
        return None


def here(work: Work, count: int, timeout: float) -> Iterator[tuple[int, Any]]:
    """Do all items in this process. An item that takes longer than `timeout` seconds of processor time is Lost, or one that sleeps so long."""
    timed = hasattr(signal, "setitimer") and _main_thread()
    if not timed:
        for number in range(count):
            yield number, work(number)
        return

    began = spent = 0.0

    def over(signum: int, frame: Any) -> None:
        left = _left(timeout, time.process_time() - spent, time.monotonic() - began)
        if not left:
            raise TimedOut
        signal.setitimer(signal.ITIMER_REAL, left)

    before = signal.signal(signal.SIGALRM, over)
    try:
        for number in range(count):
            try:
                began, spent = time.monotonic(), time.process_time()
                signal.setitimer(signal.ITIMER_REAL, timeout)
                try:
                    answer = work(number)
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
            except TimedOut:
                answer = _timed_out(timeout)
            yield number, answer
    finally:
        signal.signal(signal.SIGALRM, before)


def _main_thread() -> bool:
    threading = sys.modules.get("threading")  # not imported: then there is but one
    return threading is None or threading.current_thread() is threading.main_thread()


def _timed_out(timeout: float) -> Lost:
    return Lost("timed-out", f"not done after {timeout:g} s")


def spread(work: Work, sizes: Sequence[int], workers: int, timeout: float) -> Iterator[tuple[int, Any]]:
    """Do all items in `workers` processes; yields (item number, answer) in no order. Answers that never came are Lost."""
    pending = deque(chunks(sizes, workers))
    crew: list[_Worker] = []
    poll = select.poll()
    try:
        while pending or any(worker.items for worker in crew):
            while len(crew) < min(workers, len(pending) + sum(bool(worker.items) for worker in crew)):
                crew.append(_Worker(work, crew))
                poll.register(crew[-1].source, select.POLLIN)
            for worker in crew:
                if pending and not worker.items:
                    worker.give(pending.popleft(), timeout)
            wait = max(0.0, min(worker.deadline for worker in crew if worker.items) - time.monotonic())
            ready = {descriptor for descriptor, _ in poll.poll(wait * 1000 + 1)}
            now = time.monotonic()
            for worker in list(crew):
                lost = None
                if worker.source in ready:
                    answers = worker.take()
                    if answers is None:
                        lost = Lost("worker-died", f"the worker process {worker.end()} while it checked this file")
                    elif answers:
                        yield from zip(worker.items, answers, strict=True)
                        worker.items = []
                elif worker.items and worker.late(now):
                    worker.end()
                    lost = _timed_out(timeout)
                if lost:
                    poll.unregister(worker.source)
                    worker.close()
                    crew.remove(worker)
                    if len(worker.items) == 1:
                        yield worker.items[0], lost
                    else:  # one of them did it: each goes to a worker of its own
                        pending.extendleft([item] for item in reversed(worker.items))
    finally:
        for worker in crew:
            worker.end()
            worker.close()


class Steady:
    """One process that does portions of items for as long as it lives, and is replaced when it does not.

    Items too are made of lists, texts, bytes and numbers. It ends with the process that made it, or when it is closed.
    """

    def __init__(self, work: Callable[[Any], Any]) -> None:
        self._work = work
        self._worker: _Worker | None = None
        self._poll = select.poll()

    def do(self, items: list[Any], timeout: float) -> list[Any]:
        """The answers, in order; one that never came is Lost, after `timeout` seconds of processor time, or of sleep, for one item at the latest."""
        answers = self._one(items, timeout) if items else []
        if not isinstance(answers, Lost):
            return answers
        if len(items) == 1:
            return [answers]
        found: list[Any] = []
        for item in items:  # one of them did it: each by itself
            single = self._one([item], timeout)
            found.append(single if isinstance(single, Lost) else single[0])
        return found

    def _one(self, items: list[Any], timeout: float) -> list[Any] | Lost:
        if self._worker is None:
            self._worker = _Worker(self._work, ())
            self._poll.register(self._worker.source, select.POLLIN)
        worker = self._worker
        worker.give(items, timeout)
        while True:
            ready = self._poll.poll(max(0.0, worker.deadline - time.monotonic()) * 1000 + 1)
            answers = worker.take() if ready else None
            if answers:
                return answers
            if answers is None and (ready or worker.late(time.monotonic())):
                message = f"the worker process {worker.end()} while it checked this file" if ready else ""
                self.close()
                return Lost("worker-died", message) if ready else _timed_out(timeout)

    def close(self) -> None:
        """Stop the process."""
        if self._worker is not None:
            self._poll.unregister(self._worker.source)
            self._worker.end()
            self._worker.close()
            self._worker = None


class _Worker:
    """A forked process: takes lists of items (their numbers, or what `work` takes), gives lists of answers."""

    def __init__(self, work: Callable[[Any], Any], others: Sequence[_Worker]) -> None:
        orders, self._sink = os.pipe()
        self.source, answers = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self._pid = os.fork()
        if not self._pid:
            code = 1
            try:
                for descriptor in (self._sink, self.source, *(end for other in others for end in (other._sink, other.source))):
                    os.close(descriptor)
                _serve(work, orders, answers)
                code = 0
            finally:
                os._exit(code)
        os.close(orders)
        os.close(answers)
        self.items: list[Any] = []
        self.deadline = 0.0
        self._timeout = self._began = self._spent = 0.0
        self._buffer = bytearray()

    def give(self, items: list[Any], timeout: float) -> None:
        self.items = items
        self._began, self._spent, self._timeout = time.monotonic(), _spent_by(self._pid) or 0.0, timeout
        self.deadline = self._began + timeout
        with contextlib.suppress(BrokenPipeError):  # it died between two portions; `take` will see that
            _send(self._sink, items)

    def late(self, now: float) -> bool:
        """Whether the time for its items is over; the deadline is set anew where it has not had it."""
        if now <= self.deadline:
            return False
        spent = _spent_by(self._pid)
        left = _left(self._timeout, None if spent is None else spent - self._spent, now - self._began)
        self.deadline = now + left
        return not left

    def take(self) -> list[Any] | None:
        """The answers, an empty list while they are not complete, None when the process is gone."""
        data = os.read(self.source, 1 << 20)
        if not data:
            return None
        self._buffer += data
        if len(self._buffer) < _HEADER or len(self._buffer) < _HEADER + int.from_bytes(self._buffer[:_HEADER], "little"):
            return []
        answers = marshal.loads(memoryview(self._buffer)[_HEADER:])
        self._buffer = bytearray()
        return list(answers)

    def end(self) -> str:
        """Stop the process and say how it ended."""
        try:
            done, status = os.waitpid(self._pid, os.WNOHANG)
            if not done:
                os.kill(self._pid, signal.SIGKILL)
                _, status = os.waitpid(self._pid, 0)
        except ChildProcessError:
            return "ended"
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            return f"was killed by {signal.Signals(number).name if number in list(signal.Signals) else f'signal {number}'}"
        return f"ended with code {os.waitstatus_to_exitcode(status)}"

    def close(self) -> None:
        os.close(self._sink)
        os.close(self.source)


def _serve(work: Callable[[Any], Any], orders: int, answers: int) -> None:
    import gc

    gc.freeze()
    gc.set_threshold(50_000, 20, 20)  # what is made here goes with its file
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent stops us
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, OSError, ValueError):
        pass
    while (items := _receive(orders)) is not None:
        _send(answers, [work(number) for number in items])


def _send(descriptor: int, value: Any) -> None:
    data = marshal.dumps(value)
    view = memoryview(len(data).to_bytes(_HEADER, "little") + data)
    while view:
        view = view[os.write(descriptor, view) :]


def _receive(descriptor: int) -> Any:
    header = _exactly(descriptor, _HEADER)
    return None if header is None else marshal.loads(_exactly(descriptor, int.from_bytes(header, "little")) or b"")


def _exactly(descriptor: int, count: int) -> bytes | None:
    data = b""
    while len(data) < count:
        part = os.read(descriptor, count - len(data))
        if not part:
            return None
        data += part
    return data
