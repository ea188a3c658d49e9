"""An editor in a few lines: speaks JSON-RPC with the real `shoal server` over pipes. The benchmark uses it too."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

WAIT = 20.0
Message = dict[str, Any]


class Editor:
    """Starts a server, keeps the diagnostics it publishes, answers its requests with null."""

    def __init__(
        self,
        *folders: Path,
        encodings: tuple[str, ...] = ("utf-16",),
        capabilities: Message | None = None,
        options: Message | None = None,
        environment: dict[str, str] | None = None,
        cwd: Path | None = None,
    ) -> None:
        self.process = subprocess.Popen(
            [str(Path(sys.executable).with_name("shoal")), "server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd or folders[0],
            env={**os.environ, **(environment or {})},
        )
        self.published: dict[str, list[Message]] = {}
        self.diagnostics: dict[str, Message] = {}
        self.log: list[str] = []
        self.asked: list[Message] = []
        self.errors: list[bytes] = []
        self._answers: dict[int, Message] = {}
        self._news: queue.Queue[Message] = queue.Queue()
        self._last = 0
        self._versions: dict[str, int] = {}
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._listen, daemon=True).start()
        given: Message = {"general": {"positionEncodings": list(encodings)}, **(capabilities or {})}
        self.capabilities = self.request(
            "initialize",
            {
                "processId": None,
                "rootUri": folders[0].as_uri(),
                "capabilities": given,
                "workspaceFolders": [{"uri": folder.as_uri(), "name": folder.name} for folder in folders],
                "initializationOptions": {"typingDelay": 10, **(options or {})},
            },
        )["capabilities"]
        self.notify("initialized", {})

    # -- the wire -----------------------------------------------------------------------------------------------------------------

    def _read(self) -> None:
        source = self.process.stdout
        assert source is not None
        while True:
            size = 0
            while (line := source.readline().strip()) or not size:
                if not line and not size:
                    self._news.put({"gone": True})
                    return
                if line.lower().startswith(b"content-length:"):
                    size = int(line.split(b":")[1])
            self._news.put(json.loads(source.read(size)))

    def _listen(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.errors.append(line)

    def _send(self, message: Message) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self.process.stdin.flush()

    def step(self, wait: float = WAIT) -> Message:
        """Take in one message."""
        try:
            message = self._news.get(timeout=wait)
        except queue.Empty:
            raise TimeoutError(f"nothing came; the server says {b''.join(self.errors).decode()} {self.log}") from None
        if message.get("gone"):
            raise EOFError(f"the server is gone: {b''.join(self.errors).decode()}")
        method = message.get("method")
        if method == "textDocument/publishDiagnostics":
            said = message["params"]
            self.published.setdefault(said["uri"], []).append(said)
            self.diagnostics[said["uri"]] = said
        elif method == "window/logMessage":
            self.log.append(message["params"]["message"])
        elif method and "id" in message:
            self.asked.append(message)
            self._send({"id": message["id"], "result": None})
        elif "id" in message:
            self._answers[message["id"]] = message
        return message

    def begin(self, method: str, params: Any) -> int:
        """Send a request; `answer` waits for what comes back."""
        self._last += 1
        self._send({"id": self._last, "method": method, "params": params})
        return self._last

    def answer(self, number: int, wait: float = WAIT) -> Message:
        while number not in self._answers:
            self.step(wait)
        return self._answers.pop(number)

    def request(self, method: str, params: Any, wait: float = WAIT) -> Any:
        message = self.answer(self.begin(method, params), wait)
        if "error" in message:
            raise RuntimeError(message["error"]["message"])
        return message["result"]

    def notify(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def close(self) -> int:
        """Shut down in good order; the exit code."""
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(WAIT)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    # -- documents ----------------------------------------------------------------------------------------------------------------

    def open(self, path: Path, text: str | None = None, language: str = "") -> str:
        """Open a file, or a text that is not (or otherwise) on disk; returns its address."""
        uri = path.as_uri()
        self._versions[uri] = 1
        shown = path.read_bytes().decode() if text is None else text
        item = {"uri": uri, "languageId": language, "version": 1, "text": shown}
        self.notify("textDocument/didOpen", {"textDocument": item})
        return uri

    def edit(self, uri: str, *changes: Message) -> int:
        """Send changes: {"text"} or {"range", "text"}; returns the new version."""
        self._versions[uri] += 1
        document = {"uri": uri, "version": self._versions[uri]}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": list(changes)})
        return self._versions[uri]

    def save(self, path: Path, text: str | None = None) -> None:
        if text is not None:
            path.write_bytes(text.encode())
        self.notify("textDocument/didSave", {"textDocument": {"uri": path.as_uri()}})

    def shut(self, uri: str) -> None:
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def changed(self, *paths: Path, kind: int = 2) -> None:
        """Say that files changed on disk (1 created, 2 changed, 3 deleted)."""
        self.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": path.as_uri(), "type": kind} for path in paths]})

    def until(self, uri: str, *codes: str, version: int | None = None, without: tuple[str, ...] = ()) -> list[Message]:
        """Wait until a document's diagnostics are exactly those of `codes` (with `without`: at least these, and none of those)."""
        while True:
            said = self.diagnostics.get(uri)
            if said is not None and (version is None or said.get("version") == version):
                found = sorted(item["code"] for item in said["diagnostics"])
                good = set(codes) <= set(found) and not set(without) & set(found) if without else found == sorted(codes)
                if good:
                    return said["diagnostics"]
            try:
                self.step()
            except TimeoutError as error:
                raise AssertionError(f"{uri}: wanted {codes} (version {version}), got {said}") from error


def at(line: int, start: int, end: int | None = None) -> Message:
    """A range in one line; an empty one at `start` without `end`."""
    return {"start": {"line": line, "character": start}, "end": {"line": line, "character": start if end is None else end}}
