"""Makes the catalogue tools importable: they live beside `src`, not in the package."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
