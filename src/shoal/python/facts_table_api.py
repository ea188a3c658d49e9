"""PyFlink's Table API: the statements that inserts, views and queries make, as SQL would have them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from shoal.facts import Statement
from shoal.lazy import pattern
from shoal.model import Span
from shoal.python.facts import Sheet
from shoal.python.tree import Call
from shoal.python.values import Object, names

if TYPE_CHECKING:
    from shoal.python.module import Module

_LOOKS = names("print_schema get_schema get_resolved_schema")
# Methods of a table that keep something for every key or row, as features of a statement.
_STATEFUL = {"group_by": "group-by", "distinct": "select-distinct"}
_JOINS = names("join left_outer_join right_outer_join full_outer_join")
# What makes use of a table, and which argument the table is; -1: it is a method of the table itself.
_INSERTS = {"execute_insert": -1, "insert_into": -1, "add_insert": 1}
_QUERIES = {"execute": -1, **dict.fromkeys(("to_data_stream", "to_append_stream", "to_retract_stream", "to_changelog_stream"), 0)}
_VIEWS = ("create_temporary_view",)
_USES = {**_INSERTS, **dict.fromkeys(_VIEWS, 1), **_QUERIES}
# In the condition of a join: a time that it looks back, or the window of both sides.
_TIMED = pattern(
    r"\.(?:milli|second|minute|hour|day|week|month|year)s?\b|\b(?:between|interval)\b|\bwindow_(?:start|end|time)\b", re.IGNORECASE
)


def collect(sheet: Sheet) -> None:
    from shoal.readers.sql_tables import note_sides

    found = _Tables(sheet)
    found.table_queries()
    note_sides(sheet.out, found.tables("execute_insert", "insert_into", "add_insert"), found.tables("from_path", "scan"))


def submitted_by(module: Module, call: Call) -> str:
    """The function that submits a statement as a job of its own."""
    submits = ("execute_sql", "execute_insert")
    if call.name not in submits or call.spot.conditional:
        return ""
    if call.use == "chained" and any(
        other.function is call.function and other.spot.statement > call.spot.statement for other in module.named(*submits)
    ):
        return ""  # it is waited for
    return call.function.qualname if call.function is not None else "the module"


def put_to_use(sheet: Sheet, query: Call, since: int) -> None:
    """What becomes of the table of a `sql_query`, whose facts are those since then: its SELECT is that of an insert, or of a view as well."""
    out, module = sheet.out, sheet.module
    selects = [(at, fact) for at, fact in enumerate(out.facts[since:], since) if isinstance(fact, Statement) and fact.kind == "select"]
    if len(selects) != 1:
        return
    at, select = selects[0]
    for call in module.named(*_INSERTS, *_VIEWS):
        position = _USES[call.name]
        used = call.receiver_node if position < 0 else call.argument(position, "table")
        target = module.string(call.node.args[0].value, call.spot).replace("`", "") if call.node.args and used is not None else ""
        if not target or all(table.node is not query.node for table in module.objects(used, call.spot)):
            continue
        if call.name in _VIEWS:
            out.facts.append(select._replace(kind="create-view", target=target, features=()))
            continue
        made = select._replace(kind="insert", target=target, alone=submitted_by(module, call))
        if out.facts[at] is select:
            out.facts[at] = made
        else:  # what keeps state is told of once
            out.facts.append(made._replace(features=()))


class _Tables:
    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.module = sheet.module
        self.out = sheet.out

    def table_queries(self) -> None:
        """Inserts, views and queries that the Table API makes, as the SQL would be: the statement has what keeps state last, a query the rest."""
        told: set[Span] = set()
        for call in sorted(self.module.named(*_USES), key=lambda call: call.name in _QUERIES):
            query, position = call.name in _QUERIES, _USES[call.name]
            target = self.module.string(call.node.args[0].value, call.spot) if call.node.args and not query else ""
            used = call.receiver_node if position < 0 else call.argument(position, "table")
            for table in self.module.objects(used, call.spot) if used is not None and (target or query) else ():
                lines = self.lines(table) if table.type == "flink.Table" else []
                sources = tuple(name for line in lines for made in line if (name := self.read_by(made)))
                if not sources:
                    continue
                kept = [found for line in lines for at in range(len(line)) if (found := self.kept(line, at)) is not None]
                steps = ((line, at) for line in lines for at in range(len(line)))
                windows = [("windowed-group-by", over) for line, at in steps if (over := self.windowed(line, at)) is not None]
                if not query:
                    feature, where = kept.pop(0) if kept else ("", self.sheet.name_span(call))
                    kind = "insert" if call.name in _INSERTS else "create-view"
                    features: tuple[str, ...] = (feature,) if feature else ()
                    if windows and kind == "create-view":
                        features += ("windowed-group-by",)
                    place, alone = self.out.place(where), submitted_by(self.module, call)
                    self.out.facts.append(Statement(kind, target.replace("`", ""), sources, features, place, alone=alone))
                    told.add(where)
                for feature, where in kept + windows if query or call.name in _INSERTS else ():
                    if where not in told:
                        self.out.facts.append(Statement("select", "", sources, (feature,), self.out.place(where)))
                        told.add(where)

    def lines(self, table: Object) -> list[list[Object]]:
        """What a table was made from, newest first; after it the same of each table that it is joined with."""
        found = [table.line()]
        for line in found:
            for made in line if len(found) < 20 else ():
                if made.call in _JOINS and isinstance(made.node, cst.Call) and made.node.args:
                    joined = self.module.objects(made.node.args[0].value, made.spot)
                    found += [other.line() for other in joined if other.type == "flink.Table" and all(other is not one[0] for one in found)]
        return found

    def read_by(self, made: Object) -> str:
        """The table that is read; empty where none is, or none that is known."""
        if made.call not in ("from_path", "scan") or not isinstance(made.node, cst.Call) or not made.node.args:
            return ""
        return self.module.string(made.node.args[0].value, made.spot)

    def kept(self, line: list[Object], at: int) -> tuple[str, Span] | None:
        """The feature of a step that keeps state, and where it stands."""
        made = line[at]
        if made.call not in _STATEFUL and made.call not in _JOINS:
            return None
        if not isinstance(made.node, cst.Call) or not isinstance(made.node.func, cst.Attribute):
            return None  # another module's
        text = self.conditions(made)
        if made.call in _JOINS:
            later = "".join(self.conditions(other) for other in line[:at] if other.call in ("where", "filter"))
            if _TIMED.search(text + later) or "<" in text or ">" in text:
                return None
        elif (at + 1 < len(line) and line[at + 1].call in ("window", "over_window")) or _TIMED.search(text):
            return None
        return _STATEFUL.get(made.call, "regular-join"), self.sheet.span(made.node.func.attr, made.spot)

    def windowed(self, line: list[Object], at: int) -> Span | None:
        """Where a window is put over what a table has, by `window(…).group_by(…)`; None for other steps, and where one before may have made its time."""
        made = line[at]
        if made.call != "window" or at == 0 or line[at - 1].call != "group_by" or not isinstance(made.node, cst.Call):
            return None
        before = "".join(self.conditions(other) for other in line[at:]).lower()
        if "proctime" in before or not isinstance(made.node.func, cst.Attribute) or any(other.call == "window" for other in line[at + 1 :]):
            return None
        return self.sheet.span(made.node.func.attr, made.spot)

    def conditions(self, made: Object) -> str:
        """What a step is given beside another table, as it is written; what cannot be seen may be about any time."""
        found = []
        for arg in made.node.args[made.call in _JOINS :] if isinstance(made.node, cst.Call) else ():
            node, spot = arg.value, made.spot
            if isinstance(node, cst.Name):
                binding = next((binding for binding, _ in self.module.lookup(node.value, spot) if binding.kind == "assign"), None)
                if binding is None:
                    return "interval"
                node, spot = binding.node, binding.spot
            found.append(self.sheet.source(self.sheet.span(node, spot)))
        return " ".join(found)

    def tables(self, *methods: str) -> list[str]:
        """The tables that calls of the Table API name, but for those of which nothing but the columns is asked."""
        asked = {id(call.receiver_node) for call in self.module.named(*_LOOKS)}
        calls = (call for call in self.module.named(*methods) if call.node.args and id(call.node) not in asked)
        found = (self.module.string(call.node.args[0].value, call.spot) for call in calls)
        return [name.replace("`", "") for name in found if name]
