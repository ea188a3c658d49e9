"""Conf files by the name of another version."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job, numbers
from shoal.model import Finding
from shoal.readers.engine_files import is_conf_path
from shoal.readers.versions import image_engine

_FORMS = ("configmap", "flink-conf", "flink-yaml")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Entries of one ConfigMap, or files of one folder, as far as they bear the names that Flink looks for."""
    # beside an image that may hold any Flink, the jar of a connector tells nothing of which file is read
    floating = any(one.ecosystem == "image" and image_engine(one.name) == "flink" and not numbers(one.version) for one in job.dependencies)
    seen: dict[str, list[Block]] = {}
    for block in job.select("flink", ("cluster",), _FORMS):
        if block.trait("file") and block.form != "configmap":
            yield from _of_image(job, context, block)
            continue
        name, where = _name(block)
        legacy, standard = name.startswith("flink-conf.y"), name.startswith("config.y")
        if (not legacy and not standard) or _renamed(job, block):
            continue
        others = [other for other in seen.get(where, ()) if other.place.path != block.place.path or block.form == "configmap"]
        seen.setdefault(where, []).append(block)
        version = job.version("flink", block)
        if version is not None and floating and version.source.ecosystem == "jar":
            version = None
        both = next(
            (
                other
                for other in others
                if not (other.open or block.open) and _name(other)[0].startswith("config.y" if legacy else "flink-conf.y")
            ),
            None,
        )
        # what a program in Java is compiled against, that may be a library, is not yet what a cluster runs
        kind = version.source.ecosystem if version is not None else ""
        sure = "" if kind in ("image", "field") else "low" if kind == "maven" else "medium"
        if version is not None and legacy and version.at_least("2.0") and both is None:
            message = f"Flink {version.text} does not read {name}, and without a config.yaml it does not start"
            yield context.finding(message, block, [(version.source, "the version")], confidence=sure)
        elif version is not None and standard and version.below("1.19"):
            message = f"Flink {version.text} does not read {name}: before 1.19 the file is flink-conf.yaml, and nothing here takes effect"
            yield context.finding(message, block, [(version.source, "the version")], confidence=sure)
        elif both is not None:
            message = "one of the two files is ignored as a whole: in Flink 1.19 and 1.20 flink-conf.yaml wins over config.yaml, from 2.0 on only config.yaml is read"
            yield context.finding(message, block, [(both, "the other file")], severity="warning")


def _of_image(job: Job, context: Context, block: Block) -> Iterator[Finding]:
    """Lines that a Dockerfile adds to a file of an image that it builds on a Flink of one version."""
    name = block.trait("file").lower()
    bases = [
        one
        for one in job.dependencies
        if one.place.path == block.place.path and one.ecosystem == "image" and image_engine(one.name) == "flink"
    ]
    versions = {numbers(one.version)[:2] for one in bases}
    if len(versions) != 1 or len(min(versions)) < 2:
        return
    version, shown = min(versions), ".".join(map(str, min(versions)))
    if name.startswith("flink-conf.y") and version >= (2, 0):
        message = f"what is added here has no effect: Flink {shown} does not read {name}, its image has a config.yaml"
    elif name.startswith("config.y") and version < (1, 19):
        message = f"what is added here has no effect: Flink {shown} does not read {name}, before 1.19 the file is flink-conf.yaml"
    else:
        return
    yield context.finding(message, block, [(bases[0], "the version")])


def _renamed(job: Job, block: Block) -> bool:
    """Whether a service mounts the file, or an image copies it, under another of these names: `./flink-conf.yaml:/opt/flink/conf/config.yaml`."""
    own = block.place.path.rpartition("/")[2].lower()
    for mount in job.mounts if block.form != "configmap" else ():
        source, target = (path.rpartition("/")[2].lower() for path in (mount.name, mount.path))
        if source == own and target != own and target.endswith((".yaml", ".yml")) and is_conf_path(mount.path):
            return True
    return False


def _name(block: Block) -> tuple[str, str]:
    """The file's name, and what it stands in: a ConfigMap or a folder."""
    if block.form == "configmap":
        return block.trait("file").lower(), block.name
    folder, _, name = block.place.path.rpartition("/")
    return name.lower(), folder
