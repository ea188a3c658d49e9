"""`spec.kafka.version` against the release of Strimzi's operator that the project installs.

Each release takes the versions of its `kafka-versions.yaml` that say `supported: true`, and no other (`KafkaVersion.Lookup.supportedVersion`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job, numbers
from shoal.jobs.boundaries import common
from shoal.model import Finding, Place
from shoal.readers.versions import engine_versions

# The releases of the operator, and the versions that each of them takes, from `kafka-versions.yaml` at their tags.
_TAKEN = {
    "0.30.0": "3.1.0 3.1.1 3.2.0",
    "0.31.0": "3.1.0 3.1.1 3.2.0 3.2.1",
    "0.31.1": "3.1.0 3.1.1 3.1.2 3.2.0 3.2.1 3.2.3",
    "0.32.0": "3.2.0 3.2.1 3.2.3 3.3.1",
    "0.33.0 0.33.1": "3.2.0 3.2.1 3.2.3 3.3.1 3.3.2",
    "0.33.2": "3.2.0 3.2.1 3.2.3 3.3.1 3.3.2 3.4.0",
    "0.34.0 0.35.0 0.35.1": "3.3.1 3.3.2 3.4.0",
    "0.36.0": "3.4.0 3.4.1 3.5.0",
    "0.36.1 0.37.0": "3.4.0 3.4.1 3.5.0 3.5.1",
    "0.38.0": "3.5.0 3.5.1 3.6.0",
    "0.39.0": "3.5.0 3.5.1 3.5.2 3.6.0 3.6.1",
    "0.40.0": "3.6.0 3.6.1 3.7.0",
    "0.41.0": "3.6.0 3.6.1 3.6.2 3.7.0",
    "0.42.0": "3.6.0 3.6.1 3.6.2 3.7.0 3.7.1",
    "0.43.0 0.44.0": "3.7.0 3.7.1 3.8.0",
    "0.45.0": "3.8.0 3.8.1 3.9.0",
    "0.45.1": "3.8.0 3.8.1 3.9.0 3.9.1",
    "0.45.2": "3.8.0 3.8.1 3.9.0 3.9.1 3.9.2",
    "0.46.0 0.46.1": "3.9.0 4.0.0",
    "0.47.0": "3.9.0 3.9.1 4.0.0",
    "0.48.0": "4.0.0 4.1.0",
    "0.49.0 0.49.1 0.50.0 0.50.1": "4.0.0 4.0.1 4.1.0 4.1.1",
    "0.51.0": "4.1.0 4.1.1 4.2.0",
    "1.0.0 1.0.1": "4.1.0 4.1.1 4.1.2 4.2.0",
    "1.1.0": "4.2.0 4.2.1 4.3.0",
    "1.2.0": "4.2.0 4.2.1 4.3.0 4.3.1",
}
_OF_RELEASE = {release: taken.split() for releases, taken in _TAKEN.items() for release in releases.split()}
_NEWEST = list(_OF_RELEASE)[-1]


def check(job: Job, context: Context) -> Iterator[Finding]:
    asked = [(one, job.blocks.get(one.block)) for one in job.dependencies if (one.ecosystem, one.name) == ("field", "kafka")]
    asked = [(one, block) for one, block in asked if re.fullmatch(r"\d+\.\d+\.\d+", one.version) and _is_of_strimzi(block)]
    named = [(one, version) for one in job.dependencies for name, version in engine_versions(one) if name == "strimzi"] if asked else []
    newest = [oddity for oddity in job.oddities if oddity.kind == "operator-unpinned"] if asked and not named else []
    for one, _ in asked:
        installed = {".".join(map(str, numbers(version))): at for at, version in named if _together(at.place, one.place)}
        beside = next((oddity for oddity in newest if _together(oddity.place, one.place)), None)
        if installed and all(one.version not in _OF_RELEASE.get(release, (one.version,)) for release in installed):
            release, at = next(reversed(installed.items()))
            message = f"Strimzi {release} refuses to run Kafka {one.version}: it takes {', '.join(_OF_RELEASE[release])}; no broker is started, or changed"
            yield context.finding(message, one, [(at, "the operator")])
        elif beside is not None and numbers(one.version) < numbers(_OF_RELEASE[_NEWEST][0]):
            message = (
                f"the newest release of Strimzi, which is installed here, refuses to run Kafka {one.version}: "
                f"{_NEWEST} takes {_OF_RELEASE[_NEWEST][0]} and later"
            )
            yield context.finding(message, one, [(beside, "the newest release")], confidence="low")


def _together(operator: Place, cluster: Place) -> bool:
    """Whether what installs an operator and a cluster are of one deployment: in one folder of the project, or one of them at its top."""
    return not all("/" in place.path for place in (operator, cluster)) or common(operator.path, cluster.path) > 0


def _is_of_strimzi(block: Block | None) -> bool:
    """Whether a block is a `Kafka` resource of Strimzi's."""
    return block is not None and block.role == "broker" and block.trait("operator") == "strimzi"
