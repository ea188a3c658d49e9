"""One project as the server knows it: its settings and rules, what its files yield, and what that comes to."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from hashlib import sha256

from shoal import baseline, rulebooks, settings_file
from shoal.across import Modules, tell
from shoal.core import conclude
from shoal.host import Request, Texts
from shoal.job import Job
from shoal.jobs.find import jobs_of
from shoal.model import FileResult, Finding, Problem, Told
from shoal.paths import Paths, repositories
from shoal.records import NamedTuple
from shoal.rulebook import Rulebook
from shoal.settings import Settings
from shoal.settings_file import Located


class Trust(NamedTuple):
    """What the editor allows. In a folder that is not trusted no rules are taken because its settings say so.

    `rules` are folders of rules with code that the user (not the folder) named.
    """

    trusted: bool = True
    rules: tuple[str, ...] = ()


class Loaded(NamedTuple):
    """Settings and rules, and what is wrong with them. `files` are all settings files that had a say."""

    settings: Settings
    rulebook: Rulebook
    problems: tuple[Problem, ...]
    files: tuple[str, ...]
    key: str


class Conclusion(NamedTuple):
    """Findings by path, with status; `problems` are by path too."""

    findings: dict[str, list[Finding]]
    problems: dict[str, list[Problem]]


def locate(folder: str) -> Located:
    """The project that a workspace folder is in: as `shoal check` would find it, started there."""
    return settings_file.locate((folder,), folder)


def load(located: Located, trust: Trust) -> Loaded:
    """Read the settings of a project and the rules they ask for. With problems, settings are those that could be understood."""
    chain, problems = settings_file.read(located.file, remember=True) if located.file else ([], [])
    try:
        settings = settings_file.settings_of(chain)
    except (TypeError, ValueError, KeyError, AttributeError):  # not valid; `validate` says where
        settings = Settings()
    if not trust.trusted:
        settings = settings._replace(rule_paths=(), rule_packages=())
    rulebook = rulebooks.load(settings, trust.rules if trust.trusted else ())
    problems += settings_file.validate(chain, rulebook) if chain else []
    base = located.root.rstrip(os.sep).replace(os.sep, "/") + "/"
    shown = [problem._replace(path=(problem.path or located.file).removeprefix(base)) for problem in (*problems, *rulebook.problems)]
    key = sha256(f"{located.root}\0{rulebook.digest}\0{settings!r}".encode("utf-8", "replace")).hexdigest()
    return Loaded(settings, rulebook, tuple(shown), tuple(raw.path for raw in chain) or ((located.file,) if located.file else ()), key)


def _with_baseline(loaded: Loaded, located: Located) -> Loaded:
    """The same with a word where the settings name a baseline that cannot be read: the command counts that as a problem, too."""
    if not loaded.settings.baseline:
        return loaded
    problem = baseline.read(loaded.settings.baseline)[1]
    if problem is None:
        return loaded
    try:
        text = settings_file.load_file(located.file).decode("utf-8", "replace")
    except OSError:
        text = ""
    name = os.path.basename(loaded.settings.baseline)
    wrong = Problem(os.path.relpath(located.file, located.root).replace(os.sep, "/"), "settings", f"{name}: {problem.message}")
    wrong = wrong._replace(line=settings_file.line_of(text, ["baseline"]), help=problem.help)
    return loaded._replace(problems=(*loaded.problems, wrong))


class Project:
    """Results of the project's files by root-relative path. `surveyed`: all files have been looked at, so whole jobs can be judged."""

    def __init__(self, located: Located, trust: Trust) -> None:
        self.root = located.root
        self.file = located.file
        self._trust = trust
        self.loaded = _with_baseline(load(located, trust), located)
        self.marked: set[str] = set()  # files, open or not, about which settings and rules have ever been said to be wrong
        self.results: dict[str, FileResult] = {}
        self.surveyed = False
        self.generation = 0
        self.conclusion = Conclusion({}, {})
        self._jobs: tuple[int, list[Job]] = (-1, [])
        self._known: tuple[tuple[int, int], baseline.Book] = ((0, 0), {})

    def reload(self) -> bool:
        """Read settings and rules again. Settings that cannot be used leave the last ones in force. Says whether anything changed."""
        located = locate(self.root)
        self.file = located.file if located.root == self.root else ""
        before, found = self.loaded, load(Located(self.root, self.file), self._trust)
        if any(problem.kind == "settings" for problem in found.problems):
            found = before._replace(problems=found.problems, files=found.files)
        self.loaded = _with_baseline(found, Located(self.root, self.file))
        return self.loaded != before or found.key != before.key

    def watches(self, path: str) -> bool:
        """Whether a file has a say in the settings or the rules."""
        name = os.path.basename(path)
        if name == "shoal.toml" or path in self.loaded.files or path == self.loaded.settings.baseline:
            return True
        if name == "pyproject.toml":
            return os.path.dirname(path) == self.root
        return any(path.startswith(folder.rstrip(os.sep) + os.sep) for folder in (*self.loaded.settings.rule_paths, *self._trust.rules))

    def relative(self, path: str) -> str:
        """A file's path from the root, as findings name it."""
        base = self.root.rstrip(os.sep) + os.sep
        inner = path[len(base) :] if path.startswith(base) else os.path.relpath(path, self.root)
        return inner.replace(os.sep, "/")

    def absolute(self, path: str) -> str:
        return os.path.normpath(os.path.join(self.root, path))

    def keep(self, result: FileResult) -> bool:
        """Take a file's new result; says whether it differs from the one before."""
        if self.results.get(result.path) == result:
            return False
        self.results[result.path] = result
        self.generation += 1
        return True

    def drop(self, path: str) -> None:
        if self.results.pop(path, None) is not None:
            self.generation += 1

    def request(self) -> Request:
        return Request((), self.root, self.loaded.settings, self.loaded.rulebook)

    def texts(self, contents: Mapping[str, bytes]) -> Texts:
        """Texts of files, those of open documents as they stand in the editor."""
        return Texts(self.request(), contents)

    def conclude(self, results: list[FileResult], contents: Mapping[str, bytes]) -> Conclusion:
        """What the results come to. Before all files were looked at, rules about whole jobs are silent."""
        settings = self.loaded.settings
        rulebook = self.loaded.rulebook.only(settings.ever_enabled)
        if not self.surveyed:
            rulebook = rulebook.only(lambda rule: rule.scope == "file")
        return self._judge(results, rulebook, contents)

    def _judge(self, results: list[FileResult], rulebook: Rulebook, contents: Mapping[str, bytes]) -> Conclusion:
        settings = self.loaded.settings
        found, problems = conclude(results, rulebook, settings, self.texts(contents), paths=self._paths(results))
        reported = baseline.mark((finding for finding in found if settings.reports(finding)), self._baseline(), "baseline")
        findings: dict[str, list[Finding]] = {}
        for finding in reported:
            findings.setdefault(finding.primary.path, []).append(finding)
        wrong: dict[str, list[Problem]] = {}
        for problem in problems:
            wrong.setdefault(problem.path, []).append(problem)
        return Conclusion(findings, wrong)

    def first(self, result: FileResult, contents: Mapping[str, bytes]) -> Conclusion:
        """What one file comes to by itself; what was found about its jobs before stays until all is judged again."""
        rulebook = self.loaded.rulebook.only(self.loaded.settings.ever_enabled)
        files = {rule.id for rule in rulebook if rule.scope == "file"}
        own = self._judge([result], rulebook.only(lambda rule: rule.id in files), contents)
        path = result.path
        kept = [finding for finding in self.conclusion.findings.get(path, ()) if finding.rule not in files]
        return Conclusion({path: [*own.findings.get(path, ()), *kept]}, {path: own.problems.get(path, [])})

    def take(self, judged: Conclusion, paths: Collection[str] | None = None) -> None:
        """Put a conclusion in force, for all files or for those of `paths`."""
        if paths is None:
            self.conclusion = judged
            return
        findings, problems = dict(self.conclusion.findings), dict(self.conclusion.problems)
        for path in paths:
            findings[path], problems[path] = judged.findings.get(path, []), judged.problems.get(path, [])
        self.conclusion = Conclusion(findings, problems)

    def jobs(self) -> list[Job]:
        """The jobs in the results as they are now."""
        generation = self.generation
        if self._jobs[0] != generation:
            results = list(self.results.values())
            self._jobs = (generation, list(jobs_of(results, self.loaded.settings, self._paths(results))))
        return self._jobs[1]

    def tell(self, results: dict[str, FileResult]) -> dict[str, Told]:
        """The files to look at again, each with all that others say about it."""
        return tell(results, self.loaded.settings, Modules(self._paths(results.values())))

    def _paths(self, results: Iterable[FileResult]) -> Paths:
        return Paths.of([result.path for result in results], repositories(self.root))

    def jobs_with(self, path: str) -> list[Job]:
        """The jobs that a file is part of, those of what runs first; the file by itself when there is none."""
        order = {"job": 0, "cluster": 1, "file": 2}
        found = [job for job in self.jobs() if path in job.paths and job.kind in order]
        if not found and path in self.results:
            return [Job(self.results[path].facts, (path,))]
        return sorted(found, key=lambda job: order[job.kind])

    def _baseline(self) -> baseline.Book:
        file = self.loaded.settings.baseline
        if not file:
            return {}
        try:
            info = os.stat(file)
        except OSError:
            return {}
        stamp = (info.st_mtime_ns, info.st_size)
        if self._known[0] != stamp:
            self._known = (stamp, baseline.read(file)[0])
        return self._known[1]
