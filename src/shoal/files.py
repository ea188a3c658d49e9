"""Reading and writing ordinary files: bounded, never waiting on a FIFO, written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterable

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)


def cache_folder() -> str:
    """Where prepared data of a checkout and run caches are kept: never inside a scanned tree, which must not be trusted."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.environ.get("SHOAL_CACHE_DIR") or os.path.join(base, "shoal")


def read_bytes(path: str, limit: int) -> bytes:
    """All bytes of an ordinary file. Raises OSError: EFBIG when it holds more than `limit`, EINVAL when it is no ordinary file."""
    descriptor = os.open(path, _FLAGS)
    try:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode):
            raise OSError(errno.EINVAL, "not an ordinary file")
        if info.st_size > limit:
            raise OSError(errno.EFBIG, "file too large")
        data = os.read(descriptor, info.st_size + 1)
        if len(data) == info.st_size:
            return data
        chunks = [data]  # files that grow, and those of /proc, which call themselves empty
        size = len(data)
        while chunk := os.read(descriptor, 65536):
            chunks.append(chunk)
            size += len(chunk)
            if size > limit:
                raise OSError(errno.EFBIG, "file too large")
        return b"".join(chunks)
    finally:
        os.close(descriptor)


def write_bytes(path: str, data: bytes, like: os.stat_result | None = None) -> None:
    """Replace a file in one step; the new file keeps the rights (and, where allowed, the owner) of `like`."""
    write_pieces(path, (data,), like)


def write_pieces(path: str, pieces: Iterable[bytes], like: os.stat_result | None = None) -> None:
    """The same with what is made piece by piece."""
    scratch = f"{path}.shoal-{os.getpid()}"
    try:
        descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600 if like else 0o666)
        with open(descriptor, "wb") as file:
            file.writelines(pieces)
            if like is not None and hasattr(os, "fchmod"):
                if hasattr(os, "fchown") and (like.st_uid, like.st_gid) != (os.geteuid(), os.getegid()):
                    with contextlib.suppress(OSError):
                        os.fchown(descriptor, like.st_uid, like.st_gid)
                os.fchmod(descriptor, stat.S_IMODE(like.st_mode))
        os.replace(scratch, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(scratch)
        raise
