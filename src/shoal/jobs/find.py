"""Groups files into jobs: what is declared, what a manifest or command names, else code with the nearest config of its own project."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from shoal.classify import classify
from shoal.facts import Block, Entry, Fact, Mount, Setting, Usage
from shoal.globs import matcher
from shoal.job import Job, Member
from shoal.jobs import environments
from shoal.jobs.boundaries import is_compose
from shoal.jobs.containers import Containers
from shoal.jobs.environments import VALUES, Environment
from shoal.jobs.images import Images
from shoal.jobs.index import Index
from shoal.jobs.kinds import concerns, configures, names_engine, runs_something
from shoal.jobs.nearest import Nearest, Setup, alternatives
from shoal.jobs.outside import outside
from shoal.jobs.poms import with_parents
from shoal.jobs.questions import MASTER, STARTS
from shoal.jobs.scripts import Scripts
from shoal.jobs.sides import noted
from shoal.jobs.starters import Starters
from shoal.paths import Paths
from shoal.suppress import Suppression

if TYPE_CHECKING:
    from shoal.model import FileResult
    from shoal.settings import Settings

_BROKERS, _OPERATORS = "its brokers", "operators of a program that is not in the project"
_CONTAINER = "has a container that may run it"
_PINS = "pins versions"
_HOLDS = "copies its conf into an image"
_SESSION = "may set up its session"
_LOADS = "may run the script"
_SCRIPTS = ("shell", "makefile")

# What a project's scripts do to the files below it, and what counts for the projects above and below it: a cluster is shared, and a script in a folder
# below may be the one that writes the files above it.
_DONE_TO_FILES = ("file-posted",)
_SHARED = ("submitted", "on-request", "core-limit", "fills-in")


def jobs_of(results: Iterable[FileResult], settings: Settings, paths: Paths | None = None) -> Iterator[Job]:
    """Every job, cluster and project in the files of a run, in a fixed order.

    `paths` are all files of the run, where `results` are only those with facts: names alone say where projects begin.
    """
    ordered = sorted(results, key=lambda result: result.path)
    facts = {result.path: tuple(fact for fact in result.facts if not isinstance(fact, Suppression)) for result in ordered}
    every = paths if paths is not None else Paths.of(result.path for result in ordered)
    finder = Finder(every, with_parents({path: found for path, found in facts.items() if found}), matcher(settings.test_paths))
    declared: set[str] = set()
    covered: set[str] = set()
    for entry in settings.jobs:
        job = finder.declared(entry)
        if job is not None:
            declared.update(job.paths)
            covered.update(job.paths)
            yield job
    for job in finder.jobs(declared):
        covered.update(
            member.path for member in job.members if member.why not in (_BROKERS, MASTER, _CONTAINER)
        )  # of whose file the rest is nobody's
        yield job
    for job in finder.clusters(declared):
        covered.update(member.path for member in job.members if member.why != _OPERATORS)
        yield job
    yield from finder.loose(covered)
    yield from finder.projects()


class Finder:
    """The jobs in the files of a run. `facts` holds only files with facts; `tests` says which paths are tests."""

    def __init__(self, paths: Paths, facts: dict[str, tuple[Fact, ...]], tests: Callable[[str], bool]) -> None:
        self._index = Index(paths, facts, tests)
        self._images = Images(self._index)
        self._starters = Starters(self._index)
        self._nearest = Nearest(self._index, self._images, self._starters)
        self._containers = Containers(self._index)
        self._settled: set[str] = set()  # config of which it is certain whose it is
        self._scripts = Scripts(self._index)

    def declared(self, entry: dict[str, Any]) -> Job | None:
        """A job of the settings: the files its globs name."""
        wanted = matcher(tuple(entry["paths"]))
        paths = tuple(path for path in self._index.facts if wanted(path))
        if not paths:
            return None
        members = tuple(Member(path, "declared in the settings") for path in paths)
        return self._job([fact for path in paths for fact in self._index.facts[path]], entry["name"], "job", members)

    def jobs(self, declared: set[str]) -> Iterator[Job]:
        """A job for each main code file and setup of it, and for each resource that runs something that is not seen as code."""
        named: dict[str, list[Setup]] = {}
        for project in sorted(self._index.resources):
            for environment in self._index.resources[project]:
                targets = self._images.programs(environment)
                for path in targets:
                    named.setdefault(path, []).append(Setup(environment, f"runs {posixpath.basename(path)}", True))
                if not targets and runs_something(environment.facts) and not declared.intersection(environment.paths):
                    yield self._of_resource(environment, project)
        for project in sorted(self._index.composes):
            for environment in self._index.composes[project]:
                for path in self._images.programs(environment):
                    named.setdefault(path, []).append(Setup(environment, f"runs {posixpath.basename(path)}", True))
        for path in sorted(self._index.code):
            if path in declared:
                continue
            setups = [setup for setup in named.get(path, ()) if concerns(setup.environment.facts, self._index.code[path])]
            around = setups or (self._nearest.sent_to(path) if self._index.code[path] == "beam" else self._nearest.of(path))
            bundles = alternatives(around)
            for bundle in bundles:
                yield self._of_code(path, bundle, several=len({setups[0].environment.paths[0] for setups in bundles if setups}) > 1)

    def _of_code(self, path: str, setups: list[Setup], several: bool = False) -> Job:
        engine = self._index.code[path]
        members = [Member(path, "the code")]
        found: list[Fact] = _of_program(self._index.facts[path])
        if _is_one_cluster([setup.environment for setup in setups]):
            self._settled.update(at for setup in setups for at in setup.environment.paths)
        for at in self._index.imported.get(path, ()):
            members.append(Member(at, "imported"))
            found += self._index.facts[at]
        self._add_files(self._scripts.of(path), "its script of SQL", members, found)
        for at, facts in self._scripts.running(path):
            members.append(Member(at, _LOADS))
            found += facts
        for at, facts in self._scripts.sessions(path, engine, moves=True):
            members.append(Member(at, _SESSION))
            found += facts
        for setup in setups:
            for index, at in enumerate(setup.environment.paths):
                members.append(Member(at, _role(at, setup.why if index == 0 else "")))
            found += setup.environment.facts
        for setup in setups:
            self._add_parts(setup.environment, engine, members, found)
        session = [self._nearest.cluster_of(setup.environment) for setup in setups]
        for cluster in filter(None, session):
            members += [Member(at, "the session cluster") for at in cluster.paths]
            found += cluster.facts
        for at in self._starters.of(path):
            if _joins(members, at, STARTS):
                found += self._starters.started(at, path)
        if path in self._index.targets.started_by:
            members.append(Member(self._index.targets.started_by[path], "the entry: what is started, and runs the code"))
        self._add_starters([setup.environment for setup in setups if setup.named], members)
        self._add_files(self._index.pins.of(path, engine, {member.path for member in members}), _PINS, members, found)
        self._add_files(self._index.pins.ranges_of(path, engine), "names a range of versions", members, found)
        for at in self._containers.brokers(path, {member.path for member in members}):
            members.append(Member(at, _BROKERS))
            parts = environments.Parts(self._index.facts[at])
            for block in [
                fact for fact in self._index.facts[at] if isinstance(fact, Block) and (fact.engine, fact.role) == ("kafka", "broker")
            ]:
                found += parts.of(block)
        if engine == "spark":
            for at, facts in self._images.holding(at for setup in setups for at in setup.environment.paths):
                if _joins(members, at, _HOLDS):
                    found += facts
            for at, facts in self._containers.masters(path, found, {member.path for member in members if member.why != _BROKERS}):
                members.append(Member(at, MASTER))
                found += facts
            for at, facts in self._containers.held(path).items():
                _joins(members, at, _CONTAINER)
                found += facts
            for at, facts in self._containers.claims(path, found).items():
                if _joins(members, at, _CONTAINER):
                    found += facts
        environment = next((setup.environment.name for setup in setups if setup.environment.name), "")
        if not environment and several:  # two resources run one program: each is an environment of it
            environment = setups[0].environment.paths[-1]
        return self._job(found, path, "job", tuple(members), environment)

    def _of_resource(self, environment: Environment, project: str) -> Job:
        block = next(fact for fact in environment.facts if isinstance(fact, Block))
        found = list(environment.facts)
        members = [Member(path, _role(path, "the resource" if index == 0 else "")) for index, path in enumerate(environment.paths)]
        cluster = self._nearest.cluster_of(environment)
        if cluster is not None:
            members += [Member(path, "its session cluster") for path in cluster.paths if path not in environment.paths]
            found += [fact for fact in cluster.facts if fact not in found]
        self._add_starters([environment], members)
        # a Python program's packages are the project's, whether or not the program is seen
        python = any(isinstance(fact, Entry) and fact.kind == "python" for fact in environment.facts)
        if python:
            self._add_files(self._index.pins.of(environment.paths[0], block.engine), _PINS, members, found)
        name = f"{environment.paths[0]}: {block.name}" if block.name else environment.paths[0]
        return self._job(found, name, "job", tuple(members), environment.name)

    def clusters(self, declared: set[str]) -> Iterator[Job]:
        """The config of every cluster of which no job is known for certain: compose files, conf files, session clusters of the operator.

        What is right for a cluster is decided with its jobs, where there are some; `jobs` must have been gone through before.
        """
        mounted = {at for found in self._index.composes.values() for environment in found for at in self._images.brought(environment)}
        for project in sorted({*self._index.composes, *self._index.confs, *self._index.resources}):
            groups = [(environment, "the compose file") for environment in self._index.composes.get(project, ())]
            groups += [
                (environment, "the conf") for environment in self._index.confs.get(project, ()) if not mounted.issuperset(environment.paths)
            ]
            groups += [
                (environment, "the resource")
                for environment in self._index.resources.get(project, ())
                if not runs_something(environment.facts)
            ]
            for environment, why in groups:
                at = environment.paths[0]
                if at.lower().endswith(".json") and self._index.tests(at):
                    continue  # what a test compares with runs nowhere
                if (
                    environment.paths[-1] not in declared
                    and environment.paths[-1] not in self._settled
                    and any(isinstance(fact, Block) and configures(fact) for fact in environment.facts)
                ):
                    members = [Member(path, _role(path, why if index == 0 else "")) for index, path in enumerate(environment.paths)]
                    found = list(environment.facts)
                    self._add_parts(environment, "flink", members, found)
                    self._add_files(self._index.pins.of(at, "flink"), _PINS, members, found)
                    for path, parses in self._operators(project) if len(groups) == 1 else ():
                        members.append(Member(path, _OPERATORS))
                        found += parses
                    first = next(fact for fact in environment.facts if isinstance(fact, Block))
                    name = f"{at}: {first.name}" if why == "the resource" and first.name else at
                    yield self._job(found, name, "cluster", tuple(members), environment.name)

    def _operators(self, project: str) -> Iterator[tuple[str, list[Fact]]]:
        """Of a project without a program, the files whose operators may fail at a record, with where they do: they run on its only cluster, whatever starts them."""
        if any(self._index.project[path] == project for path in self._index.code):
            return
        for path, found in self._index.facts.items():
            parses: list[Fact] = [fact for fact in found if isinstance(fact, Usage) and fact.kind == "unguarded-parse"]
            if parses and self._index.project[path] == project and not self._index.tests(path):
                yield path, parses

    def loose(self, covered: set[str]) -> Iterator[Job]:
        """Each file that belongs to no job, by itself: a template once for each values file of its chart, a conf with the volumes of who mounts it."""
        mounting: dict[str, list[Mount]] = {}
        for environment in (one for some in self._index.composes.values() for one in some):
            volumes = [fact for fact in environment.facts if isinstance(fact, Mount)]
            for at in self._images.brought(environment) if volumes else ():
                mounting.setdefault(at, []).extend(volumes)
        for path, found in self._index.facts.items():
            if path not in covered:
                started = {fact.engine for fact in found if isinstance(fact, Block) and fact.role in ("submit", "command")}
                pins = [at for engine in sorted(started) for at in self._index.pins.of(path, engine)] if classify(path) in _SCRIPTS else []
                sessions = list(self._scripts.sessions(path, "flink", moves=False)) if _makes_tables(path, found) else []
                blocks = [fact.id for fact in found if isinstance(fact, Block)] if path in mounting else []
                found += tuple(volume._replace(block=block) for block in blocks for volume in mounting[path])
                for environment in self._index.filled(Environment("", found, (path,))):
                    members = [Member(path, "belongs to no known job"), *(Member(at, _role(at, "")) for at in environment.paths[1:])]
                    every = list(environment.facts)
                    self._add_files(pins, _PINS, members, every)
                    for at, facts in sessions:
                        members.append(Member(at, _SESSION))
                        every += facts
                    yield self._job(every, path, "file", tuple(members), environment.name)

    def projects(self) -> Iterator[Job]:
        """All files of each project together, what scripts of those above it do with files, and what is sent to clusters above and below it."""
        grouped: dict[str, list[str]] = {}
        for path, project in self._index.project.items():
            grouped.setdefault(project, []).append(path)
        handed: dict[str, list[Fact]] = {}
        below: dict[str, list[Fact]] = {}
        for project, paths in grouped.items():
            usages = [fact for path in paths for fact in self._index.facts[path] if isinstance(fact, Usage)]
            shared = [usage for usage in usages if usage.kind in _SHARED]
            handed[project] = [*shared, *(usage for usage in usages if usage.kind in _DONE_TO_FILES)]
            for outer in self._index.boundaries.chain(project)[1:] if shared else ():
                below.setdefault(outer, []).extend(shared)
        for project, paths in sorted(grouped.items()):
            members = tuple(Member(path, "stands in the project") for path in paths)
            found = [fact for path in paths for fact in self._settled_facts(path)] + below.get(project, [])
            for outer in self._index.boundaries.chain(project)[1:]:
                found += handed.get(outer, ())
            yield self._job(found, project or ".", "project", members)

    def _settled_facts(self, path: str) -> Iterable[Fact]:
        """What a file says, with the values that its chart, module or playbook fills in where these are the same in each environment."""
        facts = self._index.facts[path]
        made = self._index.filled(Environment("", facts, (path,)))
        return made[0].facts if len(made) == 1 else facts

    def _job(self, facts: list[Fact], name: str, kind: str, members: tuple[Member, ...], environment: str = "") -> Job:
        paths = tuple(dict.fromkeys(member.path for member in members))
        facts = noted(facts) if kind == "job" else facts
        return Job(facts, paths, name, kind, members, environment, outside(facts, paths, self._index.services))

    def _add_parts(self, environment: Environment, engine: str, members: list[Member], found: list[Fact]) -> None:
        """Add the conf files that an environment's containers get, and the Dockerfiles that their images are built from."""
        taken = {member.path for member in members}
        for at, why in self._images.brought(environment).items():
            if at not in taken:
                taken.add(at)
                members.append(Member(at, why))
                found += self._index.facts[at]
        for at, _, facts in self._images.of(environment):
            if at not in taken and (concerns(facts, engine) or names_engine(facts, engine)):
                taken.add(at)
                members.append(Member(at, "builds its image"))
                found += facts
                self._settled.add(at)

    def _add_starters(self, resources: list[Environment], members: list[Member]) -> None:
        """Add what applies a resource."""
        for at in self._starters.applying(resources):
            _joins(members, at, STARTS)

    def _add_files(self, paths: Iterable[str], why: str, members: list[Member], found: list[Fact]) -> None:
        """Add files, with all that they say."""
        for at in paths:
            if _joins(members, at, why):
                found += self._index.facts[at]


