"""Dockerfiles: base images, what RUN installs and writes, environment, and what the container starts."""

from __future__ import annotations

import json
import posixpath
import re
from typing import TYPE_CHECKING

from shoal.facts import Usage
from shoal.lazy import pattern
from shoal.records import NamedTuple
from shoal.text import MASK, Text

if TYPE_CHECKING:
    from shoal.facts import Block
    from shoal.model import Span
    from shoal.readers import Reading
    from shoal.readers.python_image import Stage

_INSTRUCTION = pattern(r"[ \t\x00]*([A-Za-z]+)(?=[ \t\\\r\n]|$)[ \t]*")
_HEREDOC = pattern(r"<<-?[ \t]*([\"']?)(\w+)\1")
_ESCAPE = pattern(r"(?:\s*#[^\n]*\n)*?\s*#[ \t]*escape[ \t]*=[ \t]*`")
# An image that is in no registry, as its name has it: what the project itself builds first.
_OWN = pattern(r"(?=[\w-]*(?:base|spark|flink|hadoop))(?!(?:spark|flink)(?::|$))[a-z][\w-]*(?::[\w.-]+)?")
_FLAG = pattern(r"--[\w-]+(?:=[^ \t\\]*)?[ \t\\\r\n]+")
_WORD = pattern(r"[^\s\\]+")
_VARIABLE = pattern(r"\$\{(\w+)(?::?-([^{}$]*))?\}|\$(\w+)")


_MOST_COPIES = 100
# The images of Flink that bring its file systems and load none, and what may bring one that is loaded: a plugin, or Hadoop's own.
_STOCK_FLINK = pattern(r"\s*(?:--platform=\S+\s+)?((?:docker\.io/)?(?:library/|apache/)?flink:[\w.${}-]+)\s*(?:$|(?i:as)\s)")
_FILE_SYSTEM = pattern(r"(?i)plugins|-fs-|hadoop|gcs-connector")
# Flink's file systems for S3, which work as plugins only.
_S3_JAR = pattern(r"flink-s3-fs-(?:hadoop|presto)-[\w.${}*+-]+\.jar")
_CONNECTOR_JAR = pattern(r"flink-(?:sql-)?connector-[\w.${}*+-]+\.jar")
# What the projects publish to unpack: spark-3.5.6-bin-hadoop3-scala2.13.tgz, flink-1.20.0-bin-scala_2.12.tgz.
_ARCHIVE = pattern(r"(?<![\w.-])(flink|spark)-([\w.${}]+)-bin-([\w.${}-]+?)\.(?:tgz|tar\.gz)")
# Debian names the folders of its Java after the architecture; what says, or may say, that the image is for one alone, or that each has its own.
_OF_ARCHITECTURE = pattern(r"^[\"']?/usr/lib/jvm/([\w.+-]+)-(amd64|arm64)/?[\"']?$")
_FOR_ARCHITECTURE = pattern(
    r"--platform|TARGETARCH|TARGETPLATFORM|dpkg\s+--print-architecture|uname\s+-m|^[ \t]*FROM[ \t]+\S*(?:amd64|arm64|aarch64)",
    re.IGNORECASE | re.MULTILINE,
)
# Whatever jars lie where the commands run, and a download that says where to, other than by `curl -O`.
_ALL_TO_LIB = pattern(r"\b(?:mv|cp)[ \t]+(?:-\w+[ \t]+)*(?:\./)?\*\.jar[ \t]+\S*/lib/?(?=[\s;&]|$)")
_NAMES_TARGET = pattern(r"\s(?:-P|-o|--directory-prefix|--output|--output-document|--output-dir)\b|wget\b.*\s-O|/lib/?(?:\s|$)")
_LIB = pattern(r"(?:^|[/=])lib(?:/[^/\s]*)?/?$")
# Package managers, scripts, archives that are unpacked, and files of another image: what may put programs into an image.
_BRINGS = pattern(
    r"(?i)python|\bpip|conda|\bap[tk]\b|apt-get|\byum|dnf|\buv\b|pyflink|\.sh\b|\bmake\b|\btar\b|unzip|\bbash\b|--from|\.(?:tgz|tar|gz|xz|bz2|zip)\b|<<"
)


class Copy(NamedTuple):
    """A file or folder of the build context, and the path it gets in the image."""

    source: str
    target: str
    span: Span


class Instruction(NamedTuple):
    """`name` in upper case; `text` is what follows it, comment lines inside taken out, line continuations kept."""

    name: str
    text: Text
    at: tuple[int, int]


