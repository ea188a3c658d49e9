"""The server's side of the process that reads files: one request at a time, the most urgent first, and a new process when one is lost."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import pickle
import sys
from typing import Any, NamedTuple

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


def command(once: bool = False) -> list[str]:
    """How to start the process. The scanned folder may be the working directory: it must never be where modules come from."""
    here = os.getcwd()
    paths = [path for path in sys.path if path and os.path.abspath(path) != here]
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    if package not in paths:
        paths.append(package)
    start = "" if once else "worker.warm(); "
    return [sys.executable, "-c", f"import sys; sys.path[:] = {paths!r}; from shoal.server import worker; {start}worker.main()"]


class Checker:
    """Asks the process. Requests that nobody waits for any more are dropped before they are sent."""

    def __init__(self, once: bool = False) -> None:
        self._once = once
        self._queue: asyncio.PriorityQueue[_Task] = asyncio.PriorityQueue()
        self._numbers = itertools.count()
        self._process: asyncio.subprocess.Process | None = None
        self._setups: dict[str, tuple[Any, ...]] = {}
        self._given: set[str] = set()
        self._loop: asyncio.Task[None] | None = None

    def setup(self, key: str, arguments: tuple[Any, ...]) -> None:
        """What the key of later requests stands for."""
        self._setups[key] = arguments

    def forget(self, key: str) -> None:
        self._setups.pop(key, None)

    async def start(self) -> None:
        """Start the process before it is needed."""
        if self._process is None:
            self._process = await asyncio.create_subprocess_exec(
                *command(self._once), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=1 << 20
            )
            self._given = set()

    async def ask(self, operation: str, key: str, *arguments: Any, priority: int = USUAL, timeout: float = 30.0) -> Any:
        """The answer. Raises Lost or Failed. Cancelling the caller drops the request, or its answer."""
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._queue.put_nowait(_Task(priority, next(self._numbers), operation, key, arguments, timeout, answer))
        if self._loop is None or self._loop.done():
            self._loop = asyncio.get_running_loop().create_task(self._work())
        return await answer

    async def stop(self) -> None:
        if self._loop is not None:
            self._loop.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._loop
        await self._end()

    async def _work(self) -> None:
        while True:
            task = await self._queue.get()
            if task.answer.done():
                continue
            try:
                good, value = await asyncio.wait_for(self._exchange(task), task.timeout)
                outcome: Any = value if good else Failed(value)
            except asyncio.CancelledError:
                task.answer.cancel()
                raise
            except (asyncio.TimeoutError, TimeoutError):
                await self._end()
                outcome = Lost("timed-out", f"not done after {task.timeout:g} s")
            except (OSError, EOFError, asyncio.IncompleteReadError):
                await self._end()
                outcome = Lost("worker-died", "the process that read this file died")
            except Exception as error:
                await self._end()
                outcome = Failed(f"{type(error).__name__}: {error}")
            if not task.answer.done():
                if isinstance(outcome, (Lost, Failed)):
                    task.answer.set_exception(outcome)
                else:
                    task.answer.set_result(outcome)

    async def _exchange(self, task: _Task) -> Any:
        await self.start()
        if task.key not in self._given:
            await self._send("setup", task.key, self._setups[task.key])
            self._given.add(task.key)
        return await self._send(task.operation, task.key, task.arguments)

    async def _send(self, operation: str, key: str, arguments: tuple[Any, ...]) -> Any:
        process = self._process
        assert process is not None and process.stdin is not None and process.stdout is not None
        data = pickle.dumps((operation, key, arguments), pickle.HIGHEST_PROTOCOL)
        process.stdin.write(len(data).to_bytes(HEADER, "little") + data)
        await process.stdin.drain()
        size = int.from_bytes(await process.stdout.readexactly(HEADER), "little")
        return pickle.loads(await process.stdout.readexactly(size))

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
