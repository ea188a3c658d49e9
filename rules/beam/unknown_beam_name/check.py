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
        for node in _names(call):
            found = options(module.value(node, call.spot)) if node.attr.value in _HOME else ()
            name = next((one.name for one in found if isinstance(one, Symbol)), "")
            if home := _lacks(name):
                message = f"the program stops here with an AttributeError: {_told(name, home)}"
                yield context.finding(message, module.place(node.attr, call.spot), covers=[module.covers(call)])


def _names(call: Call) -> Iterator[cst.Attribute]:
    """The dotted names of a call that are no calls themselves: what is called, and what stands in its arguments."""
    for node in (call.node.func, *(arg.value for arg in call.node.args)):
        while isinstance(node, cst.Attribute):
            yield node
            node = node.value


def _lacks(name: str) -> str:
    """The module that has a name, where it is asked of a package that has not."""
    owner, _, last = name.rpartition(".")
    home = _HOME.get(last, "")
    return home if owner in _OWNERS or (owner in _WINDOW and home == "apache_beam.transforms.trigger") else ""


def _told(name: str, home: str) -> str:
    owner, _, last = name.rpartition(".")
    return f"no release of Beam has {last} in {owner}; it is in {home}, which is imported by itself"
