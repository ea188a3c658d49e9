"""Airflow DAGs: the jobs that their operators name, with the settings they start them with.

A DAG is read with the standard parser alone: literals, and the constants of the module, are all that is wanted of it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from shoal.facts import Block, Entry, Unknown
from shoal.lazy import pattern
from shoal.python.literals import Literals, parsed
from shoal.readers import delegate
from shoal.records import NamedTuple
from shoal.text import Text

if TYPE_CHECKING:
    from shoal.readers import Reading

_IMPORT = pattern(r"^[ \t]*(?:from|import)[ \t]+airflow\b", re.MULTILINE)
_OPERATOR = pattern(r"(?:Operator|Sensor)\s*\(")
# Where the arguments of an operator name a program or a resource, at any depth.
_PROGRAMS = {
    "application": "",
    "main": "",
    "main_class": "class",
    "main_python_file_uri": "python",
    "mainPythonFileUri": "python",
    "main_jar_file_uri": "jar",
    "mainJarFileUri": "jar",
    "python_file": "python",
    "notebook_path": "python",
    "entryPoint": "",
    "py_file": "python",
    "mainApplicationFile": "",
    "main_application_file": "",
    "application_file": "resource",  # written out, `manifests` reads it
}
_PLATFORMS = {"Dataproc": "dataproc", "DataProc": "dataproc", "Emr": "emr", "Databricks": "databricks"}
_CONFS = frozenset({"conf", "properties", "dataproc_properties", "spark_conf", "sparkConf"})
# What ends a task, or the program that it runs, after a time.
_LIMIT = pattern(r"(?:execution|dagrun)_timeout|\btimeout\s+-{0,2}\w")
# Operators that leave a pipeline of Beam running, where they name a template, and Google's templates that never end.
_LAUNCHERS = pattern(r"(?:Data[Ff]low\w*|BeamRun\w+Pipeline)Operator")
_TEMPLATES = ("template", "containerSpecGcsPath", "container_spec_gcs_path", "gcsPath")
_STREAMING = pattern(r"^(?:Cloud_)?(?:PubSub|Kafka|Stream)\w*_to_|_Streaming$|_Stream$", re.IGNORECASE)
# Operators that end when the program which they start has ended, what lets a command come back at once, and what starts a task although one before it has not succeeded.
_WAITING = frozenset({"BashOperator", "SSHOperator", "SparkSubmitOperator", "DataProcPySparkOperator", "DataprocSubmitJobOperator"})
_COMES_BACK = pattern(r"&\s*['\"]?\s*$|\bnohup\b|\bsetsid\b|waitAppCompletion\W+false|\s(?:-d|-td|-itd|--detach)\s", re.IGNORECASE)
_ANYWAY = pattern(r"\btrigger_rule\b|\basynchronous\b")
# What only a DAG takes: Airflow hands `default_args` to operators, and leaves out what theirs are not.
_OF_DAG = frozenset({"schedule", "schedule_interval", "catchup", "max_active_runs", "dagrun_timeout"})
_NOW = pattern(r"(?:(?:\w+\.)?(?:datetime|dt)\.(?:now|utcnow|today)|pendulum\.now|timezone\.utcnow)")
# A parameter of a template that names what is read without an end.
_PULLED = pattern(r"(?:input_?)?subscription(?:_?(?:id|name|path))?|input_?topics?", re.IGNORECASE)


class Leaf(NamedTuple):
    """One argument of an operator, or a key somewhere inside one."""

    key: str
    key_node: ast.AST
    value: ast.expr


def read(text: Text, out: Reading) -> None:
    """The operators of a DAG that start a job; nothing of any other module. Never raises for what the text holds."""
    if _IMPORT.search(text.text) and _OPERATOR.search(text.text) and (tree := parsed(text.text)) is not None:
        _Dag(text, out, tree).collect()


class _Dag(Literals):
    def collect(self) -> None:
        calls = [node for node in ast.walk(self.tree) if isinstance(node, ast.Call)]
        started: dict[int, str] = {}  # what a task that waits for it starts, by the task's call
        for call in sorted(calls, key=lambda node: (node.lineno, node.col_offset)):
            name = _name(call)
            if name.endswith("Operator"):
                before = len(self.out.facts)
                self.operator(name, call)
                programs = [fact.target for fact in self.out.facts[before:] if isinstance(fact, Entry) and fact.kind == "python"]
                if name in _WAITING and len(programs) == 1 and not _COMES_BACK.search(self.command(call)):
                    started[id(call)] = programs[0]
        self.schedule(calls)
        made = [call for call in calls if _name(call) in ("DAG", "dag")]
        if any(isinstance(fact, (Block, Entry)) for fact in self.out.facts):
            self.arguments(made)
        if started and not _ANYWAY.search(self.text.text):
            self.behind(started)
        if started and len(made) == 1 and "on_failure_callback" not in self.text.text:
            self.tried_once(made[0], [call for call in calls if id(call) in started], started)

    def arguments(self, made: list[ast.Call]) -> None:
        """DAGs that are never due, because they start at each moment anew, and arguments of theirs among those of their tasks."""
        for call in made:
            given = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
            defaults = self.followed(given.get("default_args"))
            entries = {
                name: (key, value)
                for key, value in (zip(defaults.keys, defaults.values, strict=False) if isinstance(defaults, ast.Dict) else ())
                if key is not None and (name := self.string(key))
            }
            time = given.get("schedule", given.get("schedule_interval"))
            start = given.get("start_date") or entries.get("start_date", (None, None))[1]
            if time is not None and _repeats(self.followed(time)) and (now := self.followed(start)) is not None and _is_now(now):
                when = self.out.place(self.span(time), "related", "the schedule")
                self.out.oddity("dag-never-due", self.segment(now), self.span(now), related=(when,))
            seen = all(keyword.arg for keyword in call.keywords)  # no `**arguments` that may hold them
            for name in sorted(_OF_DAG & entries.keys() - given.keys()) if seen else ():
                if name != "schedule_interval" or "schedule" not in given:
                    self.out.oddity("dag-argument-of-tasks", name, self.span(entries[name][0]))

    def tried_once(self, made: ast.Call, tasks: list[ast.Call], started: dict[int, str]) -> None:
        """Tasks that wait for what they start and are not retried, of a DAG that nothing but a person starts."""
        given = {keyword.arg: keyword.value for keyword in made.keywords}
        time = given.get("schedule", given.get("schedule_interval"))
        by_hand = self.followed(time) if time is not None else None
        if not isinstance(by_hand, ast.Constant) or by_hand.value not in (None, "@once") or None in given:
            return
        defaults = self.followed(given["default_args"]) if "default_args" in given else ast.Dict([], [])
        if not isinstance(defaults, ast.Dict) or None in defaults.keys:
            return
        default = next((value for key, value in zip(defaults.keys, defaults.values, strict=True) if self.string(key) == "retries"), None)
        for task in tasks:
            own = {keyword.arg: keyword.value for keyword in task.keywords}
            retries = own.get("retries", default)
            if None not in own and (retries is None or self.scalar(retries) == "0"):
                where = self.out.place(self.span(retries or time or made), "related", "no retry" if retries else "no schedule")
                self.out.oddity("task-tried-once", started[id(task)], self.span(task.func), related=(where,))

    def command(self, call: ast.Call) -> str:
        """The command of an operator that runs one, as it is written."""
        given = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        text = self.text_of(given.get("bash_command") or given.get("command"))
        return text.text if text is not None else ""

    def behind(self, started: dict[int, str]) -> None:
        """Tasks that come after one which waits for the program that it starts: they never run where that one never ends."""
        said: set[int] = set()

        def linked(node: ast.expr) -> list[ast.Call]:
            """The tasks that an expression stands for; those of `a >> b` are linked, and it is `b`."""
            if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.RShift, ast.LShift)):
                left, right = linked(node.left), linked(node.right)
                first, then = (left, right) if isinstance(node.op, ast.RShift) else (right, left)
                for task in first:
                    if then and id(task) in started and id(task) not in said:
                        said.add(id(task))
                        waits = self.out.place(self.span(then[0].func), "related", "never starts")
                        self.out.oddity("task-behind", started[id(task)], self.span(task.func), related=(waits,))
                return right
            if isinstance(node, (ast.List, ast.Tuple)):
                return [task for part in node.elts for task in linked(part)]
            found = self.followed(node) if isinstance(node, ast.Name) else node
            return [found] if isinstance(found, ast.Call) and _name(found).endswith(("Operator", "Sensor")) else []

        for statement in ast.walk(self.tree):
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.BinOp):
                linked(statement.value)

    def schedule(self, calls: list[ast.Call]) -> None:
        """DAGs that all run again and again: whether their runs may overlap, and their operators that start an endless job of Dataflow or Beam."""
        made = [{keyword.arg: keyword.value for keyword in call.keywords} for call in calls if _name(call) in ("DAG", "dag")]
        times = [given.get("schedule", given.get("schedule_interval")) for given in made]
        if not times or not all(_repeats(self.followed(time)) for time in times):
            return
        several = not any(given.get("max_active_runs") for given in made)
        if several and times[0] is not None and not _LIMIT.search(self.text.text):
            self.out.oddity("runs-overlap", "", self.span(times[0]))
        if any(_name(call) == "DataflowStopJobOperator" for call in calls):
            return
        one_at_a_time = all(self.scalar(given.get("max_active_runs")) == "1" for given in made)
        for call in calls:
            name = _name(call)
            if not _LAUNCHERS.fullmatch(name):
                continue
            leaves = list(self.leaves(call))
            values = {leaf.key: self.scalar(leaf.value) or "" for leaf in leaves}
            waits = values.get("wait_until_finished") == "true" or not (
                name.lower().startswith("dataflow") or "Dataflow" in values.get("runner", "")
            )
            sign = next((leaf for leaf in leaves if self.streams(leaf)), None)
            sure = sign is not None
            sign = sign or next((leaf for leaf in leaves if _PULLED.fullmatch(leaf.key)), None)
            updates = values.get("update") == "true"
            if sign is not None and not updates and not (waits and one_at_a_time) and times[0] is not None:
                why = self.out.place(self.span(sign.key_node), "related", "it reads a stream")
                self.out.oddity("stream-on-schedule", "sure" if sure else "likely", self.span(times[0]), name, related=(why,))
                return

    def streams(self, leaf: Leaf) -> bool:
        """Whether an argument says that the job streams: the option, or one of Google's own templates that do."""
        if leaf.key == "streaming":
            return self.scalar(leaf.value) in ("true", "True", "")
        return leaf.key in _TEMPLATES and _STREAMING.search(self.string(leaf.value).rpartition("/")[2]) is not None

    def operator(self, name: str, call: ast.Call) -> None:
        given = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        if name in ("BashOperator", "SSHOperator"):
            command = self.text_of(given.get("bash_command") or given.get("command"))
            if command is not None:
                delegate.command(command, self.out, None)
            return
        if name == "KubernetesPodOperator":
            words = self.words(given.get("cmds")) + self.words(given.get("arguments"))
            delegate.arguments(words, self.out, None)
            return
        platform = next((value for prefix, value in _PLATFORMS.items() if name.startswith(prefix)), "")
        if not platform and not re.match(r"Spark|Flink|Beam", name):
            return
        leaves = list(self.leaves(call))
        if name.startswith("Flink"):
            engine, role, form = "flink", "command", "command"
        elif name.startswith("Beam"):
            engine, role, form = "beam", "pipeline", "command"
        else:
            engine, role, form = "spark", "submit", "python"
        if any(leaf.key in ("flink_job", "flinkJob") for leaf in leaves):
            engine, role, form = "flink", "command", "command"
        block: Block | None = None

        def owner() -> Block:
            nonlocal block
            if block is None:
                at = self.span(call.func)
                traits = (("operator", name), *((("platform", platform),) if platform else ()))
                block = self.out.block(engine, role, form, at, self.string(given.get("task_id")), traits=traits, open=True)
            return block

        for leaf in leaves:
            if leaf.key in _PROGRAMS:
                self.program(leaf, owner)
            elif leaf.key in _CONFS or (leaf.key == "pipeline_options" and engine == "beam"):
                self.conf(leaf, owner)
            elif leaf.key in ("py_requirements", "requirements") and engine == "beam":
                for _, requirement in self.words(leaf.value):
                    delegate.requirement(requirement, self.out)
            elif leaf.key == "packages" and (listed := self.text_of(leaf.value)) is not None:
                delegate.coordinates(listed, self.out, owner())
            elif leaf.key == "Args" and platform == "emr":
                delegate.arguments(self.words(leaf.value), self.out, owner())
            elif leaf.key == "sparkSubmitParameters" and (parameters := self.text_of(leaf.value)) is not None:
                self.parameters(parameters, owner())
            elif leaf.key == "spark_version" and (match := re.match(r"(\d+\.\d+)", self.string(leaf.value))):
                if platform == "databricks":
                    self.out.dependency("field", "databricks-runtime", match.group(1), self.span(leaf.value), block=owner())
            elif leaf.key in ("image_version", "imageVersion") and platform == "dataproc":
                if match := re.match(r"(\d+\.\d+)(?:[.-]|$)", self.string(leaf.value)):
                    self.out.dependency("field", "dataproc", match.group(1), self.span(leaf.value), block=owner())
            elif leaf.key == "runner" and engine == "beam" and (runner := self.string(leaf.value)):
                self.out.setting(owner(), "runner", runner, self.span(leaf.key_node), self.span(leaf.value))

    def program(self, leaf: Leaf, owner: Callable[[], Block]) -> None:
        kind = _PROGRAMS[leaf.key]
        target = self.string(leaf.value).rpartition("}}")[2]
        if not target or "\n" in target:
            return
        if not kind:
            kind = "python" if target.endswith(".py") else "jar" if target.endswith(".jar") else ""
        if kind == "resource" and not target.endswith((".yaml", ".yml", ".json")):
            return
        if kind:
            self.out.entry(kind, target, (), self.span(leaf.value), owner())

    def conf(self, leaf: Leaf, owner: Callable[[], Block]) -> None:
        node = self.followed(leaf.value)
        if not isinstance(node, ast.Dict):
            return
        for key, value in zip(node.keys, node.values, strict=False):
            name = self.string(key).removeprefix("spark:")  # the file that a Dataproc cluster keeps the property in
            if not name or key is None:
                continue
            text = self.scalar(value)
            shown = Unknown(self.segment(value)) if text is None or "{{" in text else text
            self.out.setting(owner(), name, shown, self.span(key), self.span(value))

    def parameters(self, text: Text, block: Block) -> None:
        from shoal.readers import shell_words
        from shoal.readers.command_words import Word
        from shoal.readers.spark_command import read_spark

        read_spark("spark-submit", [Word(word.text, word) for word in shell_words.words(text)], text, self.out, block)

    # -- values -------------------------------------------------------------------------------------------------------------------

    def leaves(self, call: ast.Call) -> Iterator[Leaf]:
        """The keyword arguments, and the entries of dicts and lists inside them."""
        stack = [Leaf(keyword.arg, keyword, keyword.value) for keyword in reversed(call.keywords) if keyword.arg]
        for _ in range(500):
            if not stack:
                return
            leaf = stack.pop()
            yield leaf
            if leaf.key in _CONFS:
                continue
            node = self.followed(leaf.value)
            inner = [node] if isinstance(node, ast.Dict) else []
            if isinstance(node, (ast.List, ast.Tuple)):
                inner = [found for part in node.elts if isinstance(found := self.followed(part), ast.Dict)]
            for entries in reversed(inner):
                pairs = [(key, value) for key, value in zip(entries.keys, entries.values, strict=False) if key is not None]
                stack += [Leaf(name, key, value) for key, value in reversed(pairs) if (name := self.string(key))]


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id if isinstance(call.func, ast.Name) else ""


def _is_now(node: ast.expr) -> bool:
    """The moment at which the file is read, to the second, or one after it: `datetime.now()`, not a day's beginning."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        node = node.left
    name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
    return bool(_NOW.fullmatch(name))


def _repeats(time: ast.expr | None) -> bool:
    """Whether a schedule surely brings run after run: a cron expression, a preset, an interval."""
    if isinstance(time, ast.Call):
        return _name(time) in ("timedelta", "CronTriggerTimetable", "CronDataIntervalTimetable")
    return isinstance(time, ast.Constant) and isinstance(time.value, str) and time.value not in ("", "@once", "@continuous")
