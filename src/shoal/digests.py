"""SHA-256 and BLAKE2 as `hashlib` has them, but without OpenSSL, which takes 3 ms to load: a commit hook's run is 80 ms in all."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any


def _find(name: str, *modules: str) -> Callable[..., Any]:
    for module in modules:
        try:
            found: Callable[..., Any] = getattr(import_module(module), name)
        except (ImportError, AttributeError):  # another Python, or one built without it
            continue
        return found
    return getattr(import_module("hashlib"), name)  # type: ignore[no-any-return]


if TYPE_CHECKING:
    from hashlib import blake2b as blake2b
    from hashlib import sha256 as sha256
else:
    blake2b = _find("blake2b", "_blake2")
    sha256 = _find("sha256", "_sha2", "_sha256")
