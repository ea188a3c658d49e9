"""Paths in object stores, by the schemes of Hadoop's file systems for them."""

from __future__ import annotations

from shoal.lazy import pattern

# Stores without an atomic rename. Azure's `abfs` has one, where the account has a hierarchical namespace.
SCHEME = r"s3|s3a|s3n|oss|cosn|obs|gs|swift"
_PATH = pattern(rf"\s*({SCHEME})://")


def scheme(path: str) -> str:
    """`s3a` of `s3a://bucket/folder`; empty for a path elsewhere."""
    found = _PATH.match(path)
    return found.group(1) if found else ""
