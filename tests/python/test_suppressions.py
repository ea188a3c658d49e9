"""A comment counts anywhere in the statement it is about, and no further."""

from __future__ import annotations

import pytest

from shoal import rulebook_build
from shoal.core import check_source, conclude
from shoal.model import Source
from shoal.rulebook import built_in_folder, from_json
from shoal.settings import Settings

RULES = from_json(rulebook_build.build(built_in_folder()), built_in_folder())
HEAD = "import requests\nfrom pyflink.datastream.functions import MapFunction\n\n\nclass F(MapFunction):\n    def map(self, value):\n"
COMMENT = "  # shoal: ignore[network-call-without-timeout] answers at once"


def states(body: str) -> list[str]:
    text = HEAD + body
    result = check_source(Source("job.py", "python", text.encode()), RULES, Settings())
    findings, _ = conclude([result], RULES, Settings(), {"job.py": text})
    return [finding.status.state for finding in findings if finding.rule == "network-call-without-timeout"]


@pytest.mark.parametrize(
    ("body", "state"),
    [
        (f"        return requests.get(value){COMMENT}\n", "suppressed"),
        (f"        return requests.get({COMMENT}\n            value,\n        )\n", "suppressed"),
        (f"        return requests.get(\n            value,{COMMENT}\n        ).json()\n", "suppressed"),
        (f"        {COMMENT.strip()}\n        return requests.get(value)\n", "suppressed"),
        (f"        if requests.get(value).ok:\n            value = 1{COMMENT}\n        return value\n", "open"),
        (f"        answer = requests.get(value)\n        return answer{COMMENT}\n", "open"),
    ],
)
def test_where_a_comment_counts(body: str, state: str) -> None:
    assert states(body) == [state]
