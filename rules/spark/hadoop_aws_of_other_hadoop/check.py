"""hadoop-aws beside another Hadoop than its own: the one that Spark's distribution, images and package on PyPI bring.

Tried with a read and a write of s3a:// against a port where nobody listens: 3.3.1 to 3.3.4 come as far as the connection on Spark 3.5.5, 3.3.1 and 3.3.4 on 3.3.4; 3.3.6
and 3.4.0 on 3.5.5, and 3.3.6 on 3.4.4, end with NoClassDefFoundError (PrefetchingStatistics), 3.2.4 on 3.3.4 and 3.5.5 with ClassNotFoundException for a class
that is named in the defaults of the newer one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Dependency
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding

# What Spark is built with: `hadoop.version` in its pom.xml. Before 3.2, Hadoop 2.7 and 3.2 were both on offer.
_BROUGHT = {
    "3.2": (3, 3, 1),
    "3.3": (3, 3, 2),
    "3.4": (3, 3, 4),
    "3.5": (3, 3, 4),
    "4.0": (3, 4, 1),
    "4.1": (3, 4, 2),
}
_NAMED = pattern(r"\borg\.apache\.hadoop:hadoop-aws:(\d+)\.(\d+)\.(\d+)\b")
# Images whose Hadoop is Spark's own.
_STOCK = pattern(r"(?:^|/)(?:(?:library|apache|bitnami|bitnamilegacy|spark-py)/)?(?:apache/)?spark(?:-py)?$|jupyter/\w*spark-notebook$")


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Silent where another Hadoop is named as well, and about platforms, which have one of their own."""
    if any(block.trait("platform") for block in job.select("spark")):
        return
    for block in job.select("spark"):
        for setting in job.of(block):
            if setting.key not in ("spark.jars.packages", "--packages") or not setting.known:
                continue
            found = _NAMED.search(setting.text)
            version = job.version("spark", block)
            brought = _BROUGHT.get(version.minor) if version is not None else None
            if found is None or version is None or brought is None or re.search(r"hadoop-(?:client|common)", setting.text):
                continue
            named = (int(found[1]), int(found[2]), int(found[3]))
            effect = _effect(named, brought)
            if effect is None:
                continue
            message = (
                f"the first path of s3a:// fails: hadoop-aws {_text(named)} needs Hadoop of the same version, and Spark {version.text} brings"
                f" {_text(brought)} ({effect})"
            )
            sure = _stock(job, block, version.source)
            yield context.finding(message, setting, [(version.source, "the version of Spark")], confidence="" if sure else "low")


def _effect(named: tuple[int, int, int], brought: tuple[int, int, int]) -> str | None:
    """How Hadoop's file system for S3 fails; None where it works, or may work."""
    if named[:2] > brought[:2] or (named[:2] == brought[:2] == (3, 3) and brought < (3, 3, 5) <= named):
        return "NoClassDefFoundError: it asks for classes that came later"
    if named[:2] == brought[:2]:
        return None
    if brought[:2] == (3, 4) and named[0] == 3:
        return 'NumberFormatException: For input string: "60s", a default that the older one cannot read'
    return "a class that the newer defaults name is not in it, or NoSuchMethodError"


def _stock(job: Job, block: Block, source: Dependency) -> bool:
    """Whether it is sure what Spark runs there: the package from PyPI, or an image of the project or of Bitnami."""
    images = [image.name for image in job.images(block)]
    return all(_STOCK.search(name) for name in images) and (bool(images) or source.ecosystem in ("pypi", "image"))


def _text(version: tuple[int, int, int]) -> str:
    return ".".join(map(str, version))
