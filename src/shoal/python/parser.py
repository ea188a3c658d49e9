"""Loading LibCST, in half the time that `import libcst` takes, with nodes that are made faster."""

from __future__ import annotations

from sys import modules
from typing import Any


def load() -> None:
    """Import LibCST and what reads its trees. Whoever has imported it before keeps it as it is: it only is slower.

    Its 173 kinds of nodes are frozen data classes, for each of which Python compiles methods that forbid a change; and a frozen node sets each of its
    attributes by a call. Nothing here changes a node, so they are made plain, while LibCST is imported, and for its own classes alone.
    """
    if "libcst" not in modules:
        import dataclasses  # which takes long by itself

        given: Any = dataclasses.dataclass

        def plain(cls: type | None = None, /, **options: Any) -> Any:
            def decorate(decorated: type) -> Any:
                # LibCST gives each node the comparison, hash and representation of its base, and a data class would leave them as they are
                if decorated.__module__.startswith("libcst._nodes.") and options.get("frozen"):
                    return given(**{**options, "frozen": False, "eq": False, "repr": False})(decorated)
                return given(**options)(decorated)

            return decorate if cls is None else decorate(cls)

        dataclasses.dataclass = plain
        try:
            import libcst  # noqa: F401
        finally:
            dataclasses.dataclass = given
    import shoal.python.module  # noqa: F401
