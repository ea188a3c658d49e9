"""Jobs and pipelines in files beside a `databricks.yml` that no pattern of its `include` names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from shoal.context import Context
from shoal.facts import Block
from shoal.globs import matcher
from shoal.job import Job
from shoal.model import Finding

_NAMES = ("databricks.yml", "databricks.yaml", "bundle.yml", "bundle.yaml")


def check(job: Job, context: Context) -> Iterator[Finding]:
    roots = {
        folder: usage
        for usage in job.usages("bundle")
        for folder, _, name in [usage.place.path.rpartition("/")]
        if name in _NAMES and "${" not in usage.detail
    }
    left: dict[str, list[Block]] = {}
    for block in job.select("spark", ("application",), ("bundle",)):
        folder = _nearest(block.place.path, roots)
        if folder is None or block.place.path == roots[folder].place.path or not block.place.path.endswith((".yml", ".yaml")):
            continue
        path = block.place.path.removeprefix(f"{folder}/" if folder else "")
        patterns = tuple(f"/{pattern.removeprefix('./')}" for pattern in roots[folder].detail.splitlines())
        if not matcher(patterns)(path):
            left.setdefault(folder, []).append(block)
    for folder, blocks in left.items():
        root, first = roots[folder], blocks[0]
        how = "no pattern here names its file" if root.detail else "there is no include here"
        others = f" and {len(blocks) - 1} more" if len(blocks) > 1 else ""
        message = f"{first.name or 'a job'}{others} will not be deployed: {how}, and what is not included is not part of the bundle (include: [resources/*.yml])"
        yield context.finding(message, root.place, [(first, "not deployed")])


def _nearest(path: str, roots: Mapping[str, object]) -> str | None:
    """The folder of the bundle in which a file stands."""
    above = [folder for folder in roots if not folder or path.startswith(f"{folder}/")]
    return max(above, key=len, default=None)
