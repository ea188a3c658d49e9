"""Sizes of containers and heaps."""

from __future__ import annotations

import pytest

from shoal.values.containers import compose_memory, heap, kubernetes_memory

MIB, GIB = 1024.0**2, 1024.0**3


@pytest.mark.parametrize(
    ("text", "size"), [("768m", 768 * MIB), ("1.5GB", 1.5 * GIB), ("1gib", GIB), (" 1024 ", 1024.0), ("", None), ("1x", None), ("m", None)]
)
def test_compose(text: str, size: float | None) -> None:
    assert compose_memory(text) == size


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1Gi", GIB),
        ("512Mi", 512 * MIB),
        ("1G", 1e9),
        ("1500M", 1.5e9),
        ("100k", 1e5),
        ("1e9", 1e9),
        ("2E", 2e18),
        ("1Ei", 1024.0**6),
        ("128974848000m", 128974848.0),
        ("1073741824", GIB),
        ("1gi", None),
        ("1 Gi", None),
        ("", None),
    ],
)
def test_kubernetes(text: str, size: float | None) -> None:
    assert kubernetes_memory(text) == size


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ("-Xms256M -Xmx2G", ("-Xmx2G", 2 * GIB)),
        ('"-Xmx512m"', ("-Xmx512m", 512 * MIB)),
        ("-Xmx1g -Dx=-Xmx9g -Xmx2g", ("-Xmx2g", 2 * GIB)),
        ("-Xmx1073741824", ("-Xmx1073741824", GIB)),
        ("-XX:MaxRAMPercentage=60", None),
        ("-Xmx", None),
    ],
)
def test_heap(options: str, found: tuple[str, float] | None) -> None:
    assert heap(options) == found
