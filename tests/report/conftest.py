"""One run with everything a report can hold: related places, fixes, silenced findings, problems, hostile names and texts."""

from __future__ import annotations

import pytest

from shoal import rulebook
from shoal.model import Edit, Finding, Fix, LeftOut, Place, Problem, Span, Status
from shoal.report import Run
from shoal.text import Decoded, decode

EVIL = 'conf/ev::il,\n::error file=x::pwn \x1b[31m|<script>alert(1)</script>"&.yaml'
FILES = {
    "conf/config.yaml": "execution:\n  checkpointing:\n    interval: 60 s\n    timeout: 1 s # tiny\n",
    EVIL: "a: \x1b[2J 😀 <b>`x`</b> | @everyone\n",
}


def span(path: str, text: str) -> Span:
    start = FILES[path].index(text)
    return Span(start, start + len(text))


def everything() -> Run:
    conf = "conf/config.yaml"
    timeout = span(conf, "1 s")
    fix = Fix("set it to 10 min", "unsafe", (Edit(conf, timeout, "10 min"),))
    relation = Finding(
        "checkpoint-timeout-too-short",
        "checkpoints are abandoned after 1 s",
        (
            Place(conf, timeout),
            Place(conf, span(conf, "60 s"), "related", "the interval"),
            Place(conf, span(conf, "timeout: 1 s"), "covers"),
        ),
        "error",
        "high",
        (fix,),
        fingerprint="0" * 20,
    )
    hostile = Finding(
        "made-up-rule",
        "value \x1b[31m::warning::\n| <img src=x> 100%",
        (Place(EVIL, span(EVIL, "😀 <b>")),),
        "warning",
        "low",
        fingerprint="1" * 20,
    )
    silenced = relation._replace(status=Status("suppressed", "tests only", "comment"), fingerprint="2" * 20)
    known = relation._replace(status=Status("baselined"), fingerprint="3" * 20)

    def text(path: str) -> Decoded | None:
        return decode(FILES[path].encode()) if path in FILES else None

    return Run(
        findings=(relation, silenced, known, hostile),
        problems=(
            Problem(EVIL, "unparsable", "not valid YAML: \x1b]0;x\x07", 3, "correct the syntax"),
            Problem("gone.yaml", "unreadable", "is a FIFO"),
        ),
        left_out=(
            LeftOut("big.yaml", "too-large", "104,857,600 bytes"),
            LeftOut("vendor/x.yaml", "vendored"),
            LeftOut("A.java", "partly-read", "line 4: …"),
        ),
        files=4,
        read=2,
        rulebook=rulebook.load(),
        text=text,
    )


@pytest.fixture
def run() -> Run:
    return everything()


@pytest.fixture
def clean() -> Run:
    return everything()._replace(findings=(), problems=(), left_out=())
