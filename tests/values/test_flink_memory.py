"""What we say cannot be shared out against what Flink itself cannot."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from shoal.values.flink_memory import FRACTIONS, SIZES, excess, shortage

from . import engine

pytestmark = pytest.mark.engine

MB = 1 << 20
AMOUNTS = [MB * size for size in (1, 32, 64, 128, 200, 256, 400, 512, 575, 576, 600, 768, 900, 960, 981, 1024, 1600, 1728, 2048, 4096)]
Given = dict[str, float]


def draw(count: int) -> list[tuple[str, Given]]:
    source = random.Random(7)
    found = []
    for _ in range(count):
        process = source.choice(["jobmanager", "taskmanager"])
        given: Given = {}
        for key in (*SIZES, *FRACTIONS):
            if key.startswith(process) and source.random() < (0.75 if key.endswith("process.size") else 0.2):
                given[key] = source.choice([0, 0.05, 0.1, 0.4, 0.7, 0.9] if key in FRACTIONS else AMOUNTS)
        found.append((process, given))
    return found


def ask(version: str, asked: list[tuple[str, Given]]) -> list[str]:
    """For each what Flink says against it."""
    for tool in ("java", "mvn"):
        if not shutil.which(tool):
            engine.give_up(f"`{tool}` is not installed")
    classpath = os.pathsep.join(map(str, engine.runtime(version)))
    lines = ["\t".join([process, *(f"{key}={value}" for key, value in given.items())]) for process, given in asked]
    done = subprocess.run(
        ["java", "-cp", classpath, str(Path(__file__).with_name("Processes.java"))],
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout.splitlines()


@pytest.mark.parametrize("version", ["1.13.6", "1.20.5", "2.3.0"])
def test_what_does_not_fit_is_what_flink_refuses(version: str) -> None:
    asked = draw(4000)
    replies = ask(version, asked)
    assert len(replies) == len(asked)
    ours = [shortage(*one) is not None or excess(*one) is not None for one in asked]
    wrong = [one for one, lacking, reply in zip(asked, ours, replies, strict=True) if lacking and not reply]
    # other complaints are about sizes that contradict their least, their greatest or one another
    missed = [
        reply for lacking, reply in zip(ours, replies, strict=True) if not lacking and "xceed configured Total Process Memory" in reply
    ]
    assert not wrong, wrong[:3]
    assert not missed, missed[:3]
    assert sum(ours) > 500
    assert replies.count("") > 500
