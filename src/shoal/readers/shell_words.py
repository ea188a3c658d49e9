"""Shell text as simple commands: words with their quotes resolved, each still pointing at where it stands.

A reader, not a shell: control flow is passed over, every command counts, and what only a run would tell (`$(…)`, globs) is kept or
masked. One pass, linear in the text's length, and no text makes it fail.
"""

from __future__ import annotations

import re

from shoal.lazy import pattern
from shoal.records import NamedTuple
from shoal.text import MASK, Text

_PLAIN = pattern(r"[^\s'\"\\$`;&|()<>]+")
_QUOTED = pattern(r'[^"\\$`]+')
_BLANK = pattern(r"(?:[ \t\x0b\x0c\x00]|\\\r?\n|\r(?!\n))+")
_COMMENT = pattern(r"[^\r\n]*")
_ASSIGN = pattern(r"[A-Za-z_]\w*\+?=")
_SIMPLE_BRACE = pattern(r"\$\{[^{}'\"\\`\n]*\}")
_CAT = pattern(r"\s*cat[ \t]*<<-?[ \t]*([\"']?)(\w+)\1[ \t]*\r?\n(.*\n|)[ \t]*\2\s*", re.DOTALL)
_ANSI = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}
RESERVED = frozenset(
    {"if", "then", "else", "elif", "fi", "do", "done", "while", "until", "case", "esac", "in", "{", "}", "!", "time", "function"}
)
# Those that run a command in a container.
CONTAINER_TOOLS = frozenset({"docker", "podman", "nerdctl", "docker-compose"})
# Commands inside `$( )` inside `$( )` …: nothing real goes deeper.
_DEEPEST = 3


class Command(NamedTuple):
    """One simple command.

    words        what is run and its arguments; `assignments` before them are (name, value)
    arrays       assignments of lists: (name, words)
    writes       targets of `>` and `>>`
    bodies       here-documents and here-strings that it reads
    piped        its output is the next command's input
    background   the shell does not wait for it: `&` follows
    """

    words: list[Text]
    assignments: list[tuple[str, Text]]
    arrays: list[tuple[str, list[Text]]]
    writes: list[Text]
    bodies: list[Text]
    piped: bool
    background: bool = False


class _Builder:
    __slots__ = ("arrays", "assignments", "bodies", "words", "writes")

    def __init__(self) -> None:
        self.words: list[Text] = []
        self.assignments: list[tuple[str, Text]] = []
        self.arrays: list[tuple[str, list[Text]]] = []
        self.writes: list[Text] = []
        self.bodies: list[Text] = []

    def done(self, piped: bool, background: bool) -> Command | None:
        if not (self.words or self.assignments or self.arrays or self.bodies):
            return None
        return Command(self.words, self.assignments, self.arrays, self.writes, self.bodies, piped, background)


def commands(text: Text, depth: int = 0) -> list[Command]:
    """Every simple command of a script in order; those inside `$( )` come right after the one that holds them."""
    return _Scanner(text, depth).run()


def words(text: Text) -> list[Text]:
    """The words of a text that is one command, such as the value of a variable that holds options."""
    return [word for command in commands(text, _DEEPEST) for word in [*(value for _, value in command.assignments), *command.words]]


