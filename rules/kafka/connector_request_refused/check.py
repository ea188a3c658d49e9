"""`{"name": …, "config": {…}}` sent to `/connectors/NAME/config`, and bare options sent to `/connectors`."""

from __future__ import annotations

import json
from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.jobs.boundaries import folder_of
from shoal.model import Finding
from shoal.templates.kafka import names_file

_REFUSED = {
    "bare": "Connect refuses this: /connectors/…/config takes the options alone, and the file has them behind `config` (Cannot deserialize value of type `java.lang.String`); send what is in there, as with jq .config",
    "named": 'Connect refuses this: /connectors takes {"name": …, "config": {…}}, and the file has the options alone (Unrecognized field); wrap them, or PUT them to /connectors/NAME/config',
}


def check(job: Job, context: Context) -> Iterator[Finding]:
    for usage in job.usages("connector-sent"):
        sent = json.loads(usage.detail)
        block = _meant(job, sent["file"], folder_of(usage.place.path))
        shape = block.trait("shape") if block is not None else ""
        if block is not None and shape and shape != sent["shape"]:
            yield context.finding(_REFUSED[sent["shape"]], usage.place, [(block, "what is sent")])


def _meant(job: Job, file: str, folder: str) -> Block | None:
    """The connector in the file that a script names: the only one of that name in the project, or in the script's own folder."""
    named = [
        block for block in job.select("kafka-connect", ("connector",), ("json",)) if "$" not in file and names_file(file, block.place.path)
    ]
    beside = [block for block in named if folder_of(block.place.path) == folder]
    chosen = named if len(named) == 1 else beside
    return chosen[0] if len(chosen) == 1 else None
