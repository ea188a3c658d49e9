"""What the facts of a file, or of an environment, are for a job: the code of one, what configures one, what starts one."""

from __future__ import annotations

from collections.abc import Iterable

from shoal.facts import Block, Dependency, Fact, Setting, Statement
from shoal.jobs import environments
from shoal.jobs.environments import Environment

_ENGINES = ("flink", "spark", "beam")


def engine_of_code(facts: Iterable[Fact]) -> str:
    """The engine that a file's code is a job of; empty when it starts none (a module of helpers, table definitions alone)."""
    moves = any(isinstance(fact, Statement) and fact.kind in ("insert", "create-table-as") for fact in facts)
    for fact in facts:
        if isinstance(fact, Block) and fact.engine in _ENGINES:
            if fact.form in ("python", "java", "scala") and fact.role in ("job", "pipeline"):
                return fact.engine
            if fact.form == "sql" and fact.role == "session" and not fact.parent and moves:
                return fact.engine
    return ""


def runs_something(facts: Iterable[Fact]) -> bool:
    """Whether a resource describes a job and not a session cluster."""
    block = next((fact for fact in facts if isinstance(fact, Block)), None)
    if block is None or block.role != "deployment":
        return True
    if block.trait("operator") == "lyft":
        return True
    return any(isinstance(fact, Setting) and fact.key.startswith("spec.job.") for fact in facts)


def configures(block: Block) -> bool:
    """Whether settings are those of a cluster, an application or a service, and so of the jobs that run there."""
    if block.trait("within"):  # the cluster of a workflow is for the jobs in it alone
        return False
    if block.role in ("application", "service"):
        return block.engine == ("spark" if block.role == "application" else "flink")
    return block.role in ("cluster", "defaults", "deployment", "sessionjob")


def submits(path: str, facts: tuple[Fact, ...]) -> bool:
    """Whether this is a compose file with a service that submits a program to Spark."""
    submit = any(isinstance(fact, Block) and (fact.engine, fact.role) == ("spark", "submit") for fact in facts)
    return submit and environments.is_compose_file(path, facts)


def concerns(facts: Iterable[Fact], engine: str) -> bool:
    """Whether facts configure what a program of an engine runs on."""
    wanted = "flink" if engine == "beam" else engine
    return any(isinstance(fact, Block) and fact.engine == wanted and configures(fact) for fact in facts)


def names_engine(facts: Iterable[Fact], engine: str) -> bool:
    """Whether a Dockerfile builds on the engine's image, or installs the engine."""
    from shoal.readers.versions import engine_versions

    wanted = {engine, "flink"} if engine == "beam" else {engine}
    return any(isinstance(fact, Dependency) and any(name in wanted for name, _ in engine_versions(fact)) for fact in facts)


def is_whole(environment: Environment) -> bool:
    """Whether a compose file runs a JobManager of its own."""
    return any(isinstance(fact, Block) and fact.engine == "flink" and fact.trait("role") == "jobmanager" for fact in environment.facts)
