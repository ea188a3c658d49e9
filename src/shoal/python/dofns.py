"""DoFns of Beam: which states and timers a class declares, and what its methods do with each; what goes to other outputs; the steps of pipelines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.python.clients import reads
from shoal.python.facts import text_value
from shoal.python.tree import Call, ClassInfo, Function, descend, last_name
from shoal.python.values import ClassValue, FunctionValue, Instance, Known, Object, Symbol, Value, names, options
from shoal.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shoal.python.module import Module

STATES = names("ReadModifyWriteStateSpec BagStateSpec SetStateSpec CombiningValueStateSpec OrderedListStateSpec")

# Transforms that work on each record, and leave windows as they are.
EACH = names("Map FlatMap MapTuple FlatMapTuple Filter ParDo WithKeys Keys Values KvSwap Reshuffle")
# What WriteToFiles writes it gathers by destination and shard.
_GROUPS = ("GroupByKey", "GroupBy", "CombinePerKey", "CombineGlobally", "Distinct", "WriteToFiles")
_COMBINERS = ("Globally", "PerKey", "PerElement", "Of", "LargestPerKey", "SmallestPerKey", "Largest", "Smallest")  # combiners.Count.PerKey


class Cell(NamedTuple):
    """A state or timer: the name and the call of its spec, the calls of its own methods, and whether it is also handed to other code."""

    name: str
    made: Call
    uses: tuple[Call, ...]
    shared: bool

    def called(self, *methods: str) -> list[Call]:
        return [call for call in self.uses if call.name in methods]


def cells(module: Module, cls: ClassInfo, *kinds: str) -> list[Cell]:
    """The states or timers of these kinds that methods of a class take (`param=DoFn.StateParam(SPEC)`), in the order of their specs."""
    made = {id(call.node): call for call in module.named(*kinds) if module.qualified(call).startswith("apache_beam.")}
    found: dict[int, Cell] = {}
    for function in cls.methods.values():
        for param in function.params:
            default = param.default
            if not (isinstance(default, cst.Call) and isinstance(default.func, cst.Attribute) and default.args):
                continue
            name, spec = _spec(module, default.args[0].value, cls)
            if default.func.attr.value not in ("StateParam", "TimerParam") or id(spec) not in made:
                continue
            own = [call for call in function.calls if isinstance(call.receiver_node, cst.Name) and call.receiver_node.value == param.name]
            before = found.get(id(spec), Cell(name, made[id(spec)], (), False))
            shared = before.shared or reads(module, param.name, function.scope) > len(own)
            found[id(spec)] = before._replace(uses=(*before.uses, *own), shared=shared)
    return sorted(found.values(), key=lambda cell: cell.made.spot.statement)


def _spec(module: Module, node: Any, cls: ClassInfo) -> tuple[str, Any]:
    """The name of a spec that a parameter's default names, of the class or of the module, and what makes it."""
    name = last_name(node)
    found = cls.scope.bindings.get(name) or module.tree.root.bindings.get(name) or []
    return name, found[0].node if len(found) == 1 and found[0].kind == "assign" else None


def bigquery_writes(module: Module) -> list[Call]:
    """Where Beam's own transform writes to BigQuery."""
    return [call for call in module.named("WriteToBigQuery") if module.qualified(call).startswith("apache_beam.")]


def member(module: Module, call: Call, position: int, keyword: str) -> str:
    """The last name of an enumeration's member that a transform is given, `DEFAULT` where nothing is given, empty where it cannot be known."""
    node = call.argument(position, keyword)
    value = module.value(node, call.spot) if node is not None else Known(None)
    if isinstance(value, Known) and value.value is None:
        return "DEFAULT"
    return (text_value(module, value) or "").upper()


def keys(module: Module, cls: ClassInfo) -> list[tuple[Any, Any]]:
    """What records are keyed by before a DoFn sees them, as far as the pipeline shows it: expressions, each with its spot."""
    return [
        key
        for call in module.named("ParDo")
        if call.node.args and module.class_of(call.node.args[0].value, call.spot) is cls
        for key in key_before(module, call)
    ]