class _Scanner:
    def __init__(self, text: Text, depth: int) -> None:
        self.text = text
        self.source = text.text
        self.depth = depth
        self.found: list[Command] = []
        self.current = _Builder()
        self.inner: list[tuple[int, int]] = []
        self.heredocs: list[tuple[_Builder, str, bool]] = []
        self.redirect = ""
        self.array: tuple[str, list[Text]] | None = None
        self.missing: set[str] = set()  # closing marks that do not come any more
        self.groups: list[int] = []  # how many commands stand before each `{` that is open
        self.group: list[Command] = []  # those of the `{ … }` that has just ended

    def run(self) -> list[Command]:
        source, size = self.source, len(self.source)
        at = 0
        while at < size:
            blank = _BLANK.match(source, at)
            if blank:
                at = blank.end()
                continue
            char = source[at]
            if char in "\r\n":
                at += 2 if source.startswith("\r\n", at) else 1
                if self.array is None:
                    self.end_command()
                if self.heredocs:
                    at = self.read_bodies(at)
            elif char == "#":
                found = _COMMENT.match(source, at)
                at = found.end() if found else size
            elif char == ")" and self.array is not None:
                self.current.arrays.append(self.array)
                self.array = None
                at += 1
            elif char in ";&|()":
                at = self.operator(at)
            elif char in "<>":
                at = self.redirection(at)
            else:
                at = self.word(at)
        self.end_command()
        return self.found

    def end_command(self, piped: bool = False, background: bool = False) -> None:
        command = self.current.done(piped, background)
        if command:
            self.found.append(command)
        self.current = _Builder()
        self.redirect = ""
        self.group = []
        if self.inner and self.depth < _DEEPEST:
            for start, end in self.inner:
                self.found += commands(self.text.slice(start, end), self.depth + 1)
        self.inner = []

    def operator(self, at: int) -> int:
        source = self.source
        if source.startswith("&>", at):
            self.redirect = ">"
            return at + (3 if source.startswith("&>>", at) else 2)
        piped = source[at] == "|" and not source.startswith("||", at)
        if self.array is None:
            self.end_command(piped, source[at] == "&" and not source.startswith("&&", at))
        return at + (2 if source[at : at + 2] in ("&&", "||", ";;", "|&") else 1)

    def redirection(self, at: int) -> int:
        source = self.source
        words = self.current.words
        if words and words[-1].text.isdigit() and len(words[-1].text) == 1 and source[at - 1 : at] == words[-1].text:
            words.pop()  # `2>`: a descriptor
        if source.startswith("<<<", at):
            self.redirect = "<<<"
            return at + 3
        if source.startswith("<<", at):
            dashed = source.startswith("<<-", at)
            self.redirect = "<<-" if dashed else "<<"
            return at + (3 if dashed else 2)
        if source.startswith((">&", "<&"), at):
            self.redirect = "&"
            return at + 2
        self.redirect = source[at]
        return at + (2 if source[at : at + 2] in (">>", ">|", "<>") else 1)

    def word(self, at: int) -> int:
        start = at
        parts: list[tuple[str, int]] = []
        source, size = self.source, len(self.source)
        quoted = False
        while at < size:
            plain = _PLAIN.match(source, at)
            if plain:
                parts.append((plain.group(), at))
                at = plain.end()
                continue
            char = source[at]
            if char == "'":
                close = source.find("'", at + 1)
                close = size if close == -1 else close
                parts.append((source[at + 1 : close], at + 1))
                at, quoted = min(close + 1, size), True
            elif char == '"':
                at, quoted = self.double(at + 1, parts), True
            elif char == "\\":
                if source[at + 1 : at + 2] == "\n":
                    at += 2
                elif source.startswith("\r\n", at + 1):
                    at += 3
                else:
                    parts.append((source[at + 1 : at + 2], at + 1))
                    at, quoted = at + 2, True
            elif char == "$" or char == "`":
                at = self.dollar(at, parts, False)
            elif char == "(" and parts and self.array is None and _ASSIGN.fullmatch("".join(part for part, _ in parts)):
                self.array = ("".join(part for part, _ in parts).rstrip("+="), [])
                return at + 1
            else:
                break
        if at == start:
            return at + 1
        self.add(self.text.compose(parts or [("", min(start + 1, size))]), quoted)
        return min(at, size)

    def add(self, word: Text, quoted: bool) -> None:
        current = self.current
        redirect, self.redirect = self.redirect, ""
        if redirect in ("<<", "<<-"):
            self.heredocs.append((current, word.text, redirect == "<<-"))
        elif redirect == "<<<":
            current.bodies.append(word)
        elif redirect == ">":
            current.writes.append(word)
            for command in self.group:
                command.writes.append(word)
        elif redirect:
            return
        elif self.array is not None:
            self.array[1].append(word)
        elif not current.words and not quoted and word.text in RESERVED:
            if word.text == "{":
                self.groups.append(len(self.found))
            elif word.text == "}" and self.groups:
                self.group = self.found[self.groups.pop() :]
        elif not current.words and (found := _ASSIGN.match(word.text)):
            current.assignments.append((word.text[: found.end()].rstrip("+="), word.slice(found.end(), len(word.text))))
        else:
            current.words.append(word)

    def double(self, at: int, parts: list[tuple[str, int]]) -> int:
        """The inside of double quotes from `at`; the offset after the closing quote."""
        source, size = self.source, len(self.source)
        while at < size:
            plain = _QUOTED.match(source, at)
            if plain:
                parts.append((plain.group(), at))
                at = plain.end()
                continue
            char = source[at]
            if char == '"':
                return at + 1
            if char == "\\":
                following = source[at + 1 : at + 2]
                if following == "\n" or source.startswith("\r\n", at + 1):
                    at += 2 if following == "\n" else 3
                elif following in ('"', "\\", "$", "`"):
                    parts.append((following, at + 1))
                    at += 2
                else:
                    parts.append(("\\", at))
                    at += 1
            else:
                at = self.dollar(at, parts, True)
        return size

    def dollar(self, at: int, parts: list[tuple[str, int]], inside: bool) -> int:
        """A `$` or backtick at `at`: variables stay as written, command output is masked."""
        source = self.source
        if source[at] == "`":
            close = source.find("`", at + 1) if "`" not in self.missing else -1
            if close == -1:
                self.missing.add("`")
                parts.append(("`", at))
                return at + 1
            self.inner.append((at + 1, close))
            parts.append((MASK * (close + 1 - at), at))
            return close + 1
        following = source[at + 1 : at + 2]
        if following == "'" and not inside:
            return self.ansi(at + 2, parts)
        if following == '"' and not inside:
            return self.double(at + 2, parts)
        if following == "{":
            simple = _SIMPLE_BRACE.match(source, at) if "}" not in self.missing else None
            if simple:
                parts.append((simple.group(), at))
                return simple.end()
            return self.nested(at, "{", "}", parts)
        if following == "(":
            return self.nested(at, "(", ")", parts)
        parts.append(("$", at))
        return at + 1

    def nested(self, at: int, opening: str, closing: str, parts: list[tuple[str, int]]) -> int:
        end = self.closing(at + 1, opening, closing)
        if end == -1:
            self.missing.add(closing)
            parts.append(("$" + opening, at))
            return at + 2
        content = self.source[at + 2 : end]
        if opening == "(" and (whole := _CAT.fullmatch(content)):  # which gives what it is given
            parts.append((whole.group(3), at + 2 + whole.start(3)))
            return end + 1
        if opening == "(":
            if not content.startswith("("):
                self.inner.append((at + 2, end))
            plain = re.fullmatch(r"[\w. /@<-]*", content)
        else:
            plain = re.fullmatch(r"\w+:?[-=][^{}$`'\"\\]*", content.replace('"', ""))
        parts.append((self.source[at : end + 1] if plain else MASK * (end + 1 - at), at))
        return end + 1

    def closing(self, at: int, opening: str, closing: str) -> int:
        """Offset of the mark that closes the one at `at`, or -1. Quotes are respected."""
        if closing in self.missing:
            return -1
        level = 0
        for found in re.compile(rf"\\.|'[^']*'|[{opening}{closing}]", re.DOTALL).finditer(self.source, at):
            char = found.group()
            if char == opening:
                level += 1
            elif char == closing:
                level -= 1
                if not level:
                    return found.start()
        return -1

    def ansi(self, at: int, parts: list[tuple[str, int]]) -> int:
        source, size = self.source, len(self.source)
        plain = re.compile(r"[^'\\]+")
        while at < size:
            found = plain.match(source, at)
            if found:
                parts.append((found.group(), at))
                at = found.end()
            elif source[at] == "'":
                return at + 1
            else:
                following = source[at + 1 : at + 2]
                parts.append((_ANSI.get(following, "\\" + following), at + 1 if following else at))
                at += 2
        return size

    def read_bodies(self, at: int) -> int:
        """The here-documents that were announced on the line before; the offset after the last one."""
        source, size = self.source, len(self.source)
        for builder, delimiter, dashed in self.heredocs:
            start = at
            end = size
            while at < size:
                stop = source.find("\n", at)
                stop = size if stop == -1 else stop
                line = source[at:stop].rstrip("\r")
                if (line.lstrip("\t") if dashed else line) == delimiter:
                    end = at
                    at = min(stop + 1, size)
                    break
                at = min(stop + 1, size)
            # the command made of this builder shares the list
            builder.bodies.append(self.text.slice(start, end))
        self.heredocs = []
        return at
