"""Shell scripts, and the recipes of Makefiles and justfiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.lazy import pattern
from shoal.readers import mask
from shoal.readers.archives import read_script
from shoal.readers.command_line import read_command
from shoal.readers.shell_flow import read_queued, read_redeploys

if TYPE_CHECKING:
    from shoal.readers import Reading
    from shoal.text import Text

_RECIPE = pattern(r"[ \t]+[@+-]*")
_ASSIGNMENT = pattern(r"(?:(?:export|override)[ \t]+)*([A-Za-z_][\w.-]*)[ \t]*(\?=|:{0,3}=|\+=)[ \t]*")
_HOME = pattern(
    r"(?<![\w.-])flink-(\d+\.\d+(?:\.\d+)?)(?=/bin/(?:flink|sql-client|sql-gateway|start-cluster|yarn-session|kubernetes-session)\b)"
    r"|(?m:^)[ \t]*(?:(?:export[ \t]+)?FLINK_HOME=|cd[ \t]+)[\"']?[^\s\"'#;&]*?(?<![\w.-])flink-(\d+\.\d+(?:\.\d+)?)/?[\"']?[ \t]*(?=$|[\r\n;&])"
)
_REFERENCE = pattern(r"\$\(([A-Za-z_]\w*)\)")
_FUNCTION = pattern(r"\$[({][a-z-]+[ \t]")  # `$(shell …)`, `$(wildcard …)`


def read(text: Text, out: Reading) -> None:
    """A script as a whole; of a Makefile, what stands in recipes, with the variables that it sets once."""
    name = out.path.replace("\\", "/").rsplit("/", 1)[-1].lower()
    if name.startswith("justfile"):
        text = text.compose([(mask(text.text), 0)])
    if not name.startswith(("makefile", "gnumakefile", "justfile")) and not name.endswith(".mk"):
        read_command(text, out)
        read_script(text, out)
        _homes(text, out)
        read_redeploys(out, False)
        read_queued(out, False)
        return
    variables = _variables(text) if not name.startswith("justfile") else {}
    recipes = _recipes(text, variables)
    read_command(recipes, out, None, variables)
    read_redeploys(out, True)
    read_queued(out, True)


def _homes(text: Text, out: Reading) -> None:
    """The Flink whose client or cluster a script starts, by the folder that it stands in: `/opt/flink-1.20.1/bin/flink`, `FLINK_HOME=/opt/flink-1.20.1`, `cd /opt/flink-1.20.1`."""
    if "flink-" not in text.text or not out.launches:
        return
    found = [
        match for match in _HOME.finditer(text.text) if "#" not in text.text[text.text.rfind("\n", 0, match.start()) + 1 : match.start()]
    ]
    if len({match.group(1) or match.group(2) for match in found}) == 1:
        match = found[0]
        at = 1 if match.group(1) else 2
        out.dependency("archive", "flink", match.group(at), text.span(*match.span(at)))


def _variables(text: Text) -> dict[str, Text | None]:
    """What a Makefile sets outside its recipes; None for what it sets twice, adds to, or has a program say."""
    found: dict[str, Text | None] = {}
    whole = text.text
    lines = iter(text.lines())
    for start, end in lines:
        head = _ASSIGNMENT.match(whole, start, end)
        if head is None:
            continue
        stop = end
        while whole[stop - 1 : stop] == "\\" and (following := next(lines, None)) is not None:
            stop = following[1]
        name, operator = head.group(1), head.group(2)
        value = text.slice(head.end(), stop)
        plain = name not in found and operator != "+=" and not _FUNCTION.search(value.text)
        found[name] = _braces(value, None) if plain else None
    return found


def _braces(text: Text, names: dict[str, Text | None] | None) -> Text:
    """A text in which `$(NAME)` is written as the shell's `${NAME}`, of the same length; of these names alone, where some are given."""
    if "$(" not in text.text:
        return text
    changed = _REFERENCE.sub(
        lambda match: f"${{{match.group(1)}}}" if names is None or match.group(1) in names else match.group(), text.text
    )
    return text.compose([(changed, 0)])


def _recipes(text: Text, variables: dict[str, Text | None]) -> Text:
    """The recipe lines with make's own marks taken away; other lines are left out, `$$` is the shell's `$`."""
    parts: list[tuple[str, int]] = []
    continued = assigning = False
    whole = _braces(text, variables).text
    for start, end in text.lines():
        found = _RECIPE.match(whole, start, end)
        going_on = whole[start:end].endswith("\\")
        if assigning or (not continued and not found and _ASSIGNMENT.match(whole, start, end)):
            assigning = going_on
            continued = False
        elif found or continued:
            at = found.end() if found and not continued else start
            pieces = whole[at:end].split("$$")
            for index, piece in enumerate(pieces):
                parts.append((piece + ("$" if index + 1 < len(pieces) else ""), at))
                at += len(piece) + 2
            if end < len(whole):
                parts.append(("\n", end))
            continued = going_on
        else:
            continued = False
    return text.compose(parts) if parts else text.slice(0, 0)
