"""What rules over settings would change in Python source leaves it valid Python."""

from __future__ import annotations

import ast

from shoal import rulebook
from shoal.core import check_source, conclude
from shoal.model import Source
from shoal.settings import Settings

CODE = """\
from pyflink.common import Configuration
from pyflink.datastream import StreamExecutionEnvironment

TTL = "900"
conf = Configuration()
conf.set_string("execution.checkpointing.interval", "10 mins")
conf.set_string("execution.checkpointing.intervall", "1 min")
conf.set_string("state.backend.type", "rockdb")
conf.set_string("table.exec.state.ttl", TTL)
conf.set_integer("restart-strategy.fixed-delay.delay", 10)
conf.set_boolean("execution.checkpointing.unaligned", True)
env = StreamExecutionEnvironment.get_execution_environment(conf)
env.get_checkpoint_config().set_min_pause_between_checkpoints(500)
env.get_checkpoint_config().set_max_concurrent_checkpoints(2)
"""


def test_fixes_keep_python_valid() -> None:
    book = rulebook.load().only(lambda rule: rule.engine_folder == "flink")
    result = check_source(Source("job.py", "python", CODE.encode()), book, Settings())
    findings, problems = conclude([result], book, Settings(), {"job.py": CODE})
    assert problems == []
    edits = {edit for finding in findings for fix in finding.fixes for edit in fix.edits}
    assert edits
    changed = CODE
    for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):
        changed = changed[: edit.span.start] + edit.new_text + changed[edit.span.end :]
    ast.parse(changed)
    assert '"10 min"' in changed
    assert "set_min_pause_between_checkpoints(500)" in changed
    assert "set_max_concurrent_checkpoints(1)" in changed