def key_before(module: Module, call: Call) -> list[tuple[Any, Any]]:
    """The key that the step before a transform gives each record: `Map(lambda x: (KEY, x))`, `WithKeys(KEY)`; a step may return several."""
    node = module.tree.statements[call.spot.statement].node
    steps = [unlabelled(step) for step in _steps(getattr(node, "value", None))]
    at = next((index for index, step in enumerate(steps) if step is call.node), 0)
    before = steps[at - 1] if at > 0 else None
    if not isinstance(before, cst.Call) or not before.args:
        return []
    name = last_name(before.func)
    given = before.args[0].value
    functions = module.function_of(given, call.spot)
    if name == "WithKeys" and not functions:
        return [(given, call.spot)]
    results = [one for function in functions for one in function.returns] if name in ("Map", "WithKeys") else []
    if name == "WithKeys":
        return [(value, spot) for value, spot in results if value is not None]
    return [(value.elements[0].value, spot) for value, spot in results if isinstance(value, cst.Tuple) and len(value.elements) == 2]


def _steps(node: Any) -> list[Any]:
    """The operands of `a | b | c`."""
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.BitOr):
        return [*_steps(node.left), node.right]
    return [node]


def unlabelled(node: Any) -> Any:
    """A transform without its name: `"name" >> transform`."""
    return node.right if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.RightShift) else node


def made(step: Any) -> tuple[Any, list[cst.Call]]:
    """What makes the transform of a step, and the calls of the methods that stand behind it there: `"name" >> ParDo(…).with_outputs(…)`."""
    step, methods = unlabelled(step), list[cst.Call]()
    while isinstance(step, cst.Call) and isinstance(step.func, cst.Attribute):
        inner = unlabelled(step.func.value)
        if not isinstance(inner, cst.Call):
            break
        methods.append(step)
        step = inner
    return step, methods


class Step(NamedTuple):
    """A transform in a pipeline: what stands before it (`a` of `a | transform`), and the methods that are called on it there."""

    left: Any
    methods: list[cst.Call]


def pipeline(module: Module) -> dict[int, Step]:
    """The steps of all pipelines of a module, by the node that makes the transform."""
    found = {}
    for node in descend(module.tree.node):
        if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.BitOr):
            step, methods = made(node.right)
            found[id(step)] = Step(node.left, methods)
    return found


def steps_before(module: Module, call: Call, steps: dict[int, Step]) -> Iterator[tuple[cst.Call, Any]]:
    """The calls that make the transforms before another one, the nearest first, each with its spot, as far as the pipeline shows them.

    A name stands for what it is given; one of several outputs (`parsed.good`) for the step that has them.
    """
    left: Any = steps[id(call.node)].left if id(call.node) in steps else None
    spot, seen = call.spot, set[int]()
    while left is not None and id(left) not in seen:
        seen.add(id(left))
        if isinstance(left, (cst.Attribute, cst.Subscript)):
            left = left.value
        if isinstance(left, cst.Name):
            found = module.lookup(left.value, spot)
            if len(found) != 1 or found[0][0].kind not in ("assign", "unpack"):
                return
            left, spot = found[0][0].node, found[0][0].spot
        if not (isinstance(left, cst.BinaryOperation) and isinstance(left.operator, cst.BitOr)):
            return
        step = made(left.right)[0]
        if not isinstance(step, cst.Call):
            return
        yield step, spot
        left = left.left


def called_with_records(module: Module, call: Call) -> Iterator[tuple[Function, str]]:
    """What a step calls with each record, and the name that the record has there and keeps."""
    given = call.node.args[0].value
    cls = module.class_of(given, call.spot)
    process = module.method(cls, "process") if cls is not None and call.name == "ParDo" else None
    for function in [process] if process is not None else module.function_of(given, call.spot):
        names = [param.name for param in function.params if param.kind == "plain" and param.name != function.self_name]
        if names and len(function.scope.bindings.get(names[0], ())) <= 1:
            yield function, names[0]


