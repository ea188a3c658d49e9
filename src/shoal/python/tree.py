"""What is known of a module of Python once it is walked through (`walk`): scopes and their bindings, functions, classes, calls, and where each stands."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Set
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

import libcst as cst

from shoal.python.values import names
from shoal.records import NamedTuple

# What a test wraps around code that is to fail.
_RAISES = frozenset({"raises", "assertRaises", "assertRaisesRegex"})


class Arm(NamedTuple):
    """A part of a compound statement that runs on some paths only. Arms of one `group` and different `index` exclude each other."""

    group: int
    index: int  # type: ignore[assignment]  # shadows tuple.index, which nobody calls here
    kind: str  # if, else, loop, except, case, and
    test: Any = None  # the condition's node


class Spot:
    """Where an expression is evaluated: its scope, its statement and the arms around it."""

    __slots__ = ("arms", "cleanup", "function", "guarded", "scope", "statement", "withs")

    def __init__(
        self,
        scope: Scope,
        statement: int,
        arms: tuple[Arm, ...],
        function: Function | None,
        guarded: tuple[cst.CSTNode, ...],
        withs: tuple[cst.CSTNode, ...],
        cleanup: bool,
    ) -> None:
        self.scope = scope
        self.statement = statement  # index into Tree.statements, in source order
        self.arms = arms
        self.function = function
        self.guarded = guarded  # the `try` statements whose body this stands in, inside the function, outermost first
        self.withs = withs  # the expressions of the `with` statements around
        self.cleanup = cleanup  # inside a finally block

    @property
    def conditional(self) -> bool:
        """Whether it runs on some paths only; loops and bodies of `try` count as always."""
        return any(arm.kind not in ("loop", "main") for arm in self.arms)

    @property
    def sometimes(self) -> bool:
        """Whether only some rounds of the innermost loop, or some calls of the function outside of loops, come to it."""
        inner = itertools.takewhile(lambda arm: arm.kind != "loop", reversed(self.arms))
        return any(arm.kind != "main" for arm in inner)

    def on_some_paths(self, of: Spot) -> bool:
        """Whether it runs on some of the paths only that come to another spot of the function: in an `if` in which that one does not stand."""
        return any(arm.kind not in ("loop", "main") and arm not in of.arms for arm in self.arms)

    def in_loop(self) -> bool:
        return any(arm.kind == "loop" for arm in self.arms)

    @property
    def loops(self) -> list[Any]:
        """The loops around, inside the function, outermost first."""
        return [arm.test for arm in self.arms if arm.kind == "loop"]

    @property
    def loop(self) -> Any:
        """The innermost loop around; None outside of any."""
        return next((arm.test for arm in reversed(self.arms) if arm.kind == "loop"), None)

    def loop_of(self, loops: Set[int]) -> Any:
        """The innermost loop around that is one of these (by id); None where there is none."""
        return next((arm.test for arm in reversed(self.arms) if arm.kind == "loop" and id(arm.test) in loops), None)

    def expects_error(self) -> bool:
        """Whether a test wants an exception here: `with pytest.raises(…)`, `with self.assertRaises(…)`."""
        return any(isinstance(one, cst.Call) and last_name(one.func) in _RAISES for one in self.withs)

    def may_give_way(self, other: Spot) -> bool:
        """Whether a handler around this spot may go on at the other, which stands outside of its `try`."""
        return any(node not in other.guarded for node in self.guarded)

    def excludes(self, other: Spot) -> bool:
        """Whether the two stand in different arms of one statement, so that only one of them runs."""
        return any(one.group == arm.group and one.index != arm.index for one in self.arms for arm in other.arms)


class Binding(NamedTuple):
    """One way a name gets a value.

    kind  `assign` (node is the value), `unpack` (the value, `detail` the index), `import` (`detail` the dotted name), `function`,
          `class`, `param`, `augmented`, `for`, `with` (the context manager), `unknown`
    """

    kind: str
    node: Any
    spot: Spot
    detail: Any = None


class Scope:
    __slots__ = ("bindings", "changes", "kind", "outer", "owner", "stars", "uses_globals")

    def __init__(self, kind: str, outer: Scope | None, owner: Any = None) -> None:
        self.kind = kind  # module, class, function, comprehension
        self.outer = outer
        self.owner = owner
        self.bindings: dict[str, list[Binding]] = {}
        self.changes: dict[str, list[tuple[str, Any, Any, Spot]]] = {}  # d[k] = v, d.update(x): (how, key node, value node, spot)
        self.stars: list[str] = []
        self.uses_globals: set[str] = set()

    def bind(self, name: str, binding: Binding) -> None:
        scope = self
        if name in self.uses_globals:
            while scope.outer is not None:
                scope = scope.outer
        while scope.kind == "comprehension" and binding.kind == "walrus" and scope.outer is not None:
            scope = scope.outer
        scope.bindings.setdefault(name, []).append(binding)


class Param(NamedTuple):
    name: str
    default: Any
    annotation: Any
    kind: str  # plain, star, keyword, stars


class Function:
    """A `def`, `async def` or lambda."""

    __slots__ = (
        "body",
        "calls",
        "cls",
        "contexts",
        "decorators",
        "is_async",
        "is_lambda",
        "name",
        "node",
        "outer",
        "params",
        "returns",
        "scope",
        "spot",
        "yielded",
    )

    def __init__(self, name: str, node: Any, spot: Spot, cls: ClassInfo | None, outer: Function | None, scope: Scope) -> None:
        self.name = name
        self.node = node
        self.spot = spot
        self.cls = cls
        self.outer = outer
        self.scope = scope
        self.is_lambda = isinstance(node, cst.Lambda)
        self.is_async = not self.is_lambda and node.asynchronous is not None
        self.decorators: list[Any] = [] if self.is_lambda else [decorator.decorator for decorator in node.decorators]
        self.params: list[Param] = []
        self.calls: list[Call] = []
        self.returns: list[tuple[Any, Spot]] = []  # (value node or None, spot)
        self.yielded: list[tuple[Any, Spot]] = []  # (value node or None, spot)
        self.body: Any = node.body
        self.contexts: Any = None

    @property
    def yields(self) -> bool:
        return bool(self.yielded)

    @property
    def qualname(self) -> str:
        return f"{self.cls.name}.{self.name}" if self.cls else self.name

    @property
    def self_name(self) -> str:
        """The name of the instance in a method, else empty."""
        if (
            self.cls is None
            or not self.params
            or any(isinstance(d, cst.Name) and d.value in ("staticmethod", "classmethod") for d in self.decorators)
        ):
            return ""
        return self.params[0].name

    @property
    def given_names(self) -> list[str]:
        """The names of its parameters, without the instance of a method."""
        own = self.self_name
        return [param.name for param in self.params if param.name != own]

    def param(self, name: str) -> Param | None:
        return next((param for param in self.params if param.name == name), None)


class ClassInfo:
    """A class: its bases and keywords as nodes, methods by name, and what is assigned to attributes of its instances."""

    __slots__ = ("attributes", "bases", "decorators", "keywords", "methods", "name", "node", "outer", "scope", "spot")

    def __init__(self, name: str, node: cst.ClassDef, spot: Spot, scope: Scope) -> None:
        self.name = name
        self.node = node
        self.spot = spot
        self.scope = scope
        self.bases = [base.value for base in node.bases]
        self.keywords = {keyword.keyword.value: keyword.value for keyword in node.keywords if keyword.keyword is not None}
        self.decorators = [decorator.decorator for decorator in node.decorators]
        self.methods: dict[str, Function] = {}
        self.attributes: dict[str, list[Binding]] = {}


class Call:
    """A call. `name` is what stands before the parenthesis (`c` of `a.b.c()`), `use` what becomes of the result:
    `dropped` (a statement of its own), `awaited`, `assigned`, `returned`, `argument`, `chained` (`.x` follows), `yielded`, `entered` (`with`), `other`."""

    __slots__ = ("function", "name", "node", "spot", "use")

    def __init__(self, node: cst.Call, name: str, spot: Spot, function: Function | None, use: str) -> None:
        self.node = node
        self.name = name
        self.spot = spot
        self.function = function
        self.use = use

    @property
    def receiver_node(self) -> Any:
        """The node before the last dot, None for a plain name."""
        func = self.node.func
        return func.value if isinstance(func, cst.Attribute) else None

    @property
    def args(self) -> Any:
        return self.node.args

    def argument(self, position: int, keyword: str = "") -> Any:
        """The node of an argument by position or keyword; None when it is not given or hidden in `*args`."""
        at = 0
        starred = False
        for arg in self.node.args:
            if arg.keyword is not None:
                if keyword and arg.keyword.value == keyword:
                    return arg.value
            elif arg.star == "":
                if at == position and not starred:
                    return arg.value
                at += 1
            elif arg.star == "*":
                starred = True
        return None

    def has_keyword(self, *names: str) -> bool:
        return any(arg.keyword is not None and arg.keyword.value in names for arg in self.node.args)

    @property
    def has_stars(self) -> bool:
        """Whether arguments come from `*args` or `**kwargs`, so that one not seen may still be given."""
        return any(arg.star for arg in self.node.args)


class Statement(NamedTuple):
    node: Any
    indent: str
    spot: Spot


def alone(tree: Tree, call: Call) -> bool:
    """Whether a call, or `await` of it, is a statement of its own."""
    node = tree.statements[call.spot.statement].node
    return isinstance(node, cst.Expr) and unawaited(node.value) is call.node


def unawaited(node: Any) -> Any:
    """What is awaited, of `await` of something; anything else as it is."""
    return node.expression if isinstance(node, cst.Await) else node


def key_of(node: cst.Subscript) -> Any:
    """What stands in the brackets of `x[key]`; None for a slice, or several."""
    index = node.slice[0].slice if len(node.slice) == 1 else None
    return index.value if isinstance(index, cst.Index) else None


class Tree:
    """What the walk found, in source order."""

    def __init__(self, module: cst.Module) -> None:
        self.node = module
        self.root = Scope("module", None)
        self.calls: list[Call] = []
        self.functions: list[Function] = []
        self.classes: list[ClassInfo] = []
        self.statements: list[Statement] = []
        self.lambdas: dict[int, Function] = {}
        self.comprehensions: dict[int, Spot] = {}
        self.awaits: list[tuple[Any, Spot]] = []
        self.subscripts: list[tuple[cst.Subscript, Spot]] = []
        self.attributes: dict[str, list[tuple[cst.Attribute, Spot]]] = {}  # those that are read, and not called, by their last name
        self.comparisons: list[tuple[cst.Comparison, Spot]] = []
        self.name_uses: dict[str, list[Scope]] = {}  # where names are read, by name
        self.attribute_sets: list[tuple[cst.Attribute, Any, Spot]] = []  # x.y = value, on anything but `self`
        self.returned: dict[int, Function] = {}
        self._of_kind: dict[type, list[Statement]] | None = None
        self._calls_in: dict[int, list[int]] | None = None  # their numbers, by the ids of the loops that they are in
        self._statements_in: dict[int, list[int]] | None = None

    @property
    def attribute_names(self) -> Set[str]:
        """The last names of the attributes that are read, and not called."""
        return self.attributes.keys()

    def of_kind(self, *kinds: type) -> list[Statement]:
        """The statements whose nodes are of these classes, in source order."""
        if self._of_kind is None:
            self._of_kind = {}
            for statement in self.statements:
                self._of_kind.setdefault(statement.node.__class__, []).append(statement)
        found = [self._of_kind.get(kind, []) for kind in kinds]
        return found[0] if len(found) == 1 else sorted((one for group in found for one in group), key=lambda one: one.spot.statement)

    def calls_in(self, loops: Set[int]) -> list[Call]:
        """The calls in any of these loops (by id), in source order."""
        if self._calls_in is None:
            self._calls_in = _by_loop([call.spot for call in self.calls])
        return [self.calls[number] for number in _of_any(self._calls_in, loops)]

    def statements_in(self, loops: Set[int]) -> list[Statement]:
        """The statements in any of these loops (by id), in source order; not the loops themselves."""
        if self._statements_in is None:
            self._statements_in = _by_loop([statement.spot for statement in self.statements])
        return [self.statements[number] for number in _of_any(self._statements_in, loops)]


def _by_loop(spots: list[Spot]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for number, spot in enumerate(spots):
        for arm in spot.arms:
            if arm.kind == "loop":
                found.setdefault(id(arm.test), []).append(number)
    return found


def _of_any(found: dict[int, list[int]], loops: Set[int]) -> list[int]:
    if len(loops) == 1:
        return found.get(next(iter(loops)), [])
    return sorted({number for loop in loops for number in found.get(loop, ())})


# Fields that hold layout rather than meaning.
_LAYOUT = names(
    "lpar rpar comma semicolon leading_lines lines_after_decorators lines_after_else header footer newline trailing_whitespace lbracket rbracket "
    "lbrace rbrace equal dot asynchronous star operator indent colon first_colon second_colon default_indent default_newline encoding "
    "has_trailing_newline whitespace ops prefix start end conversion"
)


@cache
def meaning() -> dict[type, tuple[str, ...]]:
    """The fields of each kind of node that hold what it means, in source order."""
    table: dict[type, tuple[str, ...]] = {}
    for kind in vars(cst).values():
        if isinstance(kind, type) and issubclass(kind, cst.CSTNode) and is_dataclass(kind):
            table[kind] = tuple(
                field.name for field in fields(kind) if field.name not in _LAYOUT and not field.name.startswith("whitespace")
            )
    return table


def chain(call: Call) -> dict[str, Call]:
    """The calls before this one in its chain, by name."""
    found: dict[str, Call] = {}
    node: Any = call.receiver_node
    while node is not None:
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
            found.setdefault(node.func.attr.value, Call(node, node.func.attr.value, call.spot, call.function, "chained"))
            node = node.func.value
        elif isinstance(node, cst.Attribute):
            node = node.value
        else:
            break
    return found


def contains(node: Any, part: Any) -> bool:
    """Whether a node is another one, or has it somewhere inside; None has nothing."""
    return node is not None and any(one is part for one in descend(node))


def descend(node: Any, without: tuple[type[Any], ...] = ()) -> Iterator[Any]:
    """A node and all that it means, in source order, without layout. Nodes of the kinds `without` are given, but what is in them is not."""
    fields_of = meaning()
    waiting = [node]
    while waiting:
        at = waiting.pop()
        yield at
        if not isinstance(at, without):
            found: list[Any] = []
            for name in fields_of.get(at.__class__, ()):
                child = getattr(at, name)
                found += child if child.__class__ is tuple or child.__class__ is list else (child,)
            waiting += [child for child in reversed(found) if child.__class__ in fields_of]


def parts(node: Any) -> Iterator[Any]:
    """What a node means, one level down, in source order, without layout."""
    fields_of = meaning()
    for name in fields_of.get(node.__class__, ()):
        child = getattr(node, name)
        for one in child if child.__class__ is tuple or child.__class__ is list else (child,):
            if one.__class__ in fields_of:
                yield one


def beginning(node: Any, through: tuple[type[Any], ...] = (cst.Call, cst.Attribute)) -> str:
    """The name that an expression of such steps begins with: `name.take(10).events()`. Empty when it begins with something else."""
    while isinstance(node, through):
        node = node.func if isinstance(node, cst.Call) else node.value
    return node.value if isinstance(node, cst.Name) else ""


# Methods that change a list, a set, a dict or a deque in place.
CHANGES = names("append extend add insert remove discard appendleft extendleft sort update setdefault pop popitem popleft clear")

# `name = value` and `name: Type = value`.
ASSIGNMENTS = (cst.Assign, cst.AnnAssign)


def targets(node: Any) -> list[Any]:
    """What a statement gives a value: the targets of an assignment, augmented or annotated ones among them."""
    if isinstance(node, cst.Assign):
        return [one.target for one in node.targets]
    return [node.target] if isinstance(node, (cst.AnnAssign, cst.AugAssign)) and node.value is not None else []


def kept_in(tree: Tree, call: Call) -> list[Any]:
    """The targets that are given what a call gives, where it is all that their statement gives them."""
    node = tree.statements[call.spot.statement].node
    return targets(node) if isinstance(node, ASSIGNMENTS) and node.value is call.node else []


def inside(module: str, name: str) -> str:
    """The dotted name of what a module has; that of a relative one may be nothing but dots."""
    return f"{module}.{name}" if module.strip(".") else module + name


def given_to(tree: Tree, name: str) -> list[Statement]:
    """The statements that give a dotted name (`self.consumer`) a value, wherever they stand."""
    return [one for one in tree.of_kind(*ASSIGNMENTS, cst.AugAssign) if any(dotted(target) == name for target in targets(one.node))]


def sure_imports(tree: Tree) -> Iterator[tuple[cst.ImportFrom, Spot]]:
    """The `from package import …` that run whatever happens: in no `try` and under no condition."""
    for node, _, spot in tree.of_kind(cst.ImportFrom):
        if node.module is not None and not node.relative and not (spot.guarded or spot.conditional):
            yield node, spot


def dotted(node: Any) -> str:
    """`a.b.c` of names and attributes, empty for anything else."""
    parts = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    if not isinstance(node, cst.Name):
        return ""
    parts.append(node.value)
    return ".".join(reversed(parts))


def decorating(decorator: Any) -> Any:
    """What a decorator names, with arguments or without: `@task`, `@task(retries=2)`."""
    return decorator.func if isinstance(decorator, cst.Call) else decorator


def is_none(node: Any) -> bool:
    """Whether it is the word `None`."""
    return isinstance(node, cst.Name) and node.value == "None"


def last_name(node: Any) -> str:
    """`c` of `a.b.c` and of `c`, empty for anything else: what a call is known by."""
    return node.attr.value if isinstance(node, cst.Attribute) else node.value if isinstance(node, cst.Name) else ""


def evaluated(statement: Any) -> Iterator[Any]:
    """What a statement itself evaluates, and all that is in it: the condition of an `if` or `while`, what a `for` runs over, a simple one as a whole."""
    if isinstance(statement, (cst.If, cst.While)):
        yield from descend(statement.test)
    elif isinstance(statement, cst.For):
        yield from descend(statement.iter)
    elif not hasattr(statement, "body"):
        yield from descend(statement)


def is_main(test: Any) -> bool:
    """Whether a condition is `__name__ == "__main__"`."""
    return isinstance(test, cst.Comparison) and isinstance(test.left, cst.Name) and test.left.value == "__name__"