def read(text: Text, out: Reading) -> None:
    """A Dockerfile or Containerfile, every stage of it."""
    from shoal.readers.archives import read_downloads
    from shoal.readers.command_line import Script
    from shoal.readers.python_image import read_python

    instructions = parse(text)
    arguments: dict[str, str] = {}
    stages: list[Stage] = []
    variables: dict[str, Text | None] = {}
    files: dict[str, Block] = {}  # the conf files that a stage's commands write
    folder = ""
    started: dict[str, Instruction] = {}
    copies: list[Copy] = []
    own = 0  # where those of the last stage begin
    archives: set[tuple[str, str]] = set()
    asked: dict[str, str] = {}  # what a build may give another value, in the words of its arguments
    for index, instruction in enumerate(instructions):
        name, body = instruction.name, instruction.text
        if name == "FROM":
            stages += _from(body, out, arguments, stages, index)
            folder = ""
            started, files, own = {}, {}, len(copies)
        elif name == "WORKDIR":
            folder = posixpath.join(folder, _resolve(body.text.strip().strip("\"'"), arguments))
        elif name in ("ARG", "ENV"):
            _archives(body, out, arguments, archives, asked)
            for key, value in _pairs(body, name == "ENV"):
                resolved = _resolve(value.text, arguments)
                asked[key] = f"${{{key}}}" if name == "ARG" else _resolve(value.text, {**arguments, **asked})
                if name == "ENV" or key not in arguments:
                    if "$" not in resolved:
                        arguments[key] = resolved
                    variables[key] = value if "$" not in value.text else None
                if name == "ENV":
                    _environment(key, value, out)
                    home = _OF_ARCHITECTURE.search(value.text) if key == "JAVA_HOME" and not _FOR_ARCHITECTURE.search(text.text) else None
                    if home is not None and not any(
                        one.name in ("COPY", "ADD") and f"{home.group(1)}-{home.group(2)}" in one.text.text for one in instructions
                    ):
                        out.oddity("java-of-architecture", home.group(1), value.span(0, len(value.text)), home.group(2))
        elif name in ("RUN", "CMD", "ENTRYPOINT"):
            if name != "RUN":
                started[name] = instruction
            script = Script(out, None, dict(variables), files=files)
            listed = _exec_form(body) if body.text.lstrip().startswith("[") else None
            if body.text.lstrip().startswith("<<"):
                lines = body.lines()
                script.run(body.slice(lines[0][1], lines[-1][0]))
            elif listed is not None:
                script.arguments(script.expand(listed))
            else:
                script.run(body)
            _plugins_in_lib(body, out, arguments)
            _connectors_in_usrlib(body, out)
            _archives(body, out, arguments, archives, asked)
            read_downloads(body, out, arguments)
        elif name in ("COPY", "ADD"):
            _archives(body, out, arguments, archives, asked)
            read_downloads(body, out, arguments)
            _copied(body, out, arguments)
            _plugins_in_lib(body, out, arguments)
            _connectors_in_usrlib(body, out)
            copies += _copies(body, folder, arguments)
    if out.facts:  # an image that has nothing to do with a job brings nothing to one either
        for copy in copies[:_MOST_COPIES]:
            out.mount(copy.target, "copy", copy.source, copy.span)
    _starts(started, out, folder, copies[own:])
    _begins(text, instructions, started, out)
    _only_adds(instructions, out)
    _on_stock_flink(instructions, out)
    read_python(instructions, stages, copies, out)


def _starts(started: dict[str, Instruction], out: Reading, folder: str, copies: list[Copy]) -> None:
    """The Python programs that the last stage's container starts, as they are called in the build context where COPY says so."""
    from shoal.readers.containers import programs

    words: list[str] = []
    for name in ("ENTRYPOINT", "CMD"):
        if name in started:
            body = started[name].text
            listed = _exec_form(body) if body.text.lstrip().startswith("[") else None
            words += [word.text for word in listed] if listed is not None else [body.text]
    at = next(iter(started.values()), None)
    if at is not None and (found := [_in_context(one, folder, copies) for one in programs(words)]):
        out.facts.append(Usage("starts", json.dumps(found), out.place(at.text.span(0, len(at.text.text)))))


def _in_context(program: str, folder: str, copies: list[Copy]) -> str:
    """The file of the build context that a program in the container is a copy of; the program as it is called where none or several may be."""
    wanted = posixpath.normpath(posixpath.join(folder, program))
    found = set()
    for copy in copies:
        if copy.target == wanted:
            found.add(posixpath.normpath(copy.source))
        elif wanted.startswith(f"{copy.target.rstrip('/')}/"):
            found.add(posixpath.normpath(posixpath.join(copy.source, wanted[len(copy.target.rstrip("/")) + 1 :])))
    return found.pop() if len(found) == 1 else program