def made_by_beam(module: Module, node: Any, spot: Any) -> tuple[cst.Call | None, Any]:
    """The call of Beam's that makes a trigger or the like, at once or as what a name stands for."""
    if isinstance(node, cst.Name):
        found = module.lookup(node.value, spot)
        if len(found) == 1 and found[0][0].kind == "assign":
            node, spot = found[0][0].node, found[0][0].spot
    value = module.value(node.func, spot) if isinstance(node, cst.Call) else None
    return (node, spot) if isinstance(value, Symbol) and value.top == "apache_beam" else (None, spot)


def groupings(module: Module) -> list[Call]:
    """The transforms that gather records: of a key, or all."""
    found = [(call, module.qualified(call)) for call in module.named(*_GROUPS, *_COMBINERS)]
    return [call for call, name in found if name.startswith("apache_beam.") and (call.name in _GROUPS or ".combiners." in name)]


def shown(call: Call) -> str:
    """A transform's name as one knows it: `Count.PerKey` of `beam.combiners.Count.PerKey()`."""
    return f"{last_name(call.receiver_node)}.{call.name}" if call.name in _COMBINERS else call.name


def tags(module: Module, value: Value) -> list[tuple[str, Call | None]]:
    """The outputs beside the main one that a DoFn, or a function that runs as one, surely uses for some elements.

    Each with its tag, empty where that cannot be known, and with the call that makes the element, None where another module does.
    """
    found: list[tuple[str, Call | None]] = []
    for option in options(value):
        functions: list[Function] = []
        if isinstance(option, Symbol):
            found += [(tag, None) for tag in module.others.tags(option.name)]
        elif isinstance(option, FunctionValue):
            functions = [option.function]
        elif isinstance(option, (Instance, ClassValue)):
            methods = {name for cls in module.parents(option.cls) for name in cls.methods}
            functions = [method for name in sorted(methods) if (method := module.method(option.cls, name)) is not None]
        for call in (call for function in functions for call in function.calls):
            if call.name in _TAGGED and module.qualified(call).startswith("apache_beam.") and not _by_choice(call):
                tag = module.constant(call.argument(0, "tag"), call.spot)
                found.append((tag if isinstance(tag, str) else "", call))
    return found


_TAGGED = ("TaggedOutput", "OutputValue")


def _by_choice(call: Call) -> bool:
    """Whether an element is made only where a switch is on: a field that the constructor set, a parameter that is no record."""
    function = call.function
    assert function is not None
    switches = function.given_names[1:]
    for test in (arm.test for arm in call.spot.arms if arm.kind in ("if", "else", "and")):
        while isinstance(test, cst.UnaryOperation):
            test = test.expression
        if isinstance(test, cst.Comparison):
            test = test.left
        if isinstance(test, cst.Attribute):
            test = test.value
            if isinstance(test, cst.Name) and test.value == function.self_name:
                return True
        elif isinstance(test, cst.Name) and test.value in switches:
            return True
    return False


def never_run(module: Module, call: Call) -> bool:
    """Whether a call makes a pipeline of which the program makes steps and nothing else: no `with`, no `run()`, and nobody else is given it."""
    name, function = module.assigned(call), call.function
    if (
        not name
        or name in call.spot.scope.uses_globals
        or not any(isinstance(one, Object) and one.type == "beam.Pipeline" for one in options(module.result(call)))
    ):
        return False
    if sum(other.function is function for other in module.named("Pipeline")) > 1:
        return False  # of two in one function, the collections of one may be meant for the other
    # what shows a collection runs its pipeline, and so may who is given one
    if module.notebook or "interactive" in module.raw or "pipeline" in module.tree.attribute_names:
        return False
    if function is not None and (function.yields or any(node is not None for node, _ in function.returns)):
        return False
    steps = sum(
        isinstance(node, cst.BinaryOperation)
        and isinstance(node.operator, cst.BitOr)
        and isinstance(node.left, cst.Name)
        and node.left.value == name
        for node in descend(module.tree.node if function is None else function.node)
    )
    return steps > 0 and steps == reads(module, name, call.spot.scope)
