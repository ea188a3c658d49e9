"""`restartPolicy` of an application that streams."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Oddity, Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import spark
from shoal.values.kafka import parse_int

# Failures that no stream lives to see.
_MANY = 1000
_TOLERATIONS = "spec.applicationTolerations."
_RESTARTS = f"{_TOLERATIONS}restartConfig."


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Batch applications are right to end; one counts as streaming by its options, its Kafka source, its name, or the queries of its program."""
    for block in job.select("spark", ("application",), ("manifest",)):
        streams = _queries(job) or spark.streams(job, block)
        if streams in ("", "ends") or block.open or block.trait("kind") != "SparkApplication":
            continue
        few = int(context.options["few-retries"])
        found = _kubeflow(job, block, few) if block.trait("operator") == "kubeflow" else _apache(job, block, few)
        if found is not None:
            at, message = found
            yield context.finding(message, at, confidence="" if streams == "sure" else "medium")
    yield from _by_jobs(job, context)
    yield from _by_compose(job, context)


def _by_jobs(job: Job, context: Context) -> Iterator[Finding]:
    """Kubernetes' own Jobs. In cluster mode the driver is a pod of its own, which the Job has nothing to do with."""
    for oddity, block in _drivers(job, "run-by-job"):
        often = int(oddity.subject) if oddity.subject.isdigit() else None
        if often is None or often >= _MANY or not _goes_on(job, block, oddity.detail):
            continue
        message = f"the stream ends for good after {often} failures, however long it ran between them: a Job of Kubernetes gives up at its backoffLimit"
        yield context.finding(message, oddity, confidence="low")


def _by_compose(job: Job, context: Context) -> Iterator[Finding]:
    """Where other services of the file come back after a failure, and the driver does not."""
    for oddity, block in _drivers(job, "run-once"):
        if _goes_on(job, block, oddity.subject):
            message = (
                f"the first failure ends the stream until somebody starts {oddity.subject} again: it has no restart, as other services have"
            )
            yield context.finding(message, oddity, oddity.related, confidence="low")


def _drivers(job: Job, kind: str) -> Iterator[tuple[Oddity, Block]]:
    """What is odd about the containers that drivers run in; in cluster mode a driver runs elsewhere."""
    for oddity in job.oddities:
        block = job.blocks.get(oddity.block) if oddity.kind == kind else None
        if block is not None and spark.text(job.get(block, "--deploy-mode")) != "cluster":
            yield oddity, block


def _goes_on(job: Job, block: Block, name: str) -> bool:
    return (_queries(job) or spark.streams(job, block) or spark.sounds_streaming(name)) not in ("", "ends")


def _queries(job: Job) -> str:
    """`sure` when the program starts a query that goes on, `ends` when all of them stop once they have read what is there, or it only writes batches."""
    started = [block for block in job.select("spark", ("writer",)) if block.trait("start")]
    if not started:
        streams = job.select("spark", ("reader", "writer")) or job.usages("dstreams")
        return "ends" if not streams and job.select("spark", ("batch-writer",), ("python",)) else ""
    ending = [any(job.get(block, key) for key in ("trigger.availableNow", "trigger.once")) for block in started]
    return "ends" if all(ending) else "sure" if not any(ending) else ""


def _kubeflow(job: Job, block: Block, few: int) -> tuple[Setting | Block, str] | None:
    policy = job.get(block, "spec.restartPolicy.type")
    kind = spark.text(policy)
    if policy is None or kind == "never":
        default = "" if policy else ", which is the default"
        return policy or block, f"the first failure ends the stream until somebody starts it again: the restart policy is Never{default}"
    if kind != "onfailure":
        return None
    retries = job.get(block, "spec.restartPolicy.onFailureRetries")
    count = parse_int(retries.text) if retries is not None and retries.known else None
    if retries is None:
        return policy, "a failure ends the stream: OnFailure retries only as often as onFailureRetries says, and it is not set"
    if isinstance(count, int) and count <= few:
        return retries, f"the stream stays down after {count} failures, however long it ran between them"
    return None


def _apache(job: Job, block: Block, few: int) -> tuple[Setting | Block, str] | None:
    """The defaults are those of RestartConfig in the operator's releases to 0.9: Never, three attempts, and a counter that is not reset."""
    policy = job.get(block, f"{_RESTARTS}restartPolicy")
    if policy is None and block.trait("operator") != "apache":
        return None
    if policy is None or spark.text(policy) == "never":
        default = "" if policy else ", which is the default"
        beside = next((one for one in job.of(block) if one.key.startswith(_TOLERATIONS)), block)
        return policy or beside, f"the first failure ends the stream until somebody starts it again: the restart policy is Never{default}"
    attempts, reset = (job.get(block, f"{_RESTARTS}{key}") for key in ("maxRestartAttempts", "restartCounterResetMillis"))
    count = 3 if attempts is None else parse_int(attempts.text) if attempts.known else None
    if policy.known and isinstance(count, int) and count <= few and (reset is None or spark.text(reset).startswith("-")):
        default = "" if attempts else ", the default of maxRestartAttempts"
        return attempts or policy, f"the stream stays down after {count} restarts{default}, however long it ran between them"
    return None
