"""Hatch build hook: puts the rules and their prepared form into the wheel as `shoal/_rules`."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class RulesHook(BuildHookInterface):
    """Compiles `rules/` at build time: validating 150 rule.yaml at every start would cost a second."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        root = Path(self.root)
        sys.path.insert(0, str(root / "src"))
        from shoal import rulebook_build

        target = Path(tempfile.mkdtemp()) / "rulebook.json"
        if rulebook_build.main([str(root / "rules"), str(target)]):
            raise SystemExit("the rules are not valid")
        build_data["force_include"][str(target)] = "shoal/_rules/rulebook.json"
        for folder, folders, files in os.walk(root / "rules"):
            folders[:] = [name for name in folders if name not in ("__pycache__", "cases")]
            for name in files:
                path = Path(folder, name)
                build_data["force_include"][str(path)] = f"shoal/_rules/{path.relative_to(root / 'rules').as_posix()}"
