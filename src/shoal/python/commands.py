"""Commands that a module starts: `subprocess.run(["spark-submit", …])`, `os.system("flink run …")`.

As DAGs are, such a module is read with the standard parser alone.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from shoal.lazy import pattern
from shoal.python.literals import Literals, parsed
from shoal.readers import delegate
from shoal.text import Text

if TYPE_CHECKING:
    from shoal.readers import Reading

# The programs whose options are facts; what else is started is of no interest here.
_NAME = r"(?:spark-submit|flink|sql-client\.sh|kafka-(?:topics|configs)(?:\.sh)?)"
_PROGRAM = rf"(?:[\w./${{}}\ue000-]*/)?{_NAME}"
_WORD = pattern(_PROGRAM)
_COMMAND = pattern(rf"(?:^|[\s;&|]){_PROGRAM}\s", re.MULTILINE)
_BEGINS = pattern(rf"\s*{_PROGRAM}\s+-")
_FIRST, _LONGEST = 6, 2000  # words among which the program stands (`docker exec -it …`), and how many are looked at
_CALLS = frozenset(
    {"system", "popen", "run", "call", "check_call", "check_output", "Popen", "getoutput", "getstatusoutput", "create_subprocess_shell"}
)


def read(text: Text, out: Reading) -> None:
    """The commands that a module starts, wherever they are literals. Never raises for what the text holds."""
    if re.search(_NAME, text.text) and (tree := parsed(text.text)) is not None:
        _Commands(text, out, tree).collect()


class _Commands(Literals):
    def collect(self) -> None:
        """Lists with such a program among their words, texts that are given to what runs one, and those that begin with one and are given a name."""
        seen: set[int] = set()
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.List, ast.Tuple)):
                if len(node.elts) > 1 and any(_WORD.fullmatch(word) for word, _ in self.words(node, _FIRST)):
                    delegate.arguments(self.words(node, _LONGEST), self.out, None)
            elif isinstance(node, ast.Call) and isinstance(node.func, (ast.Attribute, ast.Name)) and node.args:
                name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
                command = self.text_of(node.args[0]) if name in _CALLS else None
                if command is not None and _COMMAND.search(command.text):
                    self.command(command, self.followed(node.args[0]), seen)
            elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                command = self.text_of(node.value) if isinstance(node.value, (ast.JoinedStr, ast.Constant)) else None
                if command is not None and _BEGINS.match(command.text):
                    self.command(command, node.value, seen)

    def command(self, text: Text, node: ast.expr | None, seen: set[int]) -> None:
        """One text, which may be given both a name and to what runs it."""
        if id(node) not in seen:
            seen.add(id(node))
            delegate.command(text, self.out, None)
