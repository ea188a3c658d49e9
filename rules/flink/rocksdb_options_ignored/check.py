"""`state.backend.rocksdb.…` where nothing chooses RocksDB: the default of `state.backend.type` is hashmap (every release since 1.13)."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.jobs import questions
from shoal.model import Finding


def check(job: Job, context: Context) -> Iterator[Finding]:
    kinds = job.anywhere("flink", "state.backend.type")
    if any(not kind.known or kind.text.strip().lower() not in ("hashmap", "filesystem", "jobmanager") for kind in kinds):
        return
    # one that is not started here may choose its backend itself
    sure = "" if kinds else questions.surely_absent(job) if questions.code_blocks(job) else "low"
    if any(kind.block and job.blocks[kind.block].form == "values" for kind in kinds):
        sure = "low"  # values of a chart are laid over one another, and the next file may choose RocksDB
    said: set[str] = set()
    for block in job.select("flink"):
        for setting in job.of(block):
            if not setting.key.startswith("state.backend.rocksdb.") or setting.path in said or setting.sure == "branch":
                continue
            said.add(setting.path)
            chosen = (
                f"state.backend.type is {kinds[0].text.strip()}" if kinds else "no state.backend.type is set, which is hashmap by default"
            )
            message = f"{setting.key} has no effect, as all options of RocksDB: {chosen}, and state is kept on the TaskManagers' heap"
            related = [(kinds[0].place(), "chosen here")] if kinds else questions.looked(job, setting.place())
            yield context.finding(message, setting, related, confidence=sure)
