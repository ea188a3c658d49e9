"""Loading LibCST, in a third of the time that `import libcst` takes, with nodes that are made faster."""

from __future__ import annotations

from importlib import import_module
from sys import modules
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import libcst

_ENTRY_POINTS = "libcst._parser.entrypoints"


def load() -> None:
    """Import LibCST and what reads its trees. Whoever has imported it before keeps it as it is: it only is slower.

    Its 173 kinds of nodes are frozen data classes, for each of which Python compiles methods that forbid a change; and a frozen node sets each of its
    attributes by a call. Nothing here changes a node, so they are made plain, while LibCST is imported, and for its own classes alone. What makes
    a node is compiled when the first of its kind is made: a program has half of the kinds. What LibCST finds out about names, scopes and types, and its
    reading of encodings, with a tokenizer for it, are loaded when somebody asks for them: nothing here does.
    """
    if "libcst" not in modules:
        import dataclasses  # which takes long by itself

        given: Any = dataclasses.dataclass

        def plain(cls: type | None = None, /, **options: Any) -> Any:
            def decorate(decorated: Any) -> Any:
                if not (decorated.__module__.startswith("libcst._nodes.") and options.get("frozen")):
                    return given(**options)(decorated)
                own = "__init__" in vars(decorated)
                # LibCST gives each node the comparison, hash and representation of its base, and a data class would leave them as they are
                made = given(**{**options, "frozen": False, "eq": False, "repr": False, "init": False})(decorated)
                if not own:
                    made.__init__ = _made_later
                return made

            return decorate if cls is None else decorate(cls)

        dataclasses.dataclass = plain
        later = _later("libcst", "metadata")
        modules[_ENTRY_POINTS] = _EntryPoints(_ENTRY_POINTS)
        try:
            import libcst

            if later:
                setattr(libcst, "metadata", later)  # noqa: B010 - as the import of a package does
        finally:
            dataclasses.dataclass = given
    import shoal.python.module  # noqa: F401


def parse(text: str) -> libcst.Module:
    """The tree of a whole module. Raises `libcst.ParserSyntaxError`. It is `libcst.parse_module` for what has been decoded already."""
    native: Any = import_module("libcst.native")  # which has no types
    found: libcst.Module = native.parse_module(text, encoding="utf-8")
    return found


class _EntryPoints(ModuleType):
    """LibCST's functions that parse, which it takes at its start, each of which loads the module that they are in when it is called."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what an import asks of a module
            raise AttributeError(name)
        if not name.startswith("parse_"):
            return getattr(_entry_points(), name)

        def called(*values: Any, **named: Any) -> Any:
            return getattr(_entry_points(), name)(*values, **named)

        return called


def _entry_points() -> ModuleType:
    if isinstance(modules.get(_ENTRY_POINTS), _EntryPoints):
        del modules[_ENTRY_POINTS]
    return import_module(_ENTRY_POINTS)


class _Package(ModuleType):
    """A package whose own module runs when something is asked for that the modules in it have not brought."""

    def __getattr__(self, name: str) -> Any:
        self.__class__ = ModuleType  # type: ignore[assignment] # once is enough
        self.__spec__.loader.exec_module(self)  # type: ignore[union-attr]
        return getattr(self, name)


def _later(package: str, name: str) -> Any:
    """A package in another one, which is to run later; nothing where it cannot be found, and is imported as ever."""
    from importlib.machinery import PathFinder

    outer = PathFinder.find_spec(package)
    spec = PathFinder.find_spec(f"{package}.{name}", outer.submodule_search_locations) if outer else None
    if not (spec and spec.loader and spec.submodule_search_locations):
        return None
    made: Any = _Package(spec.name)
    made.__spec__, made.__loader__, made.__package__ = spec, spec.loader, spec.name
    made.__path__, made.__file__ = spec.submodule_search_locations, spec.origin
    modules[spec.name] = made
    return made


def _made_later(self: Any, *values: Any, **named: Any) -> None:
    """Stands for the `__init__` of a kind of node, until the first of it is made."""
    kind = next((kind for kind in type(self).__mro__ if vars(kind).get("__init__") is _made_later), None)
    if kind:
        setattr(kind, "__init__", _init_of(kind))  # noqa: B010 - no method of its own
    type(self).__init__(self, *values, **named)


def _init_of(kind: Any) -> Any:
    """The `__init__` that `dataclasses` would make for a kind of node: nothing in it comes from what is scanned."""
    from dataclasses import MISSING, fields

    given: dict[str, Any] = {"missing": MISSING}
    parameters, body = ["self"], []
    for field in fields(kind):
        parameter, value = field.name, field.name
        if field.default is not MISSING:
            given[f"default_{field.name}"] = field.default
            parameter = f"{field.name}=default_{field.name}"
        elif field.default_factory is not MISSING:
            given[f"make_{field.name}"] = field.default_factory
            parameter, value = f"{field.name}=missing", f"make_{field.name}() if {field.name} is missing else {field.name}"
        parameters.append(parameter)
        body.append(f" self.{field.name} = {value}\n")
    if hasattr(kind, "__post_init__"):
        body.append(" self.__post_init__()\n")
    exec(f"def __init__({', '.join(parameters)}):\n{''.join(body) or ' pass'}", given)
    return given["__init__"]