def _joins(members: list[Member], at: str, why: str) -> bool:
    """Add a file to those of a job, if it is none of them yet; whether it was added."""
    new = all(member.path != at for member in members)
    if new:
        members.append(Member(at, why))
    return new


def _of_program(facts: Iterable[Fact]) -> list[Fact]:
    """The facts of a file's program: of one in a config map only what stands there, for other resources may stand beside it."""
    found = list(facts)
    whole = next((fact.place.span for fact in found if isinstance(fact, Usage) and fact.kind == "file-in-map"), None)
    if whole is None:
        return found
    starts = [fact.key_span.start if isinstance(fact, Setting) else fact.place.span.start for fact in found]
    return [fact for fact, start in zip(found, starts, strict=True) if whole.start <= start < whole.end]


def _makes_tables(path: str, facts: Iterable[Fact]) -> bool:
    """Whether a script of SQL declares tables of Flink."""
    return path.endswith(".sql") and any(isinstance(fact, Block) and (fact.engine, fact.role) == ("flink", "table") for fact in facts)


def _role(path: str, why: str) -> str:
    """Why a file of an environment belongs to the job; those after the first change what the first one says."""
    return why or ("fills in its values" if VALUES.fullmatch(path.rsplit("/", 1)[-1]) else "changes it")


def _is_one_cluster(found: list[Environment]) -> bool:
    """Whether configs make one cluster together: one compose file at most, one folder of conf files, and what a Dockerfile adds."""
    bases = {environment.paths[0] for environment in found if classify(environment.paths[0]) != "dockerfile"}
    composed = {path for path in bases if is_compose(path)}
    return len(composed) <= 1 and len(bases - composed) <= 1
