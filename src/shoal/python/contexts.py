"""Where functions run."""
from typing import Any
class Contexts:
    def __init__(self, module: Any) -> None:
        self.param_types: dict[tuple[int, str], Any] = {}
    def find(self) -> None: ...
