"""What a container of ZooKeeper answers: since 3.5 to `srvr` alone of its four-letter commands, unless it is told otherwise.

Tried with 3.9.5: `ruok is not executed because it is not in the whitelist.` The official image writes `srvr` into its zoo.cfg, Bitnami's `srvr, mntr`; Confluent's
has ZooKeeper's own default.
"""

from __future__ import annotations

import re

from shoal.job import numbers
from shoal.lazy import pattern

_IMAGE = pattern(
    r"(?:docker\.io/)?(?:(library/)?zookeeper|(confluentinc)/cp-zookeeper|(bitnami|bitnamilegacy)/zookeeper)(?::([^@]*))?(?:@.*)?"
)
# The first release of each image that has ZooKeeper 3.5.
_SINCE = {"confluentinc": (5, 4)}
_SINCE_ZOOKEEPER = (3, 5)
# Somebody allows commands, or may do so in a file or in what is merged into the container.
_TOLD = pattern(r"(?i)4lw|zoo\.cfg|zookeeper\.properties|zoo_cfg_extra|env_?file|envFrom|extends|<<:|\*\w|/conf")
_ASKS = pattern(
    r"\b(?:echo|printf)\s+(?:-n\s+)?[\"']?(ruok|stat|mntr|conf|cons|dump|envi|isro|wchs|dirs)\b[\"']?\s*\|\s*(?:nc|ncat|telnet)\b(.*)",
    re.DOTALL,
)
_LOOKS = pattern(r"grep|imok|awk|\bMode\b")


def refused(image: str, container: str, check: str) -> str:
    """The command of a health check that ZooKeeper does not answer, where the check looks at the answer; empty where there is none.

    `container` is all that is written of the container.
    """
    named = _IMAGE.fullmatch(image)
    if named is None or _TOLD.search(container):
        return ""
    maker, tag = named[2] or named[3] or "", named[4] or ""
    since = _SINCE.get(maker, _SINCE_ZOOKEEPER)
    if tag[:1].isdigit() and numbers(tag.partition("-")[0]) < since:
        return ""
    asked = _ASKS.search(check)
    before = check[: asked.start()] if asked else ""
    if asked is None or not _LOOKS.search(f"{before} {asked[2]}") or (named[3] and asked[1] == "mntr"):
        return ""
    return asked[1]
