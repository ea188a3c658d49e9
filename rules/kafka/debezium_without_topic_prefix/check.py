"""`topic.prefix`, which Debezium 2 requires, in connectors whose worker's image stands elsewhere in the project, or that have no older name either."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Dependency
from shoal.job import Job, numbers
from shoal.jobs.boundaries import common
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.readers.versions import image_engine

_BLANK = pattern(r"\$\{[\w.]+(?::-[^}]*)?\}")
_BEFORE = ("database.server.name", "mongodb.name")
_SERVER = ("database.hostname", "mongodb.hosts", "mongodb.connection.string")
# Whose releases of Debezium 1 require one of these.
_NAMED = tuple(f"io.debezium.connector.{name}." for name in ("mysql", "postgresql", "sqlserver", "oracle", "mongodb", "db2"))


def check(job: Job, context: Context) -> Iterator[Finding]:
    images = [one for one in job.dependencies if one.ecosystem == "image" and image_engine(one.name) == "debezium" and numbers(one.version)]
    for block in job.select("kafka-connect", ("connector",)):
        kind = job.get(block, "connector.class")
        if kind is None or not kind.known or not kind.text.strip().startswith("io.debezium.connector.") or "Sink" in kind.text:
            continue
        if block.open or job.written(block, "topic.prefix") is not None:
            continue
        before = next((found for key in _BEFORE if (found := job.written(block, key)) is not None), None)
        if before is not None and any(setting.key.startswith("schema.history.internal.") for setting in job.of(block)):
            continue  # by which removed-debezium-option knows the version, and says so
        # the operator's workers get their connectors otherwise
        image = _worker(images, block) if block.form != "manifest" else None
        if before is None and image is None and kind.text.strip().startswith(_NAMED) and _whole(job, block):
            message = (
                "the connector is refused: Debezium asks for topic.prefix, and did so for database.server.name or mongodb.name before 2.0"
            )
            yield context.finding(message, kind, confidence="medium")
        if image is not None:
            message = f"the connector is refused: Debezium {image.version} asks for topic.prefix"
            message += f", which took the place of {before.key}" if before is not None else ""
            yield context.finding(message, before or kind, [(image, "the worker's image")])


def _whole(job: Job, block: Block) -> bool:
    """Whether a connector says which server it reads, and nothing else of its name may say the rest."""
    asks = any(job.written(block, key) is not None for key in _SERVER)
    return (
        asks
        and not _is_filled_in(job, block)
        and not any(one is not block and one.name == block.name for one in job.select("kafka-connect", ("connector",)) if block.name)
    )


def _is_filled_in(job: Job, block: Block) -> bool:
    """Whether a program fills in the blanks of a properties file, and may add to it what all its connectors have: Connect itself knows no `${user}`."""
    return block.form == "properties" and any(_BLANK.search(setting.text) for setting in job.of(block))


def _worker(images: list[Dependency], block: Block) -> Dependency | None:
    """The nearest image above or below the connector, if all that are as near are of Debezium 2 or later."""
    around = [(common(one.place.path, block.place.path), one) for one in images]
    around = [(shared, one) for shared, one in around if shared == min(one.place.path.count("/"), block.place.path.count("/"))]
    near = max((shared for shared, _ in around), default=0)
    nearest = [one for shared, one in around if shared == near]
    return nearest[0] if nearest and all(numbers(one.version)[0] >= 2 for one in nearest) else None
