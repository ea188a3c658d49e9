"""What Flink's programs call its options: the methods of the Java API and of PyFlink, which are the same but for the case of their names.

Names are PyFlink's (`set_checkpoint_timeout`); Java's are made of them by `java` (`setCheckpointTimeout`). Read out of Flink 1.13 to 2.3.
"""

from __future__ import annotations

import re

from shoal.python.values import names
from shoal.records import NamedTuple

CP = "execution.checkpointing."
# How PyFlink's async operators are made, with the position of `capacity`; from 2.2 on.
ASYNC_WAITS = {"unordered_wait": 3, "ordered_wait": 3, "unordered_wait_with_retry": 4, "ordered_wait_with_retry": 4}


class Plain(NamedTuple):
    """A method that sets one option from one argument."""

    key: str
    position: int = 0
    keyword: str = ""


# Methods that take one value; the names are Flink's alone, so that a receiver that cannot be followed still tells.
PLAIN = {
    "set_checkpoint_interval": Plain(CP + "interval", 0, "checkpoint_interval"),
    "set_checkpoint_timeout": Plain(CP + "timeout", 0, "checkpoint_timeout"),
    "set_min_pause_between_checkpoints": Plain(CP + "min-pause", 0, "min_pause_between_checkpoints"),
    "set_max_concurrent_checkpoints": Plain(CP + "max-concurrent-checkpoints", 0, "max_concurrent_checkpoints"),
    "set_checkpointing_mode": Plain(CP + "mode", 0, "checkpointing_mode"),
    "set_checkpointing_consistency_mode": Plain(CP + "mode"),
    "set_checkpoint_interval_during_backlog": Plain(CP + "interval-during-backlog"),
    "set_tolerable_checkpoint_failure_number": Plain(CP + "tolerable-failed-checkpoints", 0, "tolerable_checkpoint_failure_number"),
    "set_alignment_timeout": Plain(CP + "aligned-checkpoint-timeout", 0, "alignment_timeout"),
    "set_aligned_checkpoint_timeout": Plain(CP + "aligned-checkpoint-timeout", 0, "alignment_timeout"),
    "set_force_unaligned_checkpoints": Plain(CP + "unaligned.forced", 0, "force_unaligned_checkpoints"),
    "set_checkpoint_storage_dir": Plain(CP + "dir", 0, "checkpoint_path"),
    "enable_externalized_checkpoints": Plain(CP + "externalized-checkpoint-retention", 0, "cleanup_mode"),
    "set_externalized_checkpoint_cleanup": Plain(CP + "externalized-checkpoint-retention", 0, "cleanup_mode"),
    "set_externalized_checkpoint_retention": Plain(CP + "externalized-checkpoint-retention", 0, "retention_mode"),
    "enable_changelog_state_backend": Plain("state.changelog.enabled", 0, "enabled"),
    "set_default_savepoint_directory": Plain(CP + "savepoint-dir", 0, "directory"),
    "set_runtime_mode": Plain("execution.runtime-mode", 0, "execution_mode"),
    "set_buffer_timeout": Plain("execution.buffer-timeout.interval", 0, "timeout_millis"),
    "set_auto_watermark_interval": Plain("pipeline.auto-watermark-interval", 0, "interval"),
    "set_task_cancellation_interval": Plain("task.cancellation.interval", 0, "interval"),
    "set_task_cancellation_timeout": Plain("task.cancellation.timeout", 0, "timeout"),
    "set_idle_state_retention": Plain("table.exec.state.ttl", 0, "duration"),
}
# The same, for names that other libraries have too.
TYPED = {
    "set_parallelism": Plain("parallelism.default", 0, "parallelism"),
    "set_max_parallelism": Plain("pipeline.max-parallelism", 0, "max_parallelism"),
}
# Methods that are given SQL, and the position of the text.
SQL = {"execute_sql": 0, "sql_query": 0, "sql_update": 0, "add_insert_sql": 0, "explain_sql": 0}
# Ask the runtime context for state that belongs to the key of a record.
KEYED_STATE = ("get_state", "get_list_state", "get_map_state", "get_reducing_state", "get_aggregating_state")
# Where a Kafka source starts: of `OffsetsInitializer`, and of the consumers before it.
STARTS = {
    "latest": "latest-offset",
    "earliest": "earliest-offset",
    "committed_offsets": "group-offsets",
    "timestamp": "timestamp",
    "offsets": "specific-offsets",
}
OLD_STARTS = {
    "set_start_from_latest": "latest-offset",
    "set_start_from_earliest": "earliest-offset",
    "set_start_from_group_offsets": "group-offsets",
    "set_start_from_timestamp": "timestamp",
}
GUARANTEES = {"EXACTLY_ONCE": "exactly-once", "AT_LEAST_ONCE": "at-least-once", "NONE": "none"}
# Methods of the builders of Kafka sources and sinks that take one value.
BUILDER = {
    "set_bootstrap_servers": "properties.bootstrap.servers",
    "set_group_id": "properties.group.id",
    "set_client_id_prefix": "properties.client.id.prefix",
    "set_topic_pattern": "topic-pattern",
    "set_transactional_id_prefix": "sink.transactional-id-prefix",
}
# The state backend that a class stands for.
BACKENDS = {
    "HashMapStateBackend": "hashmap",
    "FsStateBackend": "hashmap",
    "MemoryStateBackend": "hashmap",
    "RocksDBStateBackend": "rocksdb",
    "EmbeddedRocksDBStateBackend": "rocksdb",
}
# Factories of `RestartStrategies`: the strategy, and its options with the keywords by which arguments may be given.
RESTARTS: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "no_restart": ("none", ()),
    "fixed_delay_restart": ("fixed-delay", (("attempts", "restart_attempts"), ("delay", "delay_between_attempts"))),
    "failure_rate_restart": (
        "failure-rate",
        (("max-failures-per-interval", "failure_rate"), ("failure-rate-interval", "failure_interval"), ("delay", "delay_interval")),
    ),
}
# What in a program shows that a service starts it, which sets checkpointing, restarts and storage from outside the code.
MANAGED = (("application_properties.json", "aws-managed-flink"), ("KinesisAnalytics", "aws-managed-flink"))

# What shows a stream, and no more: in the logs of the TaskManagers.
SHOWS = ("print", "printToErr")
# What keeps state, runs a program's own classes or writes, beside a stream that is only shown.
WORKS = names(
    "key_by process window window_all count_window count_window_all reduce aggregate sum min max join co_group interval_join connect union broadcast "
    "iterate transform get_side_output ordered_wait unordered_wait ordered_wait_with_retry unordered_wait_with_retry "
    "sink_to add_sink write_as_text write_as_csv write_to_socket write_using_output_format to_table from_data_stream create_temporary_view "
    "execute_sql sql_query execute_insert insert_into add_insert add_insert_sql execute_and_collect collect_async"
)
# Which take a function, that may be a lambda of one expression.
MAPS = ("map", "flat_map", "filter")


def java(name: str) -> str:
    """`set_checkpoint_timeout` as `setCheckpointTimeout`."""
    return re.sub(r"_([a-z])", lambda match: match.group(1).upper(), name)
