"""How much memory a container may use, as compose files and Kubernetes manifests write it, and how large a JVM's heap may grow."""

from __future__ import annotations

import re

from shoal.lazy import pattern

_COMPOSE = pattern(r"(\d{1,15}(?:\.\d{1,9})?)\s*([kmgt]?)i?b?", re.IGNORECASE)
_KUBERNETES = pattern(r"(\d{1,19}(?:\.\d{1,9})?)(m|[kMGTPE]|[KMGTPE]i|[eE][+-]?\d{1,2})?")
# Any quantity, of memory or not: `500m`, `.5`, `1e3`, `-2Ki`.
_QUANTITY = pattern(r"[+-]?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[numkMGTPE]|[KMGTPE]i|[eE][+-]?\d{1,3})?")
_HEAP = pattern(r"(?<!\S)[\"']?-Xmx(\d{1,15})([kmgt]?)[\"']?(?!\S)", re.IGNORECASE)
_DECIMAL = " kMGTPE"
_BINARY = " KMGTPE"


def compose_memory(text: str) -> float | None:
    """Bytes of `768m`, `1.5gb`, `1073741824`: every unit counts by 1024."""
    found = _COMPOSE.fullmatch(text.strip())
    return float(found.group(1)) * 1024 ** " kmgt".index(found.group(2).lower() or " ") if found else None


def kubernetes_memory(text: str) -> float | None:
    """Bytes of `1Gi` (by 1024), `1G` (by 1000), `1e9`, `128974848000m` (thousandths)."""
    found = _KUBERNETES.fullmatch(text.strip())
    if found is None:
        return None
    amount, unit = float(found.group(1)), found.group(2) or ""
    if unit == "m":
        return amount / 1000
    if unit[:1] in ("e", "E") and len(unit) > 1 and unit != "Ei":
        return amount * 10.0 ** int(unit[1:])
    return amount * 1024.0 ** _BINARY.index(unit[0]) if unit.endswith("i") else amount * 1000.0 ** _DECIMAL.index(unit or " ")


def is_quantity(text: str) -> bool:
    """Whether Kubernetes takes a text for a quantity (`resource.ParseQuantity`): units are as good as case-sensitive, and `B` is none."""
    return _QUANTITY.fullmatch(text) is not None


def heap(options: str) -> tuple[str, float] | None:
    """The option among a JVM's that says how large its heap may grow, and the bytes: of several the last one."""
    found = list(_HEAP.finditer(options))
    if not found:
        return None
    amount, unit = found[-1].groups()
    return found[-1].group().strip("\"'"), float(amount) * 1024 ** " kmgt".index(unit.lower() or " ")
