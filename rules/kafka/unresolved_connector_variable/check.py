"""`${NAME}` in a connector that is posted as it stands, `${env:NAME}` beside a worker without such a provider."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.jobs.boundaries import folder_of, in_line
from shoal.lazy import pattern
from shoal.model import Finding, Place
from shoal.templates.common import verbatim
from shoal.templates.kafka import names_file, runs_worker
from shoal.templates.strimzi import workers_of

# Connectors have variables of their own, such as `${topic}`, in small letters.
_PLAIN = pattern(r"\$\{[A-Z][A-Z0-9_]*\}")
_PROVIDED = pattern(r"\$\{([A-Za-z][\w-]*):[^{}]+\}")
# Providers by their usual names, a file with a path or an ending and a key behind it: connectors have variables that look alike, such as Camel's `${date:now:yyyyMMdd}`.
_KNOWN = pattern(
    r"\$\{(?:(?=(?:file|dir|directory):/)|(?=file:[\w./-]*[/.][\w./-]*:[\w.-]+\})|(?=(?:secrets?|configmaps?):[\w.-]+[/:])|(?=env:[A-Z_]))([A-Za-z]+):[^{}]+\}"
)
_SECRET = pattern(r"password|secret|token|credential|jaas")


def check(job: Job, context: Context) -> Iterator[Finding]:
    posted = job.usages("file-posted")
    filled = bool(job.usages("fills-in"))
    for block in job.select("kafka-connect", ("connector",)):
        if block.trait("operator") == "strimzi":
            yield from _of_strimzi(job, context, block)
        if block.trait("program") or not block.place.path.lower().endswith(".json"):
            continue
        settings = [setting for setting in job.of(block) if "${" in setting.text]
        plain = [setting for setting in settings if _PLAIN.search(setting.text)]
        poster = next((fact.place for fact in posted if names_file(fact.detail, block.place.path)), None)
        if plain and poster is not None and not filled:
            what = "it is a variable of no config provider, which are written ${provider:key}"
            yield _finding(context, plain, what, "posted as it is", poster)
        worker = _worker(job, block)
        if worker is None:
            continue
        workers = job.select("kafka-connect", ("worker",))
        provided = [setting for setting in settings if _unprovided(job, workers, _PROVIDED.search(setting.text))]
        if provided:
            name = (_PROVIDED.search(provided[0].text) or [""])[1]
            yield _finding(
                context, provided, f"the worker has no config provider `{name}`, as none is there by default", "the worker", worker.place
            )


def _finding(context: Context, settings: list[Setting], why: str, label: str, place: Place) -> Finding:
    """One for a connector, at what hurts most."""
    first = next((setting for setting in settings if _SECRET.search(setting.key)), settings[0])
    message = f"{first.key} is the text {first.text.strip()[:80]} itself: Connect does not fill it in, since {why}"
    others = [(setting, "nor this") for setting in settings if setting is not first]
    return context.finding(message, first, [(place, label), *others[:4]])


def _worker(job: Job, connector: Block) -> Block | None:
    """A worker of a compose file in a folder above or below, if all that are there are wholly seen."""
    workers = [
        block for block in job.select("kafka-connect", ("worker",)) if in_line(folder_of(block.place.path), folder_of(connector.place.path))
    ]
    seen = all(
        block.form == "compose" and not block.open and any(runs_worker(image.name) for image in job.images(block)) for block in workers
    )
    return workers[0] if workers and seen else None


def _of_strimzi(job: Job, context: Context, block: Block) -> Iterator[Finding]:
    """A connector whose values ask for a provider that its KafkaConnect does not name."""
    workers = workers_of(job, block)
    asking = [(setting, asked) for setting in job.of(block) if workers and (asked := _KNOWN.search(setting.text))]
    unprovided = [(setting, asked[1]) for setting, asked in asking if _unprovided(job, workers, asked)]
    if unprovided:
        name = unprovided[0][1]
        why = f"the KafkaConnect has no config provider `{name}`"
        yield _finding(context, [setting for setting, one in unprovided if one == name], why, "the worker", workers[0].place)


def _unprovided(job: Job, workers: list[Block], asked: re.Match[str] | None) -> bool:
    """Whether workers know no provider of the name that a value asks for; unsure where a worker's list is."""
    if asked is None:
        return False
    lists = [job.written(block, "config.providers") for block in workers]
    if any(found is not None and not found.known for found in lists):
        return False
    return asked[1] not in {name.strip() for found in lists if found is not None for name in verbatim(found).split(",")}
