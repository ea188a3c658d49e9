"""What classes of a module make of PyFlink's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shoal.python.module import Module
    from shoal.python.tree import Function


def overridden(module: Module, methods: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, str, Function]]:
    """The undecorated methods of the module's classes under some of PyFlink's names for them: its class, the method's name, the function.

    `methods`: those that are asked for, by the last part of the class's name.
    """
    for cls in module.classes:
        for base in module.bases(cls):
            kind = base.rpartition(".")[2]
            for name in methods.get(kind, ()) if base.startswith("pyflink.") else ():
                function = cls.methods.get(name)
                if function is not None and not function.decorators:
                    yield kind, name, function