def _begins(text: Text, instructions: list[Instruction], started: dict[str, Instruction], out: Reading) -> None:
    """What the last stage's ENTRYPOINT is, and whether the image says where Flink's JobManager is: a file may be copied over Flink's conf."""
    from shoal.readers.flink_client import TOLD

    if "ENTRYPOINT" in started:
        body = started["ENTRYPOINT"].text
        listed = _exec_form(body) if body.text.lstrip().startswith("[") else None
        said = [word.text for word in listed] if listed is not None else []
        out.facts.append(Usage("entry-point", json.dumps(said), out.place(body.span(0, len(body.text.rstrip())))))
    told = next((one for one in instructions if TOLD.search(one.text.text)), None)
    if told is not None:
        out.facts.append(Usage("jobmanager-told", "", out.place(text.span(*told.at))))


def _only_adds(instructions: list[Instruction], out: Reading) -> None:
    """Whether the only stage adds files to an image of Flink, and runs nothing that may bring programs along."""
    bases = [one for one in instructions if one.name == "FROM"]
    if (
        len(bases) == 1
        and "flink" in bases[0].text.text
        and not any(_BRINGS.search(one.text.text) for one in instructions if one.name in ("RUN", "COPY", "ADD"))
    ):
        body = bases[0].text
        out.facts.append(Usage("only-adds", body.text.strip(), out.place(body.span(0, len(body.text.rstrip())))))


def _on_stock_flink(instructions: list[Instruction], out: Reading) -> None:
    """Of a last stage that begins with the stock image of Flink: whether it brings no file system to it that Flink would load, and which jars it adds."""
    begins = max((index for index, one in enumerate(instructions) if one.name == "FROM"), default=-1)
    body = instructions[begins].text if begins >= 0 else None
    base = _STOCK_FLINK.match(body.text) if body is not None else None
    if body is None or base is None:
        return
    for one in instructions[begins + 1 :]:
        whole = (
            one.name in ("COPY", "ADD")
            and one.text.text.split()[-1:]
            and one.text.text.split()[-1].strip('"]/') in ("", "opt", "opt/flink")
        )
        if whole or one.name in ("ENTRYPOINT", "CMD") or _FILE_SYSTEM.search(one.text.text):
            break
    else:
        out.facts.append(Usage("no-plugins", base.group(1), out.place(body.span(base.start(1), base.end(1)))))
    if ".jar" in out.raw:
        from shoal.readers import image_jars

        image_jars.read(instructions[begins + 1 :], out)


def parse(text: Text) -> list[Instruction]:
    """The instructions of a Dockerfile. Unknown words at the start of a line are passed over."""
    whole = text.text
    escape = "`" if _ESCAPE.match(whole[:2000]) else "\\"
    found: list[Instruction] = []
    lines = text.lines()
    index = 0
    while index < len(lines):
        start, end = lines[index]
        head = _INSTRUCTION.match(whole, start, end)
        index += 1
        if not head:
            continue
        parts: list[tuple[str, int]] = []
        at = head.end()
        while True:
            line = whole[at:end]
            stripped = line.rstrip(" \t\r")
            if stripped.endswith(escape):
                parts.append((stripped[:-1] + "\\", at))
                parts.append(("\n", min(end, len(whole) - 1)))
                # comment lines and empty lines do not end a continued instruction
                while index < len(lines) and whole[lines[index][0] : lines[index][1]].lstrip()[:1] in ("#", ""):
                    index += 1
                if index == len(lines):
                    break
                at, end = lines[index]
                index += 1
                continue
            parts.append((line, at))
            break
        joined = "".join(part for part, _ in parts)
        if "<<" in joined and head.group(1).upper() in ("RUN", "COPY", "ADD"):
            for heredoc in list(_HEREDOC.finditer(joined))[:20]:
                while index < len(lines):
                    start, end = lines[index]
                    index += 1
                    parts += [("\n", max(start - 1, 0)), (whole[start:end], start)]
                    if whole[start:end].strip() == heredoc.group(2):
                        break
        found.append(Instruction(head.group(1).upper(), text.compose(parts), head.span(1)))
    return found


def _resolve(value: str, arguments: dict[str, str]) -> str:
    """A value with the build arguments' defaults filled in."""

    def fill(match: re.Match[str]) -> str:
        known = arguments.get(match.group(1) or match.group(3))
        if known is None:
            known = match.group(2)
        return known if known is not None and len(known) < 500 else match.group()

    return _VARIABLE.sub(fill, value) if "$" in value else value


