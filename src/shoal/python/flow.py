"""Paths through one function: which statements may follow which, and by which way the function is left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import libcst as cst

from shoal.python.tree import Spot, descend, dotted, last_name

# The ways out, as nodes of the graph.
RETURN, FALL, RAISE = -1, -2, -3
NORMAL = frozenset({RETURN, FALL})
ALL = frozenset({RETURN, FALL, RAISE})
_CATCH_ALL = frozenset({"Exception", "BaseException"})
_WHATEVER = _CATCH_ALL | {"KeyboardInterrupt", "SystemExit"}


class Flow:
    """A graph over statements; a compound statement's node stands for its header alone.

    Exceptions are followed where they are raised by name, and from any statement of a `try` to its handlers.
    """

    def __init__(self, body: Any, program: bool = False) -> None:
        """`program`: of a script or its `main()`, where an exit without a failure is the end like any other."""
        self.program = program
        self.next: list[set[int]] = []
        self.nodes: list[Any] = []
        self.at: dict[int, list[int]] = {}
        self._loops: list[tuple[int, list[int]]] = []
        self._handlers: list[list[int]] = []
        self._finals: list[Any] = []
        self._failing: set[tuple[int, int]] = set()  # edges taken only where a statement of a `try` fails by itself
        self.entry = self._node(None)
        ends = self._suite(body, [self.entry])
        self._link(ends, FALL)

    # -- questions

    def escapes(self, start: Any, avoiding: Iterable[Any], exits: frozenset[int] = NORMAL) -> bool:
        """Whether some path from after `start` (a statement, or None for the beginning) leaves the function by one of
        `exits` without passing a statement of `avoiding`."""
        return any(node in exits for node in self._reached(start, avoiding))

    def reaches(self, start: Any, goals: Iterable[Any], avoiding: Iterable[Any]) -> bool:
        """Whether some path from after `start` comes to a statement of `goals` without passing one of `avoiding`."""
        wanted = {node for statement in goals for node in self.at.get(id(statement), ())}
        return any(node in wanted for node in self._reached(start, avoiding))

    def _reached(self, start: Any, avoiding: Iterable[Any]) -> Iterator[int]:
        """What comes after a statement, ways out included."""
        blocked = {node for statement in avoiding for node in self.at.get(id(statement), ())}
        begin = [self.entry] if start is None else list(self.at.get(id(start), ()))
        seen = set(begin)
        waiting = list(begin)
        while waiting:
            for following in self.next[waiting.pop()]:
                if following < 0:
                    yield following
                elif following not in seen and following not in blocked:
                    seen.add(following)
                    waiting.append(following)
                    yield following

    def after(self, start: Any, failing: bool = True) -> set[int]:
        """Ids of the statements that may run after a statement; unless `failing`, where only what is raised by name is raised."""
        begin = list(self.at.get(id(start), ()))
        seen: set[int] = set()
        waiting = list(begin)
        while waiting:
            node = waiting.pop()
            for following in self.next[node]:
                if following >= 0 and following not in seen and (failing or (node, following) not in self._failing):
                    seen.add(following)
                    waiting.append(following)
        return {id(self.nodes[number]) for number in seen}

    def falls_off(self) -> bool:
        """Whether the end of the body is reached, so that the function returns None."""
        return self.escapes(None, (), frozenset({FALL}))

    # -- building

    def _node(self, statement: Any) -> int:
        number = len(self.nodes)
        self.nodes.append(statement)
        self.next.append(set())
        if statement is not None:
            self.at.setdefault(id(statement), []).append(number)
        return number

    def _link(self, sources: Iterable[int], target: int) -> None:
        for source in sources:
            self.next[source].add(target)

    def _suite(self, body: Any, sources: list[int]) -> list[int]:
        if isinstance(body, cst.IndentedBlock):
            body = body.body
        elif isinstance(body, cst.SimpleStatementSuite):
            return self._smalls(body.body, sources)
        elif isinstance(body, cst.BaseExpression):
            node = self._node(body)
            self._link(sources, node)
            self.next[node].add(RETURN)
            return []
        for statement in body:
            sources = (
                self._smalls(statement.body, sources)
                if isinstance(statement, cst.SimpleStatementLine)
                else self._compound(statement, sources)
            )
        return sources

    def _smalls(self, statements: Any, sources: list[int]) -> list[int]:
        for statement in statements:
            node = self._node(statement)
            self._link(sources, node)
            sources = [node]
            if not isinstance(statement, (cst.Pass, cst.Break, cst.Continue, cst.Raise)):
                self._may_fail(node)
            if isinstance(statement, cst.Return):
                self._leave([node], RETURN)
                sources = []
            elif self.program and not self._handlers and _succeeds(statement):
                self._leave([node], FALL)
                sources = []
            elif isinstance(statement, cst.Raise):
                if self._handlers and self._handlers[-1]:
                    self._link([node], self._handlers[-1][0])
                    if self._handlers[-1][1] == 0:
                        self._leave([node], RAISE)
                else:
                    self._leave([node], RAISE)
                sources = []
            elif isinstance(statement, cst.Break) and self._loops:
                self._loops[-1][1].append(node)
                sources = []
            elif isinstance(statement, cst.Continue) and self._loops:
                self._link([node], self._loops[-1][0])
                sources = []
            elif isinstance(statement, cst.Expr) and _exits(statement.value):
                self._leave([node], RAISE)
                sources = []
        return sources

    def _may_fail(self, node: int) -> None:
        """To the handlers of the `try` around."""
        if self._handlers and self._handlers[-1]:
            self._link([node], self._handlers[-1][0])
            self._failing.add((node, self._handlers[-1][0]))

    def _leave(self, sources: list[int], target: int) -> None:
        """Out of the function, through the finally blocks around."""
        finals, self._finals = self._finals, []
        handlers, self._handlers = self._handlers, []
        for body in reversed(finals):
            sources = self._suite(body, sources)
        self._finals, self._handlers = finals, handlers
        self._link(sources, target)

    def _compound(self, statement: Any, sources: list[int]) -> list[int]:
        node = self._node(statement)
        self._link(sources, node)
        if not isinstance(statement, (cst.FunctionDef, cst.ClassDef, cst.Try)):
            self._may_fail(node)
        if isinstance(statement, cst.If):
            ends = self._suite(statement.body, [node])
            if isinstance(statement.orelse, cst.If):
                return ends + self._compound(statement.orelse, [node])
            if statement.orelse is not None:
                return ends + self._suite(statement.orelse.body, [node])
            return [*ends, node]
        if isinstance(statement, (cst.For, cst.While)):
            self._loops.append((node, []))
            self._link(self._suite(statement.body, [node]), node)
            _, breaks = self._loops.pop()
            normal = [] if endless(statement) else [node]
            if statement.orelse is not None:
                normal = self._suite(statement.orelse.body, normal)
            return normal + breaks
        if isinstance(statement, cst.With):
            return self._suite(statement.body, [node])
        if isinstance(statement, (cst.Try, cst.TryStar)):
            return self._try(statement, node)
        if isinstance(statement, cst.Match):
            ends = []
            full = False
            for case in statement.cases:
                ends += self._suite(case.body, [node])
                full = full or (isinstance(case.pattern, cst.MatchAs) and case.pattern.pattern is None and case.guard is None)
            return ends if full else [*ends, node]
        return [node]

    def _try(self, statement: Any, node: int) -> list[int]:
        final = statement.finalbody.body if statement.finalbody is not None else None
        if final is not None:
            self._finals.append(final)
        ends: list[int] = []
        if statement.handlers:
            dispatch = self._node(statement)
            catches = any(catches_all(handler) for handler in statement.handlers)
            self._handlers.append([dispatch, 1 if catches else 0])
            body_ends = self._suite(statement.body, [node])
            self._handlers.pop()
            for handler in statement.handlers:
                start = self._node(handler)
                self._link([dispatch], start)
                ends += self._suite(handler.body, [start])
        else:
            body_ends = self._suite(statement.body, [node])
        if statement.orelse is not None:
            body_ends = self._suite(statement.orelse.body, body_ends)
        ends += body_ends
        if final is not None:
            self._finals.pop()
            ends = self._suite(final, ends)
        return ends


def endless(loop: Any) -> bool:
    """`while True`, or a `for` over `itertools.count()`, whether or not something in it breaks."""
    if isinstance(loop, cst.While):
        return isinstance(loop.test, (cst.Name, cst.Integer)) and loop.test.value in ("True", "1")
    return isinstance(loop, cst.For) and isinstance(loop.iter, cst.Call) and dotted(loop.iter.func) == "itertools.count"


def written_out(function: Any) -> bool:
    """Whether a function does something: not one that is still to be written, and none that raises."""
    body = getattr(getattr(function.node, "body", None), "body", ())
    said = [part for line in body for part in (line.body if isinstance(line, cst.SimpleStatementLine) else (line,))]
    if any(isinstance(part, cst.Raise) for part in said):
        return False
    return any(not isinstance(part, cst.Pass) and not (isinstance(part, cst.Expr) and is_bare(part.value)) for part in said)


def is_bare(node: Any) -> bool:
    """A text or `...` that stands for itself."""
    return isinstance(node, (cst.SimpleString, cst.ConcatenatedString, cst.Ellipsis))


def _exits(node: Any) -> bool:
    """`sys.exit()`, `exit()`, `os._exit()`."""
    if not isinstance(node, cst.Call):
        return False
    func = node.func
    if isinstance(func, cst.Name):
        return func.value in ("exit", "quit")
    return (
        isinstance(func, cst.Attribute)
        and isinstance(func.value, cst.Name)
        and (func.value.value, func.attr.value) in (("sys", "exit"), ("os", "_exit"))
    )


def exits_well(node: Any) -> bool:
    """Whether an expression ends the process with exit code 0: `sys.exit()`, `exit(0)`, `sys.exit(None)`."""
    return _exits(node) and _is_well(node.args)


def _is_well(args: Any) -> bool:
    """Whether an exit is given no code, or one that says that all is well."""
    return not args or getattr(args[0].value, "value", None) in ("0", "None")


def _succeeds(statement: Any) -> bool:
    """`sys.exit()`, `exit(0)`, `sys.exit(main())`, `raise SystemExit(main())`: not `sys.exit(1)` or one with a message."""
    if isinstance(statement, cst.Expr) and _exits(statement.value):
        args = statement.value.args  # type: ignore[attr-defined]
    elif isinstance(statement, cst.Raise) and dotted(getattr(statement.exc, "func", statement.exc)) == "SystemExit":
        args = getattr(statement.exc, "args", ())
    else:
        return False
    return _is_well(args) or isinstance(args[0].value, cst.Call)


def listed(handler: Any) -> list[Any]:
    """The exceptions that a handler lists; none for a bare `except`."""
    if isinstance(handler.type, cst.Tuple):
        return [element.value for element in handler.type.elements]
    return [] if handler.type is None else [handler.type]


def tried(spot: Spot) -> bool:
    """Whether a failure at a spot is looked out for: in a `try` of two statements at most, or by a handler for more than any error.

    A `try` around a whole program only tells of what fails, or ends with Ctrl-C.
    """
    return any(
        len(getattr(getattr(node, "body", None), "body", ())) <= 2
        or not all(set(caught(handler)) <= _WHATEVER for handler in getattr(node, "handlers", ()))
        for node in spot.guarded
    )


_OF_MISSING = frozenset({"ImportError", "ModuleNotFoundError", "AttributeError"})


def looks_first(spot: Spot) -> bool:
    """Whether a program for several releases looks what there is: by `hasattr`, or in a `try` for what a missing name raises, or behind one."""
    for arm in spot.arms:
        if arm.kind == "except" and _is_for_missing(arm.test.handlers[arm.index - 1]):
            return True
        if arm.kind in ("if", "else") and any(isinstance(one, cst.Call) and last_name(one.func) == "hasattr" for one in descend(arm.test)):
            return True
    return any(_is_for_missing(handler) for node in spot.guarded for handler in getattr(node, "handlers", ()))


def _is_for_missing(handler: Any) -> bool:
    """Whether an `except` is for names that are not there."""
    return not _OF_MISSING.isdisjoint(caught(handler))


def caught(handler: Any) -> list[str]:
    """The names of the exceptions that a handler lists, without their modules; none for a bare `except`."""
    return [dotted(name).rsplit(".", 1)[-1] for name in listed(handler)]


def catches_all(handler: Any) -> bool:
    """Whether a handler catches every exception: bare, `Exception` or `BaseException`."""
    return handler.type is None or any(isinstance(name, cst.Name) and name.value in _CATCH_ALL for name in listed(handler))


def reraises(handler: Any, inner: bool = True, well: bool = True) -> bool:
    """Whether a handler's own statements raise or end the process, on some path.

    `inner`: or what they do when they fail themselves; `well`: also with exit code 0, as `sys.exit()` does.
    """
    waiting = list(handler.body.body)
    while waiting:
        statement = waiting.pop()
        leaves = isinstance(statement, cst.Expr) and _exits(statement.value) and (well or not exits_well(statement.value))
        if isinstance(statement, cst.Raise) or leaves:
            return True
        if isinstance(statement, (cst.SimpleStatementLine, cst.IndentedBlock, cst.SimpleStatementSuite)):
            waiting += statement.body
        elif isinstance(statement, (cst.If, cst.For, cst.While, cst.With, cst.Try, cst.Else, cst.Finally)):
            waiting.append(statement.body)
            for name in ("orelse", "finalbody"):
                if getattr(statement, name, None) is not None:
                    waiting.append(getattr(statement, name))
            if isinstance(statement, cst.Try) and inner:
                waiting += [within.body for within in statement.handlers]
    return False
