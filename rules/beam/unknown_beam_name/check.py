"""Names that `apache_beam`, `apache_beam.io` and `apache_beam.transforms` do not pass on (looked for in 2.30 to 2.77, with Google's extra)."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.python.tree import Call, dotted, sure_imports
from shoal.python.values import Symbol, options

_HOMES = {
    "apache_beam.io.kafka": ("ReadFromKafka", "WriteToKafka"),
    "apache_beam.io.jdbc": ("ReadFromJdbc", "WriteToJdbc"),
    "apache_beam.io.kinesis": ("ReadDataFromKinesis", "WriteToKinesis"),
    "apache_beam.io.snowflake": ("ReadFromSnowflake", "WriteToSnowflake"),
    "apache_beam.io.debezium": ("ReadFromDebezium",),
    "apache_beam.io.fileio": ("MatchFiles", "MatchAll", "MatchContinuously", "ReadMatches", "WriteToFiles"),
    "apache_beam.io.gcp.spanner": ("ReadFromSpanner",),
    "apache_beam.io.gcp.bigtableio": ("ReadFromBigtable", "WriteToBigTable"),
    "apache_beam.transforms.deduplicate": ("Deduplicate", "DeduplicatePerKey"),
    "apache_beam.transforms.periodicsequence": ("PeriodicImpulse", "PeriodicSequence"),
    "apache_beam.transforms.window": ("FixedWindows", "SlidingWindows", "Sessions", "TimestampedValue"),
    "apache_beam.transforms.trigger": ("AfterWatermark", "AfterProcessingTime", "AfterCount", "Repeatedly", "AccumulationMode"),
    "apache_beam.options.pipeline_options": ("PipelineOptions", "StandardOptions", "SetupOptions", "GoogleCloudOptions", "WorkerOptions"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}
_OWNERS = ("apache_beam", "apache_beam.io", "apache_beam.transforms", "apache_beam.options")
_WINDOW = ("apache_beam.window", "apache_beam.transforms.window")  # has windows, and no triggers
# What other engines, other SDKs and haste call them, and no release does.
_MISTAKEN = {
    **dict.fromkeys(("FixedWindow", "TumblingWindow", "TumblingWindows", "FixedTimeWindow", "FixedTimeWindows"), "FixedWindows"),
    **dict.fromkeys(("SlidingWindow", "SlidingTimeWindows", "HoppingWindow", "HoppingWindows"), "SlidingWindows"),
    **dict.fromkeys(("Session", "SessionWindow", "SessionWindows"), "Sessions"),
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    module = context.module
    if "apache_beam" in module.path.split("/")[:-1]:
        return  # Beam's own source, maybe of a later release
    for node, spot in sure_imports(module.tree):
        for alias in () if isinstance(node.names, cst.ImportStar) else node.names:
            name = f"{dotted(node.module)}.{dotted(alias.name)}"
            if home := _lacks(name):
                yield context.finding(f"the import fails: {_told(name, home)}", module.place(alias.name, spot))
    for call in module.calls:
        for named in _names(call):
            known = named.attr.value in _HOME or named.attr.value in _MISTAKEN
            found = options(module.value(named, call.spot)) if known else ()
            name = next((one.name for one in found if isinstance(one, Symbol)), "")
            if home := _lacks(name):
                message = f"the program stops here with an AttributeError: {_told(name, home)}"
                yield context.finding(message, module.place(named.attr, call.spot), covers=[module.covers(call)])
    for cls in module.classes:
        for base in cls.bases:
            if isinstance(base, cst.Attribute) and base.attr.value == "NamedTuple":
                names = {one.name for one in options(module.value(base, cls.spot)) if isinstance(one, Symbol)}
                if names == {"apache_beam.typehints.NamedTuple"}:
                    message = "the program stops here with an AttributeError: no release of Beam has typehints.NamedTuple; typing.NamedTuple is meant"
                    yield context.finding(message, module.place(base.attr, cls.spot))


def _names(call: Call) -> Iterator[cst.Attribute]:
    """The dotted names of a call that are no calls themselves: what is called, and what stands in its arguments."""
    for node in (call.node.func, *(arg.value for arg in call.node.args)):
        while isinstance(node, cst.Attribute):
            yield node
            node = node.value


def _lacks(name: str) -> str:
    """The module that has a name (or what is meant by it), where it is asked of a package that has not."""
    owner, _, last = name.rpartition(".")
    if last in _MISTAKEN and owner in (*_OWNERS, *_WINDOW):
        return "apache_beam.transforms.window"
    home = _HOME.get(last, "")
    return home if owner in _OWNERS or (owner in _WINDOW and home == "apache_beam.transforms.trigger") else ""


def _told(name: str, home: str) -> str:
    owner, _, last = name.rpartition(".")
    if meant := _MISTAKEN.get(last):
        return f"no release of Beam has {last}; {home}.{meant} is meant"
    return f"no release of Beam has {last} in {owner}; it is in {home}, which is imported by itself"
