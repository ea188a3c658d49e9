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
from shoal.text import MASK, Text

if TYPE_CHECKING:
    from shoal.readers import Reading

# The programs whose options are facts; what else is started is of no interest here.
_NAME = r"(?:spark-submit|flink|sql-client\.sh|kafka-(?:topics|configs)(?:\.sh)?)"
_PROGRAM = rf"(?:[\w./${{}}\ue000-]*/)?{_NAME}"
_WORD = pattern(_PROGRAM)
_COMMAND = pattern(rf"(?:^|[\s;&|]){_PROGRAM}\s", re.MULTILINE)
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
        """Lists with such a program among their words, and texts that are given to what runs one."""
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.List, ast.Tuple)):
                parts = [part for part in node.elts if not isinstance(part, ast.Starred)]
                if len(parts) > 1 and any(_WORD.fullmatch(self.word(part)[0]) for part in parts[:_FIRST]):
                    delegate.arguments([self.word(part) for part in parts[:_LONGEST]], self.out, None)
            elif isinstance(node, ast.Call) and isinstance(node.func, (ast.Attribute, ast.Name)) and node.args:
                name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
                command = self.text_of(node.args[0]) if name in _CALLS else None
                if command is not None and _COMMAND.search(command.text):
                    delegate.command(command, self.out, None)

    def word(self, node: ast.expr) -> tuple[str, Text]:
        """What an argument is; one that only a run would tell is masked, so that its neighbours keep their places."""
        text = self.text_of(node)
        if text is None:
            span = self.span(node)
            text = Text(MASK, [(0, span.start)])
        return text.text, text
