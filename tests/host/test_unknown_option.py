"""Which names are proposed for an option that does not exist: none rather than a wrong one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.host.conftest import Shoal

# Keys met in public repositories, and what their authors can only have meant.
CLEAR = {
    "jobmanager.rpc.ardress": ("high", "jobmanager.rpc.address"),
    "execution.checkpoints.dir": ("high", "execution.checkpointing.dir"),
    "state.backend.rocksdb.block-cache-size": ("high", "state.backend.rocksdb.block.cache-size"),
    "jobmanager.archive.fs.cleanup-expired-jobs": ("medium", "historyserver.archive.clean-expired-jobs"),
    "restart-strategy.exponential-delay.multiplier": ("medium", "restart-strategy.exponential-delay.backoff-multiplier"),
    "taskmanager.execution.failover-strategy": ("medium", "jobmanager.execution.failover-strategy"),
    "execution.checkpointing.incremental.incremental": ("medium", "execution.checkpointing.incremental"),
}
# Keys whose most similar option is another thing.
DARK = (
    "taskmanager.timeout",
    "sql-gateway.session.operation-timeout",
    "state.backend.rocksdb.block-size-multiplier",
    "restart-strategy.exponential-delay.max-attempts",
)
DARK_SPARK = (
    "spark.worker.port",
    "spark.worker.extraJavaOptions",
    "spark.history.ui.prometheus.enabled",
    "spark.history.ui.extraJavaOptions",
)


@pytest.mark.parametrize("key", CLEAR)
def test_a_convincing_name_is_proposed(shoal: Shoal, tmp_path: Path, key: str) -> None:
    confidence, meant = CLEAR[key]
    (tmp_path / "flink-conf.yaml").write_text(f"jobmanager.bind-host: jm\n{key}: 10\n")
    (finding,) = shoal("check", "--select", "unknown-option", "--format", "json", ".").report["findings"]
    assert finding["confidence"] == confidence and meant in finding["message"]


@pytest.mark.parametrize("key", [*DARK, *DARK_SPARK])
def test_no_name_is_better_than_a_wrong_one(shoal: Shoal, tmp_path: Path, key: str) -> None:
    if key.startswith("spark."):
        (tmp_path / "spark-defaults.conf").write_text(f"spark.executor.memory 4g\n{key} 10\n")
    else:
        (tmp_path / "flink-conf.yaml").write_text(f"jobmanager.bind-host: jm\n{key}: 10\n")
    (finding,) = shoal("check", "--select", "unknown-option,unknown-spark-option", "--format", "json", ".").report["findings"]
    assert finding["confidence"] == "low" and "meant" not in finding["message"] and not finding["fixes"]
