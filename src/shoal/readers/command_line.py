"""What commands start: `flink run -D…`, `spark-submit --conf …`, Beam pipelines with their options, Kafka's tools.

`read_command` takes shell text (a script, a recipe, a compose `command`), `read_arguments` a list of arguments that is already split.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from shoal.facts import Dependency, Unknown, value_of
from shoal.readers import shell_words
from shoal.text import MASK, Text

if TYPE_CHECKING:
    from shoal.facts import Block, Value
    from shoal.model import Span
    from shoal.readers import Reading

# Long names of the Flink CLI's options; the number says how many values follow.
_FLINK_OPTIONS = {
    "-c": ("--class", 1),
    "-C": ("--classpath", 1),
    "-d": ("--detached", 0),
    "-n": ("--allowNonRestoredState", 0),
    "-p": ("--parallelism", 1),
    "-s": ("--fromSavepoint", 1),
    "-rm": ("--restoreMode", 1),
    "-cm": ("--claimMode", 1),
    "-j": ("--jarfile", 1),
    "-py": ("--python", 1),
    "-pyfs": ("--pyFiles", 1),
    "-pym": ("--pyModule", 1),
    "-pyreq": ("--pyRequirements", 1),
    "-pyarch": ("--pyArchives", 1),
    "-pyexec": ("--pyExecutable", 1),
    "-pyclientexec": ("--pyClientExecutable", 1),
    "-pypath": ("--pyPythonPath", 1),
    "-t": ("--target", 1),
    "-e": ("--executor", 1),
    "-m": ("--jobmanager", 1),
    "-z": ("--zookeeperNamespace", 1),
    "-q": ("--sysoutLogging", 0),
    "-sae": ("--shutdownOnAttachedExit", 0),
    "-yjm": ("--yarnjobManagerMemory", 1),
    "-ytm": ("--yarntaskManagerMemory", 1),
    "-ys": ("--yarnslots", 1),
    "-ynm": ("--yarnname", 1),
    "-yqu": ("--yarnqueue", 1),
    "-yid": ("--yarnapplicationId", 1),
    "-yt": ("--yarnship", 1),
    "-yat": ("--yarnapplicationType", 1),
    "-yd": ("--yarndetached", 0),
}
_FLINK_LONG = {**dict(_FLINK_OPTIONS.values()), "--job-classname": 1, "--job-id": 1, "--jars": 1, "--host": 1}
_FLINK_ACTIONS = frozenset({"run", "run-application", "info", "savepoint", "stop", "cancel"})
_FLINK_SESSIONS = frozenset({"flink-yarn-session", "yarn-session.sh", "kubernetes-session.sh", "yarn-session", "kubernetes-session"})
_FLINK_SQL = frozenset({"sql-client.sh", "sql-client", "sql-gateway.sh"})
_FLINK_SERVERS = frozenset({"standalone-job.sh", "jobmanager.sh", "taskmanager.sh", "start-cluster.sh", "kubernetes-jobmanager.sh"})
_FLINK_BARE_SERVERS = frozenset({"standalone-job", "jobmanager", "taskmanager"})
_SPARK = frozenset({"spark-submit", "pyspark", "spark-shell", "spark-sql", "spark-submit.sh", "spark3-submit", "spark2-submit"})
_SPARK_FLAGS = frozenset({"--verbose", "-v", "--supervise", "--help", "-h", "--usage-error", "--version", "--load-spark-defaults", "-S"})
_SPARK_SHORT = {"-c": "--conf", "-f": "--file", "-e": "--query", "-i": "--init"}
_BEAM_OWN = frozenset(
    {
        "runner",
        "flink_master",
        "flinkMaster",
        "job_endpoint",
        "jobEndpoint",
        "environment_type",
        "defaultEnvironmentType",
        "checkpointing_interval",
        "checkpointingInterval",
        "flink_version",
        "flink_job_server_jar",
    }
)
_BEAM_OPTION = re.compile(r"--([A-Za-z][A-Za-z0-9_]*)(=|$)")
_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ash", "ksh", "su", "eval"})
_PROGRAM = re.compile(r"python[\d.]*|java|mvnw?|gradlew?|uv|poetry")
_DASH_C = re.compile(r"-[a-z]*c")
_VARIABLE = re.compile(r"\$\{(\w+)\}|\$(\w+)")
_LONGEST = 2000  # words of one command that are looked at
# What makes a text worth scanning at all.
_TELLING = re.compile(
    r"(?i)flink|spark|kafka|beam|--runner|checkpointing|--conf\b|-D\s*[a-z]+[.-]|\.jar\b|faust|delta-|sql-client|standalone-job|jobmanager|taskmanager|"
    r"environment_?type|job_?endpoint|databricks"
)


class Word(NamedTuple):
    """A word as the command gets it, and where it stands. `sure` is `default` when a variable of the script was filled in."""

    value: str
    text: Text
    sure: str = "sure"

    def part(self, start: int, end: int | None = None) -> Word:
        end = len(self.value) if end is None else end
        if self.value == self.text.text:
            return Word(self.value[start:end], self.text.slice(start, end), self.sure)
        # a variable was filled in: what stands before it is the same in both
        at = start if self.value[:start] == self.text.text[:start] else 0
        return Word(self.value[start:end], self.text.slice(at, len(self.text.text)), self.sure)


def read_command(text: Text, out: Reading, parent: Block | None = None) -> None:
    """Every command of a shell text."""
    if _TELLING.search(text.text):
        Script(out, parent).run(text)


def read_arguments(words: list[tuple[str, Text]], out: Reading, parent: Block | None = None) -> None:
    """One command as an argument list; the program may be missing (a manifest's `args`)."""
    script = Script(out, parent)
    script.arguments([Word(value, text) for value, text in words[:_LONGEST]])


class Script:
    """The commands of one text: knows the variables set so far and the files written so far."""

    def __init__(self, out: Reading, parent: Block | None = None, variables: dict[str, Text | None] | None = None, depth: int = 0) -> None:
        self.out = out
        self.parent = parent
        self.variables: dict[str, Text | None] = dict(variables or {})
        self.arrays: dict[str, list[Text]] = {}
        self.files: dict[str, Block] = {}
        self.depth = depth

    # ------------------------------------------------------------ commands

    def run(self, text: Text) -> None:
        found = shell_words.commands(text)
        for index, command in enumerate(found):
            for name, value in command.assignments:
                self.assign(name, value)
            for name, values in command.arrays:
                self.arrays[name] = values
            writes = list(command.writes)
            if command.piped and index + 1 < len(found):
                following = found[index + 1]
                if any(_base(word.text) == "tee" for word in following.words[:3]):
                    writes += [word for word in following.words[1:] if not word.text.startswith("-")]
                elif following.words and any(_base(word.text) in _FLINK_SQL for word in following.words):
                    self.script_body(following.words, command.bodies)
            if command.words:
                self.command(command.words, writes, command.bodies)

    def assign(self, name: str, value: Text) -> None:
        known = self.variables.get(name)
        self.variables[name] = value if name not in self.variables or (known is not None and known.text == value.text) else None
        if name == "FLINK_PROPERTIES" and ":" in value.text:
            self.properties(value)
        elif name == "PYSPARK_SUBMIT_ARGS":
            options = [Word(word.text, word) for word in shell_words.words(value)]
            self.spark("pyspark", options, value)

    def command(self, words: list[Text], writes: list[Text], bodies: list[Text]) -> None:
        name = words[0].text
        if name in ("export", "declare", "local", "readonly", "typeset", "env", "set"):
            for word in words[1:]:
                if found := re.match(r"([A-Za-z_]\w*)=", word.text):
                    self.assign(found.group(1), word.slice(found.end(), len(word.text)))
            if name != "env":
                return
        for target in writes:
            self.written(target, words, bodies)
        if name == "tee":
            for word in words[1:]:
                if not word.text.startswith("-"):
                    self.written(word, words[:1], bodies)
        self.script_body(words, bodies)
        if name in ("echo", "printf", "grep", "sed", "log", "echo_info"):
            return
        self.arguments(self.expand(words))

    def expand(self, words: list[Text]) -> list[Word]:
        """Words with lists and variables that the script itself sets filled in."""
        result: list[Word] = []
        for word in words[:_LONGEST]:
            value = word.text
            if "$" not in value:
                result.append(Word(value, word))
                continue
            listed = re.fullmatch(r"\$\{(\w+)\[[@*]\]\}", value)
            if listed and listed.group(1) in self.arrays:
                result += [self.filled(one) for one in self.arrays[listed.group(1)]]
                continue
            whole = _VARIABLE.fullmatch(value)
            held = self.variables.get(whole.group(1) or whole.group(2)) if whole else None
            if held is not None and " " in held.text.strip():
                result += [self.filled(one) for one in shell_words.words(held)]
                continue
            result.append(self.filled(word))
        return result[:_LONGEST]

    def filled(self, word: Text) -> Word:
        value = self.resolve(word.text)
        return Word(value, word, "sure" if value == word.text else "default")

    def resolve(self, value: str) -> str:
        """The value with variables whose text the script sets once, and plainly."""

        def fill(match: re.Match[str]) -> str:
            held = self.variables.get(match.group(1) or match.group(2))
            if held is None:
                return match.group()
            known, _ = value_of(held.text)
            return known if isinstance(known, str) and len(known) < 500 else match.group()

        return _VARIABLE.sub(fill, value) if "$" in value and self.variables else value

    # ------------------------------------------------------------ files written

    def written(self, target: Text, words: list[Text], bodies: list[Text]) -> None:
        """A configuration file that a command writes: from a here-document, or by echo."""
        name = _base(target.text).lower()
        contents = list(bodies)
        if words and words[0].text in ("echo", "printf"):
            escapes = words[0].text == "printf" or any(re.fullmatch(r"-[neE]*e[neE]*", word.text) for word in words[1:])
            contents += [_unescape(word) if escapes else word for word in words[1:] if not re.fullmatch(r"-[neE]+", word.text)]
        contents = [content for content in contents if re.search(r"[:=\s]\s*\S", content.text.strip())]
        if not contents:
            return
        if name.startswith("flink-conf") and name.endswith((".yaml", ".yml")):
            from shoal.readers.conf_text import read_legacy

            block = self.file(target, "flink-conf", contents[0])
            for content in contents:
                read_legacy(content, self.out, block)
        elif name in ("config.yaml", "config.yml"):
            if re.search(r"flink|conf/", target.text, re.IGNORECASE) or "FLINK" in target.text:
                self.flat_yaml(target, contents)
        elif name.endswith((".sql", ".properties", ".conf")):
            from importlib import import_module

            from shoal.classify import classify
            from shoal.readers import READERS

            kind = classify(name)
            if kind in ("sql", "properties", "spark-conf"):
                for content in contents:
                    if len(content.text) > 10:
                        import_module(READERS[kind]).read(content, self.out)

    def file(self, target: Text, form: str, first: Text) -> Block:
        """The block of a conf file that the script writes; appending adds to the same one."""
        key = target.text
        if key not in self.files:
            from shoal.readers.conf_text import first_content

            place = self.out.place(first_content(first))
            self.files[key] = self.out.block("flink", "cluster", form, place, traits=(("file", _base(key)),), parent=self.parent, open=True)
        return self.files[key]

    def flat_yaml(self, target: Text, contents: list[Text]) -> None:
        """A `config.yaml` written line by line or from a here-document."""
        from shoal.readers import flink_yaml
        from shoal.readers.yaml_tree import Tree, documents

        for content in contents:
            problems = len(self.out.problems)
            roots = documents(content, self.out)
            del self.out.problems[problems:]
            for root in roots:
                if flink_yaml.proven(root):
                    flink_yaml.read_map(Tree(content, self.out), root, self.file(target, "flink-yaml", content))

    def properties(self, value: Text) -> None:
        """The text of FLINK_PROPERTIES."""
        from shoal.readers.conf_text import first_content, read_legacy

        if "\n" not in value.text and ": " not in value.text:
            return
        block = self.out.block("flink", "cluster", "command", self.out.place(first_content(value)), parent=self.parent, open=True)
        read_legacy(value, self.out, block, properties=True, entry_point="unknown")

    def script_body(self, words: list[Text], bodies: list[Text]) -> None:
        """SQL that a here-document feeds to the SQL client."""
        if bodies and any(_base(word.text) in _FLINK_SQL or _base(word.text) == "spark-sql" for word in words):
            from shoal.readers.sql import read_sql

            for body in bodies:
                read_sql(body, self.out, self.parent)

    # ------------------------------------------------------------ one command

    def arguments(self, words: list[Word]) -> None:
        """Find the program in an argument list and read what belongs to it."""
        if not _TELLING.search(" ".join([word.value for word in words])):
            return
        self.mentions(words)
        for index, word in enumerate(words):
            base = _base(word.value)
            if base in _SHELLS and self.depth < 3:
                for after in range(index + 1, min(index + 4, len(words))):
                    if (_DASH_C.fullmatch(words[after].value) and after + 1 < len(words)) or base == "eval":
                        body = words[after + 1 if base != "eval" else after].text
                        Script(self.out, self.parent, self.variables, self.depth + 1).run(body)
                        return
            if base == "flink" and index + 1 < len(words) and words[index + 1].value in _FLINK_ACTIONS:
                self.flink(f"flink {words[index + 1].value}", words[index + 2 :], word, words[index + 1])
                return
            if base in _FLINK_SESSIONS or base in _FLINK_SQL or base in _FLINK_SERVERS:
                self.flink(base, words[index + 1 :], word, word)
                return
            if base in _SPARK and not word.value.endswith((".py", ":")):
                self.spark(base, words[index + 1 :], word.text)
                return
            if base.startswith("kafka-") and index < 6:
                self.kafka(base, words[index + 1 :], word)
                return
            if _PROGRAM.fullmatch(base) and self.program(base, words[index + 1 :]):
                return
        for index, word in enumerate(words):
            if word.value in _FLINK_BARE_SERVERS and (
                index == 0 or "flink" in words[index - 1].value or "entrypoint" in words[index - 1].value
            ):
                self.flink(word.value, words[index + 1 :], word, word)
                return
        self.loose(words)

    def mentions(self, words: list[Word]) -> None:
        """Versions on any command line: jar names, `pip install` pins, images that docker runs."""
        from shoal.readers import jars

        names = [_base(word.value) for word in words[:12]]
        before = len(self.out.facts)
        for word in words:
            if ".jar" in word.value and "\n" not in word.value:
                if word.sure == "sure":
                    jars.read_jars(word.text, self.out)
                else:
                    jars.read_jars_in(word.value, word.text.span(0, len(word.text.text)), self.out)
            if word.value.startswith("FLINK_PROPERTIES=") and word is not words[0]:
                self.properties(word.text.slice(len("FLINK_PROPERTIES="), len(word.text.text)))
        if any(name in ("docker", "podman", "nerdctl", "docker-compose") for name in names):
            from shoal.readers.images import read_image

            for word in words:
                if ":" in word.value and not word.value.startswith("-") and "=" not in word.value and " " not in word.value:
                    read_image(word.value, word.text.span(0, len(word.text.text)), self.out)
        if ("install" in names and any(re.fullmatch(r"pip[\d.]*", name) for name in names)) or (
            "add" in names and any(name in ("uv", "poetry", "pdm") for name in names)
        ):
            from shoal.readers import requirements

            for word in words:
                if "$" in word.value or MASK in word.value:
                    continue
                if word.sure == "sure":
                    requirements.read_requirement(word.text, self.out)
                else:
                    requirements.read_resolved(word.value, word.text.span(0, len(word.text.text)), self.out)

        # a jar's URL and the name it is saved under are one dependency
        found = self.out.facts[before:]
        del self.out.facts[before:]
        seen = set()
        for fact in found:
            said = fact[:3] if isinstance(fact, Dependency) else fact
            if said not in seen:
                seen.add(said)
                self.out.facts.append(fact)

    def setting(self, block: Block, key: Word, value: Word, flag: bool = False) -> None:
        """Add a setting; a flag has no value of its own and counts as `true`."""
        out = self.out
        key_span = key.text.span(0, len(key.text.text))
        if flag:
            at = key.text.at(len(key.text.text) - 1) + 1 if key.text.text else key_span.end
            from shoal.model import Span

            out.setting(block, key.value, "true", key_span, Span(at, at))
            return
        shown: str | Value = value.value
        if MASK in value.value:
            shown = Unknown(out.raw[value.text.at(0) : value.text.at(0) + len(value.value)])
        sure = "default" if value.sure == "default" and isinstance(shown, str) else ""
        out.setting(block, key.value, shown, key_span, value.text.span(0, len(value.text.text)), sure=sure)

    def pair(self, block: Block, word: Word) -> str:
        """Add `k=v` (or a bare `k`, which counts as true); the key."""
        cut = word.value.find("=")
        if cut == -1:
            self.setting(block, word, word, flag=True)
            return word.value
        key = word.part(0, cut)
        if "$" in key.value or not key.value:
            return ""
        if word.value != word.text.text:  # filled in: key and value stand in one written word
            written = word.text.text.find("=")
            if written > 0:
                value = Word(word.value[cut + 1 :], word.text.slice(written + 1, len(word.text.text)), word.sure)
                self.setting(block, Word(key.value, word.text.slice(0, written)), value)
                return key.value
        self.setting(block, key, word.part(cut + 1))
        return key.value

    # ------------------------------------------------------------ Flink

    def flink(self, program: str, words: list[Word], first: Word, last: Word) -> None:
        place = _around(first.text, last.text)
        # without options a server command says nothing
        options = any(word.value.startswith("-") for word in words)
        if not options and program in _FLINK_SERVERS | _FLINK_BARE_SERVERS | _FLINK_SQL | _FLINK_SESSIONS:
            return
        if program in ("flink savepoint", "flink stop", "flink cancel") and not any(word.value.startswith("-D") for word in words):
            return
        hidden = any(re.fullmatch(r"[\"']?\$[{(]?[\w@*]+(?:\[[@*]\])?[)}]?|\ue000+", word.value) for word in words)
        block = self.out.block("flink", "command", "command", place, parent=self.parent, traits=(("program", program),), open=hidden)
        short = program.startswith("flink ") or program in _FLINK_SERVERS | _FLINK_BARE_SERVERS
        index = 0
        python = entry_class = None
        jar: Word | None = None
        rest: list[Word] = []
        while index < len(words):
            word = words[index]
            value = word.value
            following = words[index + 1] if index + 1 < len(words) else None
            if value in ("-D", "-yD") and following is not None:
                self.pair(block, following)
                index += 2
                continue
            if value.startswith(("-D", "-yD")):
                self.pair(block, word.part(value.index("D") + 1))
                index += 1
                continue
            head = value.split("=", 1)[0]
            long, count = _FLINK_OPTIONS.get(value, ("", 0)) if short else ("", 0)
            if not long and head in _FLINK_LONG:
                long, count = head, _FLINK_LONG[head]
            if long:
                equals = value.find("=")
                if equals > 0 and value.startswith("--"):
                    argument: Word | None = word.part(equals + 1)
                    index += 1
                else:
                    argument = following if count else None
                    index += 2 if count and following is not None else 1
                key = Word(long, word.text if equals < 0 else word.text.slice(0, equals))
                if argument is not None:
                    self.setting(block, key, argument)
                else:
                    self.setting(block, key, key, flag=True)
                if long in ("--python", "--pyModule"):
                    python = argument
                elif long in ("--class", "--job-classname"):
                    entry_class = argument
                elif long == "--jarfile":
                    jar = argument
                continue
            if program in _FLINK_SQL and value in ("-f", "--file", "-i", "--init") and following is not None:
                self.out.entry("sql", following.value, (), following.text.span(0, len(following.text.text)), block)
                index += 2
                continue
            if value.startswith("-") or not program.startswith("flink "):
                if python is not None and value.startswith("--"):
                    rest = words[index:]  # the program's own options
                    break
                index += 1
                continue
            if python is None and jar is None:
                jar = word
                index += 1
            rest = words[index:]
            break
        self.flink_entry(block, python, jar, entry_class, rest)
        for word in rest:
            if word.value.startswith("-D") and "=" in word.value and _is_flink(word.value[2:]):
                span = word.text.span(0, len(word.text.text))
                self.out.oddity("option-after-program", word.value[2:].split("=")[0], span, "handed to the program, not to Flink", block)
        self.beam(rest, "python" if python is not None else "java", block)

    def flink_entry(self, block: Block, python: Word | None, jar: Word | None, entry_class: Word | None, rest: list[Word]) -> None:
        args = tuple(word.value for word in rest)
        target, kind = (python, "python") if python is not None else (jar, "jar") if jar is not None else (entry_class, "class")
        if target is not None:
            if kind == "jar" and target.value.endswith(".py"):
                kind = "python"
            self.out.entry(kind, target.value, args, target.text.span(0, len(target.text.text)), block)
            if kind == "jar" and entry_class is not None:
                self.out.entry("class", entry_class.value, args, entry_class.text.span(0, len(entry_class.text.text)), block)

    # ------------------------------------------------------------ Spark

    def spark(self, program: str, words: list[Word], place: Text) -> None:
        if not any(word.value.startswith("-") or word.value.endswith((".py", ".jar", ".sql")) for word in words):
            return
        span = place.span(0, len(place.text))
        hidden = any(re.fullmatch(r"\$[{(]?[\w@*]+(?:\[[@*]\])?[)}]?|\ue000+", word.value) for word in words)
        hidden = hidden or any(word.value.startswith("--properties-file") for word in words)
        block = self.out.block("spark", "submit", "command", span, parent=self.parent, traits=(("program", program),), open=hidden)
        index = 0
        while index < len(words):
            word = words[index]
            value = word.value
            following = words[index + 1] if index + 1 < len(words) else None
            if value.startswith("-") and len(value) > 1:
                equals = value.find("=")
                if equals > 0 and value.startswith("--"):
                    name, argument = value[:equals], word.part(equals + 1)
                    key = Word(name, word.text.slice(0, word.text.text.find("=")))
                    index += 1
                elif value in _SPARK_FLAGS or following is None:
                    self.setting(block, word, word, flag=True)
                    index += 1
                    continue
                else:
                    name, argument, key = _SPARK_SHORT.get(value, value), following, word._replace(value=_SPARK_SHORT.get(value, value))
                    index += 2
                self.spark_option(block, name, key, argument)
                continue
            if program != "spark-sql":
                kind = "python" if value.endswith(".py") else "jar" if value.endswith(".jar") else ""
                rest = words[index + 1 :]
                if kind:
                    self.out.entry(kind, value, tuple(one.value for one in rest), word.text.span(0, len(word.text.text)), block)
                elif program == "spark-submit" and not value.startswith("$") and MASK not in value and value != "pyspark-shell":
                    index += 1
                    continue
                for one in rest:
                    if one.value == "--conf":
                        after = rest[rest.index(one) + 1 :]
                        if after and after[0].value.startswith("spark."):
                            where = after[0].text.span(0, len(after[0].text.text))
                            detail = "handed to the program, not to Spark"
                            self.out.oddity("option-after-program", after[0].value.split("=")[0], where, detail, block)
                self.beam(rest, "python" if kind == "python" else "java", block)
            return

    def spark_option(self, block: Block, name: str, key: Word, argument: Word) -> None:
        from shoal.readers import jars

        if name == "--conf":
            conf = self.pair(block, argument)
            cut = argument.value.find("=")
            if conf in ("spark.jars.packages", "spark.jars") and cut > 0 and argument.sure == "sure":
                listed = argument.part(cut + 1).text
                (jars.read_coordinates if conf == "spark.jars.packages" else jars.read_jars)(listed, self.out, block)
            return
        self.setting(block, key, argument)
        if name == "--packages":
            if argument.sure == "sure":
                jars.read_coordinates(argument.text, self.out, block)
            else:
                jars.read_coordinates_in(argument.value, argument.text.span(0, len(argument.text.text)), self.out, block)
        elif name in ("--file", "--init") and argument.value.endswith(".sql"):
            self.out.entry("sql", argument.value, (), argument.text.span(0, len(argument.text.text)), block)
        elif name == "--query":
            from shoal.readers.sql import read_sql

            read_sql(argument.text, self.out, block, "spark")
        elif name == "--class":
            self.out.entry("class", argument.value, (), argument.text.span(0, len(argument.text.text)), block)

    # ------------------------------------------------------------ Beam, Kafka, the rest

    def program(self, base: str, words: list[Word]) -> bool:
        """A python, java, mvn or gradle command: true when it runs a pipeline that is read here."""
        java = base.startswith(("java", "mvn", "gradle"))
        for word in words:
            found = re.match(r"-Dexec\.args=|--args=", word.value)
            if found or (word.value == "--args" and base.startswith("gradle")):
                inner = word.part(found.end()) if found else words[words.index(word) + 1] if words.index(word) + 1 < len(words) else word
                return self.beam([Word(one.text, one) for one in shell_words.words(inner.text)], "java")
        return self.beam(words, "java" if java else "python")

    def beam(self, words: list[Word], language: str, parent: Block | None = None) -> bool:
        """Pipeline options, when one of them is Beam's own."""
        options: list[tuple[Word, Word | None]] = []
        index = 0
        while index < len(words):
            word = words[index]
            found = _BEAM_OPTION.match(word.value)
            index += 1
            if not found:
                continue
            if found.group(2):
                cut = word.value.index("=")
                written = word.text.text.find("=")
                key = Word(found.group(1), word.text.slice(2, written if written > 0 else len(word.text.text)))
                value = (
                    word.part(cut + 1)
                    if word.sure == "sure"
                    else Word(word.value[cut + 1 :], word.text.slice(written + 1, len(word.text.text)), word.sure)
                )
                options.append((key, value))
            else:
                key = Word(found.group(1), word.text.slice(2, len(word.text.text)))
                following = words[index] if index < len(words) else None
                if following is not None and not following.value.startswith("--"):
                    options.append((key, following))
                    index += 1
                else:
                    options.append((key, None))
        own = [key for key, value in options if key.value in _BEAM_OWN and (key.value != "runner" or _is_runner(value))]
        if not own:
            return False
        if not language:
            names = [key.value for key, _ in options]
            language = (
                "python" if any("_" in name for name in names) else "java" if any(re.search(r"[a-z][A-Z]", name) for name in names) else ""
            )
        runner = next((value.value for key, value in options if key.value == "runner" and value is not None), "")
        traits = (("language", language), *((("runner", runner),) if runner and "$" not in runner and MASK not in runner else ()))
        place = self.out.place(own[0].text.span(0, len(own[0].text.text)))
        hidden = any(re.fullmatch(r"\$[{(]?[\w@*]+(?:\[[@*]\])?[)}]?|\ue000+", word.value) for word in words)
        block = self.out.block("beam", "pipeline", "command", place, parent=parent or self.parent, traits=traits, open=hidden)
        for name, given in options:
            self.setting(block, name, given if given is not None else name, flag=given is None)
        script = next((word for word in words if word.value.endswith((".py", ".jar")) and not word.value.startswith("-")), None)
        if script is not None:
            kind = "python" if script.value.endswith(".py") else "jar"
            self.out.entry(kind, script.value, tuple(word.value for word in words), script.text.span(0, len(script.text.text)), block)
        elif language == "python" and words and words[0].value == "-m" and len(words) > 1:
            target = words[1]
            self.out.entry("python", target.value, tuple(word.value for word in words), target.text.span(0, len(target.text.text)), block)
        return True

    def kafka(self, base: str, words: list[Word], first: Word) -> None:
        """Kafka's tools with client properties on the line."""
        roles = {
            "--consumer-property": "consumer",
            "--producer-property": "producer",
            "--command-property": "client",
            "--override": "broker",
        }
        blocks: dict[str, Block] = {}
        for index, word in enumerate(words):
            option = word.value.split("=", 1)[0]
            if option not in roles:
                continue
            argument = word.part(len(option) + 1) if "=" in word.value else words[index + 1] if index + 1 < len(words) else None
            if argument is None or "=" not in argument.value:
                continue
            role = roles[option]
            if role not in blocks:
                span = first.text.span(0, len(first.text.text))
                blocks[role] = self.out.block("kafka", role, "command", span, parent=self.parent, traits=(("program", base),))
            self.pair(blocks[role], argument)

    def loose(self, words: list[Word]) -> None:
        """Arguments without a program, as manifests give them."""
        self.beam(words, "")
        conf = any(word.value in ("--conf", "-c") or word.value.startswith("--conf=") for word in words)
        if conf and any(re.match(r"(?:--conf=)?spark\.", word.value) for word in words):
            self.spark("", words, words[0].text)
            return
        block: Block | None = None
        for index, word in enumerate(words):
            pair = word.part(2) if word.value.startswith("-D") and len(word.value) > 2 else None
            if word.value == "-D" and index + 1 < len(words):
                pair = words[index + 1]
            if pair is not None and "=" in pair.value and _is_flink(pair.value):
                if block is None:
                    span = words[0].text.span(0, len(words[0].text.text))
                    block = self.out.block("flink", "command", "command", span, parent=self.parent)
                self.pair(block, pair)


def _is_runner(value: Word | None) -> bool:
    """`FlinkRunner`, `apache_beam.runners.…Runner`; other programs have a `--runner` too."""
    return value is not None and value.value.endswith("Runner")


def _is_flink(pair: str) -> bool:
    from shoal.readers.sql import is_flink_key

    return is_flink_key(pair.split("=", 1)[0])


def _base(word: str) -> str:
    """The last part of a path; `@` and `-` in front of a recipe's command go."""
    return word.rsplit("/", 1)[-1].lstrip("@")


def _around(first: Text, last: Text) -> Span:
    from shoal.model import Span

    start, end = first.span(0, len(first.text)), last.span(0, len(last.text))
    return Span(min(start.start, end.start), max(start.end, end.end))


def _unescape(word: Text) -> Text:
    """What `echo -e` and printf make of `\\n` and `\\t`."""
    parts: list[tuple[str, int]] = []
    done = 0
    for found in re.finditer(r"\\([nt\\])", word.text):
        parts.append((word.text[done : found.start()], done))
        parts.append(({"n": "\n", "t": "\t", "\\": "\\"}[found.group(1)], found.start()))
        done = found.end()
    if not parts:
        return word
    parts.append((word.text[done:], done))
    return word.compose(parts)
