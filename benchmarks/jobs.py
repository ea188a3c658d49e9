"""Measures how finding jobs grows with a tree: copies of a folder side by side, as in a monorepo of many teams.

    python benchmarks/jobs.py [FOLDER] [--copies 10 40 160]

FOLDER is a tree with jobs; by default the examples. Each copy should cost the same, however many there are.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from shoal import host, rulebooks
from shoal.jobs.find import jobs_of
from shoal.paths import Paths
from shoal.settings import Settings
from shoal.wire import pack, unpack


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=Path(__file__).parents[1] / "examples")
    parser.add_argument("--copies", type=int, nargs="+", default=[10, 40, 160])
    arguments = parser.parse_args()
    settings = Settings()
    root = str(arguments.folder.resolve())
    found = host.check(host.Request((root,), root, settings, rulebooks.load(settings), cache=False))
    packed = {path: json.dumps(pack(result)) for path, result in found.results.items()}
    print("| copies | files | jobs | s of processor | ms for a copy |\n|---:|---:|---:|---:|---:|")
    for copies in arguments.copies:
        results = [unpack(f"{copy}/{path}", json.loads(text)) for copy in range(copies) for path, text in packed.items()]
        paths = Paths.of(f"{copy}/{path}" for copy in range(copies) for path in found.paths)
        began = time.process_time()
        jobs = sum(1 for _ in jobs_of(results, settings, paths))
        spent = time.process_time() - began
        print(f"| {copies} | {len(paths):,} | {jobs:,} | {spent:.2f} | {spent / copies * 1000:.1f} |")


if __name__ == "__main__":
    main()
