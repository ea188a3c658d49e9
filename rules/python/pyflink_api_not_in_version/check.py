"""APIs removed in 2.0, and asynchronous operators, which came with 2.2."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Usage
from shoal.job import Job
from shoal.model import Finding

_INSTEAD = {
    "set_restart_strategy": "set restart-strategy.type and its options in a Configuration",
    "RestartStrategies": "set restart-strategy.type and its options in a Configuration",
    "set_state_backend": "set state.backend.type in a Configuration",
    "set_checkpoint_storage": "set execution.checkpointing.dir in a Configuration",
    "set_checkpoint_storage_dir": "set execution.checkpointing.dir in a Configuration",
    "enable_externalized_checkpoints": "set_externalized_checkpoint_retention, from 1.20",
    "set_externalized_checkpoint_cleanup": "set_externalized_checkpoint_retention, from 1.20",
    "FsStateBackend": "state.backend.type hashmap and execution.checkpointing.dir",
    "MemoryStateBackend": "state.backend.type hashmap and execution.checkpointing.dir",
    "RocksDBStateBackend": "EmbeddedRocksDBStateBackend, or state.backend.type rocksdb",
    "FlinkKafkaConsumer": "KafkaSource",
    "FlinkKafkaProducer": "KafkaSink",
    "StreamingFileSink": "FileSink",
    "read_text_file": "FileSource",
    "TableEnvironment.execute": "execute_sql starts an INSERT by itself, a statement set starts several",
    "TableEnvironment.sql_update": "execute_sql",
    "TableEnvironment.insert_into": "Table.execute_insert, or a statement set",
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    version = job.version("flink")
    if version is None:
        return
    for usage in job.others:
        if not isinstance(usage, Usage):
            continue
        if usage.kind == "flink-api" and version.at_least("2.0"):
            instead = _INSTEAD.get(usage.detail)
            tail = f"; {instead}" if instead else ""
            message = f"{usage.detail} is gone in Flink 2.0, and this job runs on {version.text}{tail}"
        elif usage.kind == "flink-api-since" and version.below("2.2"):
            message = f"{usage.detail} came with PyFlink 2.2, and this job runs on {version.text}: the import fails"
        else:
            continue
        yield context.finding(message, usage.place._replace(label=usage.detail), [(version.source, f"Flink {version.text}")])
