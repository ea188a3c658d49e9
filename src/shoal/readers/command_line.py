"""What commands start: `flink run -D…`, `spark-submit --conf …`, Beam pipelines with their options, Kafka's tools.

`read_command` takes shell text (a script, a recipe, a compose `command`), `read_arguments` a list of arguments that is already split.
"""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING

from shoal.facts import Dependency, Usage, value_of
from shoal.lazy import pattern
from shoal.readers import flink_command, shell_deletes, shell_detached, shell_requests, shell_words, spark_command
from shoal.readers.beam_command import read_beam
from shoal.readers.command_words import Word, add_pair
from shoal.readers.docker_command import read_build
from shoal.readers.flink_command import is_flink_pair, read_flink
from shoal.readers.gcloud_command import read_gcloud
from shoal.readers.kafka_command import read_called, read_fills, read_kafka, read_operator, read_plugins, read_posts
from shoal.readers.spark_command import read_spark
from shoal.text import MASK, Text

if TYPE_CHECKING:
    from shoal.facts import Block
    from shoal.readers import Reading

_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ash", "ksh", "su", "eval"})
_KUBECTL = frozenset({"kubectl", "oc"})
_ENTERING = shell_words.CONTAINER_TOOLS | _KUBECTL
# Options of pip, uv and poetry that are followed by a value.
_TAKES = pattern(
    r"-[rctifEG]|--(?:requirement|constraint|target|index(?:-url)?|extra-index-url|find-links|trusted-host|no-binary|only-binary|platform|prefix|"
    r"root|src|extras?|optional|group|source|python|with|only)"
)
_PROGRAM = pattern(r"python[\d.]*|java|mvnw?|gradlew?|uv|poetry")
_OPERATOR = pattern(r"/flink-kubernetes-operator-(\d+(?:\.\d+)+)/?")  # each release has a chart repository of its own
_DASH_C = pattern(r"-[a-z]*c")
_VARIABLE = pattern(r"\$\{(\w+)\}|\$(\w+)")
_RECOVERS = pattern(r"-r|--(?:recovery|sqlite)-")  # `-r` may stand right before its value
_LONGEST = 2000  # words of one command that are looked at
# What makes a text worth scanning at all.
_TELLING = pattern(
    r"(?i)flink|spark|kafka|beam|--runner|checkpointing|--conf\b|-D\s*[a-z]+[.-]|\.jar\b|faust|delta-|sql-client|standalone-job|jobmanager|taskmanager|"
    r"environment_?type|job_?endpoint|databricks|gcloud\s+dataflow|/connectors|/jobs/|/jars/|envsubst|strimzi|NonRestoredState|kinesisanalytics|"
    r"confluent/docker|confluent-hub|confluent connect plugin|bytewax"
)


def read_command(text: Text, out: Reading, parent: Block | None = None, variables: dict[str, Text | None] | None = None) -> None:
    """Every command of a shell text; `variables` are those that are set before it."""
    if '"connector.class"' in text.text or '\\"connector.class\\"' in text.text:
        from shoal.readers.json_documents import read_within

        read_within(text, out)
    if _TELLING.search(text.text):
        Script(out, parent, variables).run(text)


def read_arguments(words: list[tuple[str, Text]], out: Reading, parent: Block | None = None) -> None:
    """One command as an argument list; the program may be missing (a manifest's `args`)."""
    script = Script(out, parent)
    script.arguments([Word(value, text) for value, text in words[:_LONGEST]])


