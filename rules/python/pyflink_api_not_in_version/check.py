"""APIs removed in 1.14, 1.15 and 2.0, and asynchronous operators, which came with 2.2."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Dependency
from shoal.job import Job, numbers
from shoal.model import Finding
from shoal.readers.versions import engine_versions, leaves_out

_INSTEAD = {
    "set_stream_time_characteristic": "nothing has to choose event time",
    "set_restart_strategy": "set restart-strategy.type and its options in a Configuration",
    "RestartStrategies": "set restart-strategy.type and its options in a Configuration",
    "set_state_backend": "set state.backend.type in a Configuration",
    "set_checkpoint_storage": "set execution.checkpointing.dir in a Configuration",
    "set_checkpoint_storage_dir": "set execution.checkpointing.dir in a Configuration",
    "enable_externalized_checkpoints": "set_externalized_checkpoint_retention, from 1.20",
    "set_externalized_checkpoint_cleanup": "set_externalized_checkpoint_retention, from 1.20",
    "ExternalizedCheckpointCleanup": "ExternalizedCheckpointRetention, from 1.20",
    "CsvTableSource": "CREATE TABLE with the filesystem connector",
    "CsvTableSink": "CREATE TABLE with the filesystem connector",
    "FsStateBackend": "state.backend.type hashmap and execution.checkpointing.dir",
    "MemoryStateBackend": "state.backend.type hashmap and execution.checkpointing.dir",
    "RocksDBStateBackend": "EmbeddedRocksDBStateBackend, or state.backend.type rocksdb",
    "FlinkKafkaConsumer": "KafkaSource",
    "FlinkKafkaProducer": "KafkaSink",
    "read_text_file": "FileSource",
    "TableEnvironment.connect": "CREATE TABLE, or create_temporary_table with a TableDescriptor",
    "TableEnvironment.execute": "execute_sql starts an INSERT by itself, a statement set starts several",
    "TableEnvironment.sql_update": "execute_sql",
    "TableEnvironment.insert_into": "Table.execute_insert, or a statement set",
    "Table.insert_into": "Table.execute_insert, or a statement set",
    "BatchTableEnvironment": "TableEnvironment.create(EnvironmentSettings.in_batch_mode())",
    "use_blink_planner": "it is the only planner, nothing has to choose it",
    "use_any_planner": "there is one planner",
    "use_old_planner": "there is one planner",
}
# What went before 2.0. What an import takes of pyflink.table.descriptors went with TableEnvironment.connect, which it was for.
_GONE = {
    **dict.fromkeys(("TableEnvironment.connect", "BatchTableEnvironment"), "1.14"),
    **dict.fromkeys(
        ("TableEnvironment.execute", "TableEnvironment.sql_update", "TableEnvironment.insert_into", "Table.insert_into"), "1.15"
    ),
    **dict.fromkeys(("use_blink_planner", "use_any_planner", "use_old_planner"), "1.15"),
}
# What came back, under its name: a pipeline now, that its execute() submits (2.1.0 has it, 2.0.0 has not; 2.2.0 was run).
_BACK = {"Table.insert_into": "2.1"}
# Since when what is gone later was deprecated (the wheel of 1.13 says so; for the classes in Java the jars of 1.13 and 1.14 do).
_SINCE = {
    **dict.fromkeys(("FlinkKafkaConsumer", "FlinkKafkaProducer"), "1.14"),
    **dict.fromkeys(("FsStateBackend", "MemoryStateBackend", "RocksDBStateBackend"), "1.13"),
    "set_stream_time_characteristic": "1.12",
    **dict.fromkeys(("TableEnvironment.connect", "TableEnvironment.execute", "TableEnvironment.sql_update"), "1.11"),
    **dict.fromkeys(("TableEnvironment.insert_into", "Table.insert_into"), "1.11"),
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    version = job.version("flink")
    asked = _ranges(job) if version is None else []
    for usage in job.usages():
        if usage.kind == "flink-api":
            gone = _GONE.get(usage.detail) or ("1.14" if usage.detail.startswith("descriptors.") else "2.0")
            instead = _INSTEAD.get(usage.detail) or ("a TableDescriptor, or CREATE TABLE" if gone == "1.14" else "")
            tail = f"; {instead}" if instead else ""
            at = usage.place._replace(label=usage.detail)
            back = _BACK.get(usage.detail, "")
            if back and (
                (version is not None and version.at_least(back)) or any(leaves_out(one.version, (0,), numbers(back)) for one in asked)
            ):
                continue
            if version is not None and version.at_least(gone):
                message = f"{usage.detail} is gone in Flink {gone}, and this job runs on {version.text}{tail}"
                yield context.finding(message, at, [(version.source, f"Flink {version.text}")])
            elif (newer := next((one for one in asked if leaves_out(one.version, (0,), numbers(gone))), None)) is not None:
                message = f"{usage.detail} is gone in Flink {gone}, and this job asks for {newer.name}{newer.version}{tail}"
                yield context.finding(message, at, [(newer, "no release before it will do")])
            elif version is None and (gone != "2.0" or usage.detail in _SINCE):
                message = f"{usage.detail} is gone in Flink {gone}, and nothing says which Flink this runs on{tail}"
                yield context.finding(message, at, severity="warning", confidence="low")
            elif version is not None and usage.detail in _SINCE and version.at_least(_SINCE[usage.detail]):
                message = f"{usage.detail} is deprecated in Flink {version.text}, and gone in {gone}{tail}"
                yield context.finding(message, at, [(version.source, f"Flink {version.text}")], severity="info", confidence="low")
        elif usage.kind == "flink-api-since" and version is not None and version.below("2.2"):
            message = f"{usage.detail} came with PyFlink 2.2, and this job runs on {version.text}: the import fails"
            yield context.finding(message, usage.place._replace(label=usage.detail), [(version.source, f"Flink {version.text}")])


def _ranges(job: Job) -> list[Dependency]:
    """The ranges of PyFlink that are asked for, where nothing else says which Flink there is."""
    if any(dependency.exact and name == "flink" for dependency in job.dependencies for name, _ in engine_versions(dependency)):
        return []
    return [one for one in job.dependencies if not one.exact and one.ecosystem == "pypi" and one.name == "apache-flink" and one.version]
