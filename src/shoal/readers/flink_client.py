"""Containers that submit a job with `flink run` and are told nowhere where the JobManager is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from shoal.facts import Block, Setting
from shoal.lazy import pattern

if TYPE_CHECKING:
    from shoal.facts import Fact

# The entry point of these writes the container's own name into the conf as jobmanager.rpc.address, unless JOB_MANAGER_RPC_ADDRESS is set
# (docker-entrypoint.sh of apache/flink-docker, 1.11 to 2.2); without the entry point the conf names localhost.
OFFICIAL = pattern(r"(?:[\w.:-]+/)*(?:library/|apache/)?flink(?:[:@].*)?")
# What says, or may say, where the JobManager is, or that the command runs somewhere else.
TOLD = pattern(
    r"(?:rpc|rest)[._]address|web\.address|CONF_DIR|high-availability|execution\.target|flink-conf|config\.yaml|flink/conf\b|"
    r"jobmanager\.sh|start-cluster|standalone|FLINK_PROPERTIES|(?<![\w/.-])(?:docker|kubectl|oc|podman|ssh|yarn|source|export|eval)\s",
    re.IGNORECASE,
)
# Variables of a command that may hold options, or the address itself.
_HIDES = pattern(r"\$+\{?\w*(?:OPT|ARG|FLAG|PARAM|EXTRA|HOST|ADDR|MASTER|MANAGER|REST)", re.IGNORECASE)
_OPTIONS = frozenset({"--jobmanager", "--target", "--executor", "--zookeeperNamespace", "--host", "execution.target", "web.address"})


def untold(facts: list[Fact]) -> Block | None:
    """Of what was read in a container's commands the `flink run` that names no JobManager; None where all do, or may."""
    told = {
        fact.block for fact in facts if isinstance(fact, Setting) and (fact.key in _OPTIONS or TOLD.search(fact.key) or "yarn" in fact.key)
    }
    for fact in facts:
        if isinstance(fact, Block) and fact.trait("program") == "flink run" and not (fact.open or fact.trait("inside") or fact.id in told):
            return fact
    return None


def is_told(texts: Iterable[str], variables: Iterable[tuple[str, str]], mounted: Iterable[str]) -> bool:
    """Whether a container's commands, variables or volumes say where the JobManager is, or may."""
    if any(TOLD.search(text) or _HIDES.search(text) for text in texts) or any(TOLD.search(f"{name} {value}") for name, value in variables):
        return True
    return any("conf" in path or path.rstrip("/") in ("/opt", "/opt/flink", "/etc") for path in mounted)
