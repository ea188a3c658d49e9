"""`faust.App(…)` without `store`, in a module that makes tables of it: the setting's own page asks for another one in production."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Settings may also come from a file, or from the environment, of which an app that is given arguments by name is hardly the place."""
    module = context.module
    if "APP_STORE" in module.raw or "conf.store" in module.raw or ".config_from_object" in module.raw:
        return
    for call in module.named("App"):
        if module.qualified(call) != "faust.App" or call.has_stars or call.has_keyword("store"):
            continue  # whoever says so knows where they are
        table = next(
            (
                made
                for made in module.named("Table", "SetTable")
                if made.receiver_node is not None
                and any(obj.node is call.node for obj in module.objects(made.receiver_node, made.spot))
                and not made.has_keyword("store")
            ),
            None,
        )
        if table is not None:
            message = "no store is given, so tables are kept in memory alone: all of them has to fit, and each start and each rebalance reads the whole changelog again before the first record (store='rocksdb://')"
            yield context.finding(
                message, module.call_place(call), [(module.call_place(table), "a table of it")], covers=[module.covers(call)]
            )
