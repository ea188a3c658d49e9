"""`typing.NamedTuple`, made when it is first needed.

To make such a class takes 0.1 ms, since each annotation is compiled; a commit hook imports some eighty of them and needs few. Type checkers take it
for what `typing` has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    from collections import namedtuple

    class _Maker(type):
        def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> type:
            fields = tuple(namespace["__annotations__"])
            defaults = {field: namespace.pop(field) for field in fields if field in namespace}

            def complete() -> None:
                """Take over from the standard library's own class: fields, constructor, methods."""
                made = namedtuple(name, fields, defaults=defaults.values(), module=namespace["__module__"])
                for part, value in vars(made).items():
                    if part not in namespace and (part in fields or part in _TAKEN):
                        setattr(own, part, value)

            def first(kind: type, *given: Any, **named: Any) -> Any:
                complete()
                return own.__new__(kind, *given, **named)

            def made(kind: type, values: Any) -> Any:
                complete()
                return kind._make(values)

            before = {"__slots__": (), "_fields": fields, "_field_defaults": defaults, "__match_args__": fields}
            own = type(name, (tuple,), {**before, "__new__": first, "_make": classmethod(made), **namespace})
            return own

    _TAKEN = frozenset({"__new__", "_make", "_replace", "_asdict", "__repr__", "__getnewargs__", "__replace__"})
    NamedTuple = type.__new__(_Maker, "NamedTuple", (), {})