def _from(body: Text, out: Reading, arguments: dict[str, str], stages: list[Stage], at: int) -> list[Stage]:
    """The stage that begins here; empty where it names no image."""
    from shoal.readers.images import read_image
    from shoal.readers.python_image import Stage

    start = 0
    while flag := _FLAG.match(body.text, start):
        start = flag.end()
    found = re.compile(r"[^\s\\]+").search(body.text, start)
    if not found:
        return []
    reference = found.group().strip("\"'")
    alias = re.compile(r"[ \t]+as[ \t]+([\w.-]+)", re.IGNORECASE).match(body.text, found.end())
    span = body.span(found.start(), found.end())
    if not any(reference.lower() == stage.alias for stage in stages):
        if "$" in reference:  # whoever builds it may give other arguments
            out.facts.append(Usage("image-argument", reference, out.place(span)))
        elif _OWN.fullmatch(reference):
            out.facts.append(Usage("own-image", reference.partition(":")[0], out.place(span)))
        read_image(_resolve(reference, arguments), span, out)
    return [Stage(_resolve(reference, arguments), alias.group(1).lower() if alias else "", at, span, "$" in reference)]


def _pairs(body: Text, env: bool) -> list[tuple[str, Text]]:
    """`K=V K2="V 2"` or the old `ENV K V`."""
    from shoal.readers.shell_words import commands

    first = re.match(r"\s*([A-Za-z_][\w.]*)(=|[ \t]+)", body.text)
    if not first:
        return []
    if env and first.group(2) != "=":
        end = len(body.text.rstrip())
        return [(first.group(1), body.slice(first.end(), max(end, first.end())))]
    return [pair for command in commands(body) for pair in command.assignments]


def _environment(key: str, value: Text, out: Reading) -> None:
    """ENV settings of an image that Flink's entry point reads."""
    if key == "FLINK_PROPERTIES":
        from shoal.readers.command_line import Script

        Script(out).properties(value)
    elif key == "ENABLE_BUILT_IN_PLUGINS":
        span = value.span(0, len(value.text))
        block = out.block("flink", "image", "dockerfile", span, traits=(("plugins", value.text),))
        out.facts.append(Usage("plugins", value.text, out.place(span), block.id))
    elif key in ("PYSPARK_SUBMIT_ARGS", "SPARK_SUBMIT_OPTIONS"):
        from shoal.readers.command_line import Script

        Script(out).assign("PYSPARK_SUBMIT_ARGS", value)


def _exec_form(body: Text) -> list[Text] | None:
    """The words of `["a", "b"]`, or None when it is no JSON list of strings (Docker then takes it for a shell command)."""
    text = body.text
    stripped = text.rstrip()
    if not stripped.endswith("]"):
        return None
    result: list[Text] = []
    at = text.index("[") + 1
    element = re.compile(r"[\s\\]*\"((?:[^\"\\]|\\.)*)\"[\s\\]*(,|\])", re.DOTALL)
    while True:
        found = element.match(text, at)
        if not found:
            return result or None
        inner = found.group(1)
        if "\\" in inner:
            parts: list[tuple[str, int]] = []
            done = 0
            for escape in re.finditer(r"\\(.)", inner, re.DOTALL):
                parts.append((inner[done : escape.start()], found.start(1) + done))
                parts.append(({"n": "\n", "t": "\t"}.get(escape.group(1), escape.group(1)), found.start(1) + escape.start()))
                done = escape.end()
            parts.append((inner[done:], found.start(1) + done))
            result.append(body.compose(parts))
        else:
            result.append(body.slice(found.start(1), found.end(1)))
        if found.group(2) == "]":
            return result
        at = found.end()


def _copied(body: Text, out: Reading, arguments: dict[str, str]) -> None:
    """Jars that COPY and ADD bring in, and conf files they write from a here-document."""
    from shoal.readers import jars

    for found in re.finditer(r"[^\s\"',\[\]]+", body.text.split("\n", 1)[0] if "<<" in body.text else body.text):
        word = found.group()
        if ".jar" not in word:
            continue
        if "$" in word:
            resolved = _resolve(word, arguments)
            if "$" not in resolved and MASK not in resolved:
                jars.read_jars_in(resolved, body.span(found.start(), found.end()), out)
        else:
            jars.read_jars(body.slice(found.start(), found.end()), out)
    heredoc = _HEREDOC.search(body.text)
    if heredoc and "\n" in body.text:
        first, _, _ = body.text.partition("\n")
        target = first.split()[-1]
        start = len(first) + 1
        end = body.text.rfind(heredoc.group(2))
        content = body.slice(start, max(end, start))
        from shoal.readers.command_line import Script

        at = first.rindex(target)
        Script(out).written(body.slice(at, at + len(target)), [], [content])