class Script:
    """The commands of one text: knows the variables set so far and the files written so far."""

    def __init__(
        self,
        out: Reading,
        parent: Block | None = None,
        variables: dict[str, Text | None] | None = None,
        depth: int = 0,
        inside: bool = False,
        files: dict[str, Block] | None = None,
    ) -> None:
        self.out = out
        self.parent = parent
        self.variables: dict[str, Text | None] = dict(variables or {})
        self.arrays: dict[str, list[Text]] = {}
        self.files: dict[str, Block] = {} if files is None else files
        self.depth = depth
        self.inside = inside  # a container that runs already, as `docker exec` does

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
                elif following.words and any(_base(word.text) in flink_command.SQL_CLIENTS for word in following.words):
                    self.script_body(following.words, command.bodies)
                elif following.words and _base(following.words[0].text) in _KUBECTL:
                    self.resources(command.bodies)
            if command.words:
                self.command(command.words, writes, command.bodies)
        for program, word, how in shell_detached.detached(found):
            self.out.oddity("job-let-go", program, word.span(0, len(word.text)), how, self.parent)
        for program, word, idle in shell_detached.kept_up(found):
            self.out.oddity("server-let-go", program, word.span(0, len(word.text)), idle, self.parent)
        for server, word in shell_requests.unseen(text, found):
            self.out.oddity("refusal-unseen", server, word.span(0, len(word.text)), word.text, self.parent)
        for one in shell_deletes.deleted(text, found, self.out.raw, self.out.path):
            submits = self.out.place(one.submits.span(0, len(one.submits.text)), "related", "the job is submitted here")
            detail = "always" if one.sure else "perhaps"
            self.out.oddity("folder-deleted", self.resolve(one.path), one.word.span(0, len(one.word.text)), detail, self.parent, (submits,))

    def assign(self, name: str, value: Text) -> None:
        known = self.variables.get(name)
        self.variables[name] = value if name not in self.variables or (known is not None and known.text == value.text) else None
        if name == "FLINK_PROPERTIES" and ":" in value.text:
            self.properties(value)
        elif name == "PYSPARK_SUBMIT_ARGS":
            options = [Word(word.text, word) for word in shell_words.words(value)]
            read_spark("pyspark", options, value, self.out, self.parent)

    def command(self, words: list[Text], writes: list[Text], bodies: list[Text]) -> None:
        name = words[0].text
        if name in ("export", "declare", "local", "readonly", "typeset", "env", "set"):
            for word in words[1:]:
                if found := re.match(r"([A-Za-z_]\w*)=", word.text):
                    self.assign(found.group(1), word.slice(found.end(), len(word.text)))
            if name != "env":
                return
        read_fills(words, bodies, self.out)
        for target in writes:
            self.written(target, words, bodies)
        if name == "tee":
            for word in words[1:]:
                if not word.text.startswith("-"):
                    self.written(word, words[:1], bodies)
        self.script_body(words, bodies)
        if bodies and _base(name) in _KUBECTL:
            self.resources(bodies)
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
        path = self.resolve(target.text)
        name = _base(path).lower()
        contents = list(bodies)
        if words and words[0].text in ("echo", "printf"):
            escapes = words[0].text == "printf" or any(re.fullmatch(r"-[neE]*e[neE]*", word.text) for word in words[1:])
            contents += [_unescape(word) if escapes else word for word in words[1:] if not re.fullmatch(r"-[neE]+", word.text)]
        contents = [content for content in contents if re.search(r"[:=\s]\s*\S", content.text.strip())]
        if not contents:
            return
        if name.startswith("flink-conf") and name.endswith((".yaml", ".yml")):
            from shoal.readers.conf_text import read_legacy

            block = self.file(path, "flink-conf", contents[0])
            for content in contents:
                read_legacy(content, self.out, block)
        elif name in ("config.yaml", "config.yml"):
            if re.search(r"flink|conf/", path, re.IGNORECASE):
                self.flat_yaml(path, contents)
        elif name.endswith((".yaml", ".yml")):
            self.resources(contents)
        elif name.endswith((".sql", ".properties", ".conf")):
            from importlib import import_module

            from shoal.classify import classify
            from shoal.readers import READERS

            kind = classify(name)
            if kind in ("sql", "properties", "spark-conf"):
                for content in contents:
                    if len(content.text) > 10:
                        import_module(READERS[kind]).read(content, self.out)

    def resources(self, bodies: list[Text]) -> None:
        """Resources of Kubernetes that a here-document holds."""
        from shoal.readers import yaml_documents
        from shoal.readers.yaml_tree import TooMuch, Tree

        for body in bodies:
            if "apiVersion:" not in body.text or "kind:" not in body.text or self.depth > 2:
                continue
            problems = len(self.out.problems)
            tree = Tree(body, self.out)
            with suppress(TooMuch):
                for root in tree.documents():
                    yaml_documents.read_root(tree, root, "", self.depth + 1)
            del self.out.problems[problems:]

    def file(self, path: str, form: str, first: Text) -> Block:
        """The block of a conf file that the script writes; appending adds to the same one."""
        if path not in self.files:
            from shoal.readers.conf_text import first_content

            place = self.out.place(first_content(first))
            self.files[path] = self.out.block(
                "flink", "cluster", form, place, traits=(("file", _base(path)),), parent=self.parent, open=True
            )
        return self.files[path]

    def flat_yaml(self, path: str, contents: list[Text]) -> None:
        """A `config.yaml` written line by line or from a here-document."""
        from shoal.readers import flink_yaml
        from shoal.readers.yaml_tree import Tree, documents

        for content in contents:
            problems = len(self.out.problems)
            roots = documents(content, self.out)
            del self.out.problems[problems:]
            for root in roots:
                if flink_yaml.proven(root):
                    flink_yaml.read_map(Tree(content, self.out), root, self.file(path, "flink-yaml", content))

    def properties(self, value: Text) -> None:
        """The text of FLINK_PROPERTIES."""
        from shoal.readers.conf_text import first_content, read_legacy

        if "\n" not in value.text and ": " not in value.text:
            return
        block = self.out.block("flink", "cluster", "command", self.out.place(first_content(value)), parent=self.parent, open=True)
        read_legacy(value, self.out, block, properties=True, entry_point="unknown")

    def script_body(self, words: list[Text], bodies: list[Text]) -> None:
        """SQL that a here-document feeds to the SQL client."""
        if bodies and any(_base(word.text) in flink_command.SQL_CLIENTS or _base(word.text) == "spark-sql" for word in words):
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
            inside = self.inside or _enters(words[:index])
            if base in _SHELLS and self.depth < 3:
                for after in range(index + 1, min(index + 4, len(words))):
                    if (_DASH_C.fullmatch(words[after].value) and after + 1 < len(words)) or base == "eval":
                        body = words[after + 1 if base != "eval" else after].text
                        Script(self.out, self.parent, self.variables, self.depth + 1, inside).run(body)
                        return
            if base == "flink" and index + 1 < len(words) and words[index + 1].value in flink_command.ACTIONS:
                action = words[index + 1]
                read_flink(f"flink {action.value}", words[index + 2 :], word, action, self.out, self.parent, inside)
                return
            if base in flink_command.SESSIONS or base in flink_command.SQL_CLIENTS or base in flink_command.SERVERS:
                read_flink(base, words[index + 1 :], word, word, self.out, self.parent)
                return
            if base in spark_command.PROGRAMS and not word.value.endswith((".py", ":")):
                read_spark(base, words[index + 1 :], word.text, self.out, self.parent, inside, where=word.value)
                return
            if base == "gcloud" and read_gcloud(words[index + 1 :], word.text, self.out, self.parent):
                return
            if base in shell_words.CONTAINER_TOOLS and index < 3 and read_build(words[index + 1 :], self.out):
                return
            if base.startswith("kafka-") and index > 0 and _enters(words[:index]) and "/" not in word.value:
                read_called(words[index - 1], word, self.out)
            if base.startswith("kafka-") and index < 6:
                read_kafka(base, words[index + 1 :], word, self.out, self.parent)
                return
            if word.value == "bytewax.run":
                self.dataflow(words[index + 1 :])
                return
            if base in ("curl", "aws"):
                flink_command.read_request(words[index + 1 :], self.out, self.parent)
            if base == "curl":
                flink_command.read_rest(words[index + 1 :], self.out)
                read_posts(words[index + 1 :], self.out)
                return
            if _PROGRAM.fullmatch(base) and self.program(base, words[index + 1 :]):
                return
        for index, word in enumerate(words):
            if word.value in flink_command.BARE_SERVERS and (
                index == 0 or "flink" in words[index - 1].value or "entrypoint" in words[index - 1].value
            ):
                read_flink(word.value, words[index + 1 :], word, word, self.out, self.parent)
                return
        self.loose(words)

    def dataflow(self, words: list[Word]) -> None:
        """`python -m bytewax.run module:flow`, where nothing says where its state is kept."""
        if any(_RECOVERS.match(word.value) for word in words) or "BYTEWAX_RECOVERY" in self.out.raw:
            return
        program = next((word for word in words if re.fullmatch(r"(?!-|\d+$)[\w./-]*\w(?::[\w.()]+)?", word.value)), None)
        if program is not None:
            self.out.facts.append(Usage("dataflow-run", program.value.partition(":")[0], self.out.place(program.span)))

    def mentions(self, words: list[Word]) -> None:
        """Versions on any command line: jar names, `pip install` pins, images that docker runs."""
        from shoal.readers import jars

        names = [_base(word.value) for word in words[:12]]
        before = len(self.out.facts)
        read_operator(names, words, _chart_version(words) if "helm" in names else None, self.out)
        read_plugins(names, words, self.out)
        for word in words:
            if ".jar" in word.value and "\n" not in word.value:
                if word.sure == "sure":
                    jars.read_jars(word.text, self.out)
                else:
                    jars.read_jars_in(word.value, word.span, self.out)
            if "helm" in names and (found := _OPERATOR.search(word.value)):
                self.out.dependency("field", "flink-kubernetes-operator", found.group(1), word.span)
            elif "helm" in names and word.value.endswith("/flink-kubernetes-operator") and (version := _chart_version(words)):
                self.out.dependency("field", "flink-kubernetes-operator", version.value, version.span)
            if word.value.startswith("FLINK_PROPERTIES=") and word is not words[0]:
                self.properties(word.text.slice(len("FLINK_PROPERTIES="), len(word.text.text)))
        if shell_words.CONTAINER_TOOLS & set(names):
            from shoal.readers.images import read_image

            for word in words:
                if ":" in word.value and not word.value.startswith("-") and "=" not in word.value and " " not in word.value:
                    read_image(word.value, word.span, self.out)
        if ("install" in names and any(re.fullmatch(r"pip[\d.]*", name) for name in names)) or (
            "add" in names and any(name in ("uv", "poetry", "pdm") for name in names)
        ):
            from shoal.readers import requirements

            first = next(index for index, name in enumerate(names) if name in ("install", "add"))
            # before the command may stand the name of a container, and after an option what is no requirement
            for last, word in zip(words[first:], words[first + 1 :], strict=False):
                if "$" in word.value or MASK in word.value or _TAKES.fullmatch(last.value):
                    continue
                if word.sure == "sure":
                    requirements.read_requirement(word.text, self.out)
                else:
                    requirements.read_resolved(word.value, word.span, self.out)

        # a jar's URL and the name it is saved under are one dependency
        added = self.out.facts[before:]
        del self.out.facts[before:]
        seen = set()
        for fact in added:
            said = fact[:3] if isinstance(fact, Dependency) else fact
            if said not in seen:
                seen.add(said)
                self.out.facts.append(fact)

    # ------------------------------------------------------------ Beam, Kafka, the rest

    def program(self, base: str, words: list[Word]) -> bool:
        """A python, java, mvn or gradle command: true when it runs a pipeline that is read here."""
        java = base.startswith(("java", "mvn", "gradle"))
        for word in words:
            found = re.match(r"-Dexec\.args=|--args=", word.value)
            if found or (word.value == "--args" and base.startswith("gradle")):
                inner = word.part(found.end()) if found else words[words.index(word) + 1] if words.index(word) + 1 < len(words) else word
                return read_beam([Word(one.text, one) for one in shell_words.words(inner.text)], self.out, self.parent, "java")
        return read_beam(words, self.out, self.parent, "java" if java else "python")

    def loose(self, words: list[Word]) -> None:
        """Arguments without a program, as manifests give them."""
        read_beam(words, self.out, self.parent, "")
        conf = any(word.value in ("--conf", "-c") or word.value.startswith("--conf=") for word in words)
        if conf and any(re.match(r"(?:--conf=)?spark\.", word.value) for word in words):
            read_spark("", words, words[0].text, self.out, self.parent)
            return
        block: Block | None = None
        for index, word in enumerate(words):
            pair = word.part(2) if word.value.startswith("-D") and len(word.value) > 2 else None
            if word.value == "-D" and index + 1 < len(words):
                pair = words[index + 1]
            if pair is not None and "=" in pair.value and is_flink_pair(pair.value):
                if block is None:
                    span = words[0].text.span(0, len(words[0].text.text))
                    block = self.out.block("flink", "command", "command", span, parent=self.parent)
                add_pair(self.out, block, pair)


def _chart_version(words: list[Word]) -> Word | None:
    """What `helm install --version` asks for."""
    for word, after in pairwise([*words, Word("", words[-1].text)]):
        if word.value == "--version" and after.value:
            return after
        if word.value.startswith("--version="):
            return word.part(len("--version="))
    return None


def _base(word: str) -> str:
    """The last part of a path; `@` and `-` in front of a recipe's command go."""
    return word.rsplit("/", 1)[-1].lstrip("@")


def _enters(words: list[Word]) -> bool:
    """Whether what follows runs in a container that is there already: `docker compose exec jobmanager`, `kubectl exec pod --`."""
    return any(word.value == "exec" for word in words) and any(_base(word.value) in _ENTERING for word in words)


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
