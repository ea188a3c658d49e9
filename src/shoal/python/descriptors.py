"""Tables that a PyFlink program declares by descriptors: what a CREATE TABLE would say of them beside their options. Descriptors of state."""

from __future__ import annotations

from typing import Any

import libcst as cst

from shoal.python.facts import Sheet
from shoal.python.tree import Call
from shoal.python.values import Object
from shoal.readers.sql_tables import bounded
from shoal.records import NamedTuple

# Methods of a runtime context, and the descriptors that they take.
STATES = {
    "get_state": "ValueStateDescriptor",
    "get_list_state": "ListStateDescriptor",
    "get_map_state": "MapStateDescriptor",
    "get_reducing_state": "ReducingStateDescriptor",
    "get_aggregating_state": "AggregatingStateDescriptor",
}
# Where a descriptor is used without a name, and what the table is then.
_USES = {"execute_insert": "sink", "insert_into": "sink", "add_insert": "sink", "from_descriptor": "source"}
# Take their columns from elsewhere.
_BORROWED = ("from_schema", "from_resolved_schema", "from_fields", "from_row_data_type")


class Table(NamedTuple):
    """`name` is that of the one table that is made of it; `open` where options are given out of sight. One whose columns are, is like another table."""

    name: str
    traits: tuple[tuple[str, str], ...]
    open: bool
    watermark: Call | None  # that declares one


def described(sheet: Sheet, root: Object) -> Table:
    """What the program makes of a `TableDescriptor.for_connector(…)`."""
    module = sheet.module
    connector = module.string(root.node.args[0].value, root.spot) if isinstance(root.node, cst.Call) and root.node.args else ""
    options, hidden = _options(sheet, root)
    builder = _schema(sheet, root)
    columns = _columns(sheet, builder) if builder is not None else None
    traits = [("connector", connector)] if connector else []
    traits += [(key, options[key]) for key in ("format", "value.format") if options.get(key)]
    traits += columns if columns is not None else [("like", "a schema out of sight")]
    traits += [(side, "true") for name, side in _USES.items() if any(_given(module, call, root) for call in module.named(name))]
    if calls_on(module, root, "partitioned_by"):
        traits.append(("partitioned", "true"))
    if bounded(connector, options) and ("sink", "true") not in traits:
        traits.append(("bounded", "true"))
    watermark = next(iter(calls_on(module, builder, "watermark")), None) if builder is not None else None
    return Table(_name(module, root), tuple(dict.fromkeys(traits)), hidden, watermark)


def format_descriptor(module: Any, node: Any, call: Call) -> Object | None:
    """The `FormatDescriptor.for_format(…)` that `format()` is given."""
    found = [made.root for made in module.objects(node, call.spot) if made.type.startswith("flink.FormatDescriptor")]
    return found[0] if len(found) == 1 and isinstance(found[0].node, cst.Call) and found[0].node.args else None


def calls_on(module: Any, root: Object, *names: str) -> list[Call]:
    """The calls of these methods on an object."""
    return [call for call in module.named(*names) if any(made.root is root for made in module.receivers(call))]


def _name(module: Any, root: Object) -> str:
    names = {
        module.string(path, call.spot).replace("`", "")
        for call in module.named("create_temporary_table", "create_table")
        if (path := call.argument(0, "path")) is not None and _is(module, call.argument(1, "descriptor"), call, root)
    }
    return names.pop() if len(names) == 1 else ""


def _options(sheet: Sheet, root: Object) -> tuple[dict[str, str], bool]:
    """The options that are known by key and value, and whether there may be others."""
    module = sheet.module
    found: dict[str, str] = {}
    hidden = _handed_on(module, root)
    for call in calls_on(module, root, "option"):
        first, second = call.argument(0, "key"), call.argument(1, "value")
        made = sheet.pairs(first, second, call.spot) if first is not None and second is not None else None
        hidden = hidden or made is None or made.open or not made.pairs
        found.update({pair.key: module.string(pair.value_node, pair.spot) for pair in (made.pairs if made is not None else ()) if pair.key})
    for call in calls_on(module, root, "format"):
        node = call.argument(0, "format")
        of = format_descriptor(module, node, call) if node is not None else None
        text = (
            module.string(of.node.args[0].value, of.spot) if of is not None else module.string(node, call.spot) if node is not None else ""
        )
        found["format"] = text
    return found, hidden


def _schema(sheet: Sheet, root: Object) -> Object | None:
    """The builder of the table's schema; None where it, or some of its columns, are not in sight."""
    module = sheet.module
    given = calls_on(module, root, "schema")
    node = given[0].argument(0, "schema") if len(given) == 1 else None
    made = module.objects(node, given[0].spot) if node is not None else []
    if len(made) != 1 or made[0].type != "flink.Schema" or made[0].root.call != "Schema.new_builder" or _handed_on(module, made[0].root):
        return None
    builder = made[0].root
    return None if calls_on(module, builder, *_BORROWED) else builder


def _columns(sheet: Sheet, builder: Object) -> list[tuple[str, str]]:
    """What the schema has that rules ask for."""
    module = sheet.module
    found = []
    if calls_on(module, builder, "watermark"):
        found.append(("has-watermark", "true"))
    if calls_on(module, builder, "primary_key", "primary_key_named"):
        found.append(("has-primary-key", "true"))
    computed = calls_on(module, builder, "column_by_expression", "column_by_metadata")
    if computed:
        found.append(("has-computed", "true"))
    if any("proctime" in sheet.source(sheet.span(arg.value, call.spot)).lower() for call in computed for arg in call.node.args):
        found.append(("has-proctime", "true"))
    return found


def _handed_on(module: Any, root: Object) -> bool:
    """Whether code elsewhere may go on with a builder that is not built yet."""
    return any(
        made.root is root and made.type.endswith("Builder")
        for call in module.calls
        for arg in call.node.args
        for made in module.objects(arg.value, call.spot)
    )


def _given(module: Any, call: Call, root: Object) -> bool:
    return bool(call.node.args) and _is(module, call.node.args[0].value, call, root)


def _is(module: Any, node: Any, call: Call, root: Object) -> bool:
    return node is not None and any(made.root is root for made in module.objects(node, call.spot))
