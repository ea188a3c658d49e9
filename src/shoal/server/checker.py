"""The server's side of the process that reads files: one request at a time, the most urgent first, and a new process when one is lost."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import pickle
import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from shoal.records import NamedTuple
from shoal.server.launch import start
from shoal.server.worker import HEADER

URGENT, USUAL, IDLE = 0, 1, 2


class Lost(Exception):
    """The process did not answer: it died, or took too long. `kind` is that of a Problem."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class Failed(Exception):
    """The process answered with an error."""


class _Task(NamedTuple):
    priority: int
    number: int
    operation: str
    key: str
    arguments: tuple[Any, ...]
    timeout: float
    answer: asyncio.Future[Any]


class Checker:
    """Asks the process. Requests that nobody waits for any more are dropped before they are sent."""

    def __init__(self, process: subprocess.Popen[bytes] | None = None, once: bool = False) -> None:
        """process: one that was started before (see `launch`)."""
        self._once = once
        self._queue: asyncio.PriorityQueue[_Task] = asyncio.PriorityQueue()
        self._numbers = itertools.count()
        self._process = process
        self._pipe = ThreadPoolExecutor(1, "shoal-pipe")
        self._setups: dict[str, tuple[Any, ...]] = {}
        self._given: set[str] = set()
        self._loop: asyncio.Task[None] | None = None

    def setup(self, key: str, arguments: tuple[Any, ...]) -> None:
        """What the key of later requests stands for."""
        self._setups[key] = arguments

    def forget(self, key: str) -> None:
        self._setups.pop(key, None)

    async def ask(self, operation: str, key: str, *arguments: Any, priority: int = USUAL, timeout: float = 30.0) -> Any:
        """The answer. Raises Lost or Failed. Cancelling the caller drops the request, or its answer."""
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._queue.put_nowait(_Task(priority, next(self._numbers), operation, key, arguments, timeout, answer))
        if self._loop is None or self._loop.done():
            self._loop = asyncio.get_running_loop().create_task(self._work())
        return await answer

    async def stop(self) -> None:
        """End the process; whoever still waits is told nothing."""
        if self._loop is not None:
            self._loop.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._loop
        self.end()
        self._pipe.shutdown(wait=False, cancel_futures=True)

    async def _work(self) -> None:
        while True:
            task = await self._queue.get()
            if task.answer.done():
                continue
            outcome: Any
            try:
                good, value = await self._done(task)
                outcome = value if good else Failed(value)
            except asyncio.CancelledError:
                task.answer.cancel()
                raise
            except Exception as error:
                self.end()
                outcome = error if isinstance(error, Lost) else Failed(f"{type(error).__name__}: {error}")
            if not task.answer.done():
                if isinstance(outcome, (Lost, Failed)):
                    task.answer.set_exception(outcome)
                else:
                    task.answer.set_result(outcome)

    async def _done(self, task: _Task) -> tuple[bool, Any]:
        """The answer of the process; a process that died is replaced once, since it may have died while it was idle."""
        for again in (True, False):
            exchange = asyncio.get_running_loop().run_in_executor(self._pipe, self._exchange, task)
            try:
                return await asyncio.wait_for(asyncio.shield(exchange), task.timeout)
            except (asyncio.TimeoutError, TimeoutError):
                exchange.add_done_callback(lambda late: late.cancelled() or late.exception())  # nobody asks for it any more
                raise Lost("timed-out", f"not done after {task.timeout:g} s") from None
            except (OSError, EOFError):
                self.end()
                if not again:
                    raise Lost("worker-died", "the process that read this file died") from None
        raise AssertionError("one of the two ended")

    def _exchange(self, task: _Task) -> Any:
        """Ask, and wait for the answer; runs in a thread of its own. When the process is ended, the wait is over."""
        if self._process is None:
            self._process = start(self._once)
            self._given = set()
        if task.key not in self._given:
            self._send(self._process, "setup", task.key, self._setups[task.key])
            self._given.add(task.key)
        return self._send(self._process, task.operation, task.key, task.arguments)

    @staticmethod
    def _send(process: subprocess.Popen[bytes], operation: str, key: str, arguments: tuple[Any, ...]) -> Any:
        assert process.stdin is not None and process.stdout is not None
        data = pickle.dumps((operation, key, arguments), pickle.HIGHEST_PROTOCOL)
        process.stdin.write(len(data).to_bytes(HEADER, "little") + data)
        process.stdin.flush()
        header = process.stdout.read(HEADER)
        data = process.stdout.read(int.from_bytes(header, "little"))
        if len(header) < HEADER or len(data) < int.from_bytes(header, "little"):
            raise EOFError
        return pickle.loads(data)

    def end(self) -> None:
        """End the process at once; the next request starts another."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
