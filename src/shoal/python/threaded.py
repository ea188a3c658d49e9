"""Methods that a thread is asked to run: `await asyncio.to_thread(consumer.poll, 1.0)`, `loop.run_in_executor(None, lambda: consumer.commit(message))`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from shoal.python.tree import Call, alone

if TYPE_CHECKING:
    from shoal.python.module import Module
    from shoal.python.values import Object

# Where the function stands that they are given; its own arguments follow. These give what it gives, once they are awaited.
AWAITED = {"to_thread": 0, "run_sync": 0, "run_in_executor": 1}
_RUNS = {**AWAITED, "submit": 0}
# What hands a function on, by its name.
HANDS_ON = (*_RUNS, "apply_async", "Thread", "Process", "Timer")


def handed_on(call: Call) -> tuple[Any, list[cst.Arg]] | None:
    """The function that a call has a thread or a process run, and what it is given there; None for any other call.

    `pool.submit(run, consumer)`, `pool.apply_async(run, (consumer,))`, `Thread(target=run, args=(consumer,))`, or a class of a name that ends so.
    """
    position = _RUNS.get(call.name)
    if position is not None:
        node = call.argument(position)
        return (node, list(call.node.args[position + 1 :])) if node is not None else None
    if call.name == "apply_async":
        node, args = call.argument(0), call.argument(1, "args")
    elif call.name.endswith(("Thread", "Process", "Timer")):
        node, args = call.argument(99, "target"), call.argument(99, "args")
    else:
        return None
    elements = args.elements if isinstance(args, (cst.Tuple, cst.List)) else ()
    return (node, [cst.Arg(one.value) for one in elements if isinstance(one, cst.Element)]) if node is not None else None


class Threaded(Call):
    """Such a call, under the name of the method and where it is asked for; its arguments are the method's."""

    __slots__ = ("inner", "skipped")

    def __init__(self, asked: Call, name: str, use: str, inner: Call | None, skipped: int) -> None:
        super().__init__(asked.node, name, asked.spot, asked.function, use)
        self.inner = inner
        self.skipped = skipped

    @property
    def args(self) -> Any:
        return self.inner.args if self.inner is not None else self.node.args[self.skipped :]

    def argument(self, position: int, keyword: str = "") -> Any:
        return self.inner.argument(position, keyword) if self.inner is not None else super().argument(position + self.skipped, keyword)


def uses(module: Module, obj: Object, names: tuple[str, ...]) -> tuple[list[Call], set[int]]:
    """The calls by which threads are asked for these methods of an object, and the ids of those inside of lambdas that they stand for."""
    found: list[Call] = []
    inside: set[int] = set()
    for asked in module.named(*AWAITED):
        position = AWAITED[asked.name]
        given = asked.node.args[position].value if position < len(asked.node.args) else None
        if isinstance(given, cst.Attribute) and given.attr.value in names:
            if any(one.node is obj.node for one in module.objects(given.value, asked.spot)):
                found.append(Threaded(asked, given.attr.value, _use(module, asked), None, position + 1))
        elif isinstance(given, cst.Lambda):
            function = module.tree.lambdas.get(id(given))
            for inner in function.calls if function is not None else ():
                if inner.name in names and any(one.node is obj.node for one in module.receivers(inner)):
                    found.append(Threaded(asked, inner.name, _use(module, asked), inner, 0))
                    inside.add(id(inner))
    return found, inside


def _use(module: Module, asked: Call) -> str:
    """What becomes of what the method gives: as of a call, when it is awaited."""
    return "dropped" if asked.use == "awaited" and alone(module.tree, asked) else asked.use