def _plugins_in_lib(body: Text, out: Reading, arguments: dict[str, str]) -> None:
    """A jar of an S3 file system that a command puts into Flink's `lib`: the last path, or the one that `-P`, `-O` or `-o` names, ends there."""
    if "flink-s3-fs-" not in body.text:
        return
    all_moved = not re.search(r"\bcd\s", body.text) and _ALL_TO_LIB.search(body.text)
    for command in re.finditer(r"(?:[^&;\n]|&(?!&)|\\\n)+", body.text):
        words = list(re.finditer(r"[^\s\"'\\,\[\]]+", command.group()))
        jar = next((word for word in words if _S3_JAR.search(word.group())), None)
        if jar is None or words[0].group().lower() in ("rm", "ls", "#") or any("plugins" in word.group() for word in words):
            continue
        loaded = words[0].group() in ("wget", "curl") and command.start() < (all_moved.start() if all_moved else 0)
        if (loaded and not _NAMES_TARGET.search(command.group())) or any(
            _LIB.search(where := _resolve(word.group(), arguments)) and "://" not in where
            for word in words[1:]
            if not word.group().startswith(("http:", "https:"))
        ):
            found = _S3_JAR.search(jar.group())
            assert found
            start = command.start() + jar.start() + found.start()
            out.oddity("s3-in-lib", found.group(), body.span(start, start + len(found.group())))


def _connectors_in_usrlib(body: Text, out: Reading) -> None:
    """A connector's jar that a command puts into Flink's `usrlib`."""
    if "usrlib" not in body.text:
        return
    for command in re.finditer(r"(?:[^&;\n]|&(?!&)|\\\n)+", body.text):
        jar = _CONNECTOR_JAR.search(command.group())
        if jar is not None and "usrlib" in command.group() and not re.match(r"\s*(?:rm|ls|#|cp|mv|ln)\b", command.group()):
            at = command.start() + jar.start()
            out.oddity("connector-in-usrlib", jar.group(), body.span(at, at + len(jar.group())))


def _archives(body: Text, out: Reading, arguments: dict[str, str], seen: set[tuple[str, str]], asked: dict[str, str]) -> None:
    """The engines that are unpacked from their projects' archives: what such an image holds, its base does not say."""
    if "-bin-" not in body.text:
        return
    for found in _ARCHIVE.finditer(body.text):
        name, version, build = found.group(1), *(_resolve(found.group(part), arguments) for part in (2, 3))
        if (name, version) in seen or not re.fullmatch(r"\d+\.\d+[\w.]*", version):
            continue
        seen.add((name, version))
        scala = re.search(r"scala[_-]?(2\.1[0-3])$", build)
        span = body.span(found.start(), found.end())
        out.dependency("archive", name, f"{version}-scala_{scala.group(1)}" if scala else version, span)
        if "$" in (open_version := _resolve(found.group(2), {**arguments, **asked})):
            out.facts.append(Usage("archive-argument", f"{name} {open_version}", out.place(span)))


def _copies(body: Text, folder: str, arguments: dict[str, str]) -> list[Copy]:
    """What COPY and ADD take from the build context; nothing of what comes from another stage, a URL or a here-document."""
    if "<<" in body.text or "--from" in body.text:
        return []
    start = 0
    while flag := _FLAG.match(body.text, start):
        start = flag.end()
    listed = _exec_form(body.slice(start, len(body.text))) if body.text[start:].lstrip().startswith("[") else None
    if listed is not None:
        words = [(word.text, word.span(0, len(word.text))) for word in listed]
    else:
        words = [(found.group(), body.span(found.start(), found.end())) for found in _WORD.finditer(body.text, start)]
    words = [(_resolve(text, arguments), span) for text, span in words]
    if len(words) < 2 or any("$" in text or MASK in text or "://" in text for text, _ in words):
        return []
    last = words[-1][0]
    target = posixpath.normpath(posixpath.join(folder, last))
    into = last.endswith("/") or len(words) > 2 or last in (".", "./")
    copies = []
    for source, span in words[:-1]:
        source = source.removesuffix("/*")
        name = posixpath.basename(source.rstrip("/"))
        if "*" not in source and "?" not in source:
            copies.append(Copy(source, posixpath.join(target, name) if into and "." in name.strip(".") else target, span))
    return copies
