"""Groups files into jobs: what is declared, what a manifest or command names, else code with the nearest config of its own project."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from shoal.classify import classify
from shoal.facts import Block, Dependency, Entry, Fact, Mount, Setting, Statement, Usage
from shoal.globs import matcher
from shoal.job import Job, Member
from shoal.jobs import environments
from shoal.jobs.boundaries import Boundaries, above, common, folder_of, is_compose
from shoal.jobs.charts import Chart, charts_of, filled
from shoal.jobs.environments import VALUES, Environment
from shoal.jobs.imports import Classes, imports_of
from shoal.jobs.kustomizations import changes_of_images, with_images
from shoal.jobs.outside import outside, service_folders
from shoal.jobs.pins import Pins
from shoal.jobs.poms import with_parents
from shoal.jobs.programs import below
from shoal.jobs.questions import MASTER, STARTS
from shoal.jobs.sides import noted
from shoal.jobs.standing import Branches, Neighbours, beside, in_line
from shoal.jobs.targets import Targets, beside_it
from shoal.jobs.terraform_modules import Module, modules_of
from shoal.lazy import pattern
from shoal.paths import Paths
from shoal.records import NamedTuple
from shoal.suppress import Suppression

if TYPE_CHECKING:
    from shoal.model import FileResult
    from shoal.settings import Settings

_ENGINES = ("flink", "spark", "beam")
_BROKERS, _OPERATORS = "its brokers", "operators of a program that is not in the project"
_CONTAINER = "has a container that may run it"
_MASTER_HOST = pattern(r"(?:spark://|,)([^:,/\s]+)")

# What a project's scripts do to the files below it, and what counts for the projects above and below it: a cluster is shared, and a script in a folder
# below may be the one that writes the files above it.
_DONE_TO_FILES = ("file-posted",)
_SHARED = ("submitted", "core-limit", "fills-in")


class Setup(NamedTuple):
    """What configures a job: an environment, why it does, and whether something names the job in it."""

    environment: Environment
    why: str
    named: bool


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


class _Container(NamedTuple):
    """A container of a compose file that has a program's folder: in which project it stands, its Dockerfile, and its volumes (kind, path, name)."""

    number: int
    project: str
    usage: Usage
    image: str
    volumes: list[list[str]]


class Finder:
    """The files of a run, sorted by what they are. `facts` holds only files with facts; `tests` says which paths are tests."""

    def __init__(self, paths: Paths, facts: dict[str, tuple[Fact, ...]], tests: Callable[[str], bool]) -> None:
        self._tests = tests
        self._services = service_folders(paths.ending((".json", ".JSON", ".yaml", ".yml")))
        self._facts = facts = _as_built(facts)
        self._boundaries = Boundaries(paths)
        self._project = {path: self._boundaries.project(path) for path in facts}
        self._code = {
            path: engine
            for path, found in facts.items()
            if not (tests(path) and classify(path) in ("python", "notebook", "java")) and (engine := engine_of_code(found))
        }
        self._code.update(dict.fromkeys(self._with_sessions_elsewhere(), "spark"))
        called = list(self._code)
        classes = Classes(self._project, self._boundaries)
        self._imported = {path: imports_of(path, facts, self._project[path], classes) for path in self._code}
        # what another job's code imports is a part of that job, and no job of its own
        for inner in {inner for path, found in self._imported.items() for inner in found if path not in self._imported.get(inner, ())}:
            self._code.pop(inner, None)
        self._targets = Targets(facts, self._code, called, self._project, self._boundaries, paths, tests)
        self._starters: dict[str, list[str]] | None = None
        self._applied: dict[str, list[tuple[str, str]]] = {}  # name of a resource's file -> (file that starts it, how it is called there)
        for path, found in facts.items():
            for fact in found:
                if isinstance(fact, Entry) and fact.kind == "resource":
                    self._applied.setdefault(posixpath.basename(fact.target), []).append((path, fact.target))
        self._settled: set[str] = set()  # config of which it is certain whose it is
        self._suited: dict[tuple[int, str], bool] = {}
        self._nearest_cache: dict[tuple[str, str, str, bool], list[Setup]] = {}
        self._suiting_cache: dict[tuple[str, str, bool], Neighbours[Setup]] = {}
        self._branch_cache: dict[str, tuple[str, str]] = {}
        self._brought_cache: dict[int, dict[str, str]] = {}
        self._image_cache: dict[int, list[tuple[str, str, tuple[Fact, ...]]]] = {}
        self._charts: dict[str, Chart] = {}
        self._modules: dict[str, Module] = {}
        self._configured: dict[str, Branches] = {}  # engine -> files with config of it
        self._composes: dict[str, list[Environment]] = {}
        self._containers: dict[str, list[_Container]] = {}  # by the folders of programs that they have
        self._confs: dict[str, list[Environment]] = {}
        self._resources: dict[str, list[Environment]] = {}
        self._clusters_by_name: dict[tuple[str, str], list[Environment]] | None = None
        self._sort()

    def _with_sessions_elsewhere(self) -> Iterator[str]:
        """The programs whose session another module makes, which starts no query itself: those of its importers that nobody imports."""
        makers = {
            path
            for path, engine in self._code.items()
            if engine == "spark"
            and path.endswith(".py")
            and not any(isinstance(fact, Block) and fact.role == "writer" for fact in self._facts[path])
        }
        projects = {self._project[path] for path in makers}
        importers: dict[str, list[str]] = {}
        for path, project in self._project.items():
            if project in projects and path.endswith(".py") and path not in self._code and not self._tests(path):
                found = imports_of(path, self._facts, project)
                if not makers.isdisjoint(found):
                    importers[path] = found
        inner = {path for found in importers.values() for path in found}
        yield from (path for path in importers if path not in inner)

    def _sort(self) -> None:
        composes: dict[str, dict[str, tuple[Fact, ...]]] = {}
        confs: dict[str, dict[str, tuple[Fact, ...]]] = {}
        resources: dict[str, dict[str, tuple[Fact, ...]]] = {}
        pins: dict[str, list[str]] = {}
        numbers = 0
        for path, found in self._facts.items():
            project = self._project[path]
            blocks = [fact for fact in found if isinstance(fact, Block)]
            for fact in found:
                if isinstance(fact, Usage) and fact.kind == "container":
                    _, _, folders, image, volumes = json.loads(fact.detail)
                    numbers += 1
                    for folder in {below(fact.place, one) for one in folders}:
                        self._containers.setdefault(folder, []).append(_Container(numbers, project, fact, image, volumes))
            if environments.is_compose_file(path, found):
                composes.setdefault(folder_of(path), {})[path] = found
            elif any(environments.is_resource(block) for block in blocks):
                resources.setdefault(project, {})[path] = found
            elif path not in self._code and any(_configures(block) for block in blocks):
                confs.setdefault(project, {})[path] = found
            elif path not in self._code and any(isinstance(fact, Dependency) for fact in found):
                pins.setdefault(project, []).append(path)
        self._seeds = {*self._code, *(path for groups in (composes, confs, resources) for files in groups.values() for path in files)}
        self._pins = Pins(self._facts, pins, self._project, self._boundaries, self._seeds)
        for files in composes.values():
            project = self._project[next(iter(files))]
            self._composes.setdefault(project, []).extend(environments.compose_environments(files))
        self._conf_folders: dict[str, list[str]] = {}
        for files in confs.values():
            for path in files:
                self._conf_folders.setdefault(folder_of(path), []).append(path)
        charts = self._charts = charts_of(self._facts)
        modules = self._modules = modules_of(self._facts)
        images = changes_of_images(self._facts)
        for project, files in confs.items():
            self._confs[project] = with_images(
                [one for found in environments.conf_environments(files) for one in filled(found, charts, modules)], images
            )
        for project, files in resources.items():
            self._resources[project] = with_images(
                [one for found in environments.resource_environments(files) for one in filled(found, charts, modules)], images
            )
        brokers: dict[str, list[tuple[str, Environment]]] = {}
        masters: dict[str, list[tuple[str, Environment]]] = {}
        for project, composed in self._composes.items():
            for environment in composed:
                if not environment.name and any(
                    isinstance(fact, Block) and (fact.engine, fact.role) == ("kafka", "broker") for fact in environment.facts
                ):
                    brokers.setdefault(project, []).append((environment.paths[0], environment))
                if not environment.name and any(isinstance(fact, Usage) and fact.kind == "spark-host" for fact in environment.facts):
                    masters.setdefault(project, []).append((environment.paths[0], environment))
        self._brokered = {project: Neighbours(some) for project, some in brokers.items()}
        self._mastered = {project: Neighbours(some) for project, some in masters.items()}

    # -- jobs ---------------------------------------------------------------------------------------------------------------------

    def declared(self, entry: dict[str, Any]) -> Job | None:
        """A job of the settings: the files its globs name."""
        wanted = matcher(tuple(entry["paths"]))
        paths = tuple(path for path in self._facts if wanted(path))
        if not paths:
            return None
        members = tuple(Member(path, "declared in the settings") for path in paths)
        return self._job([fact for path in paths for fact in self._facts[path]], entry["name"], "job", members)

    def jobs(self, declared: set[str]) -> Iterator[Job]:
        """A job for each main code file and setup of it, and for each resource that runs something that is not seen as code."""
        named: dict[str, list[Setup]] = {}
        for project in sorted(self._resources):
            for environment in self._resources[project]:
                targets = self._named_in(environment)
                for path in targets:
                    named.setdefault(path, []).append(Setup(environment, f"runs {posixpath.basename(path)}", True))
                if not targets and runs_something(environment.facts) and not declared.intersection(environment.paths):
                    yield self._of_resource(environment, project)
        for project in sorted(self._composes):
            for environment in self._composes[project]:
                for path in self._named_in(environment):
                    named.setdefault(path, []).append(Setup(environment, f"runs {posixpath.basename(path)}", True))
        for path in sorted(self._code):
            if path in declared:
                continue
            setups = [setup for setup in named.get(path, ()) if _concerns(setup.environment.facts, self._code[path])]
            around = setups or (self._sent_to(path) if self._code[path] == "beam" else self._nearest(path))
            bundles = _alternatives(around)
            for bundle in bundles:
                yield self._of_code(path, bundle, several=len({setups[0].environment.paths[0] for setups in bundles if setups}) > 1)

    def _of_code(self, path: str, setups: list[Setup], several: bool = False) -> Job:
        engine = self._code[path]
        members = [Member(path, "the code")]
        found: list[Fact] = _of_program(self._facts[path])
        if _is_one_cluster([setup.environment for setup in setups]):
            self._settled.update(at for setup in setups for at in setup.environment.paths)
        for at in self._imported.get(path, ()):
            members.append(Member(at, "imported"))
            found += self._facts[at]
        for setup in setups:
            for index, at in enumerate(setup.environment.paths):
                members.append(Member(at, _role(at, setup.why if index == 0 else "")))
            found += setup.environment.facts
        for setup in setups:
            self._add_parts(setup.environment, engine, members, found)
        session = [self._cluster_of(setup.environment) for setup in setups]
        for cluster in filter(None, session):
            members += [Member(at, "the session cluster") for at in cluster.paths]
            found += cluster.facts
        for at in self._launchers(path):
            if all(member.path != at for member in members):
                members.append(Member(at, STARTS))
                found += self._started(at, path)
        if path in self._targets.started_by:
            members.append(Member(self._targets.started_by[path], "the entry: what is started, and runs the code"))
        self._by_resource([setup.environment for setup in setups if setup.named], members)
        for at in self._pins.of(path, engine, {member.path for member in members}):
            if all(member.path != at for member in members):
                members.append(Member(at, "pins versions"))
                found += self._facts[at]
        for at in self._pins.ranges_of(path, engine):
            if all(member.path != at for member in members):
                members.append(Member(at, "names a range of versions"))
                found += self._facts[at]
        for at in self._brokers(path, {member.path for member in members}):
            members.append(Member(at, _BROKERS))
            parts = environments.Parts(self._facts[at])
            for block in [fact for fact in self._facts[at] if isinstance(fact, Block) and (fact.engine, fact.role) == ("kafka", "broker")]:
                found += parts.of(block)
        if engine == "spark":
            for at, facts in self._masters(path, found, {member.path for member in members if member.why != _BROKERS}):
                members.append(Member(at, MASTER))
                found += facts
            for at, facts in self._held(path).items():
                if all(member.path != at for member in members):
                    members.append(Member(at, _CONTAINER))
                found += facts
        environment = next((setup.environment.name for setup in setups if setup.environment.name), "")
        if not environment and several:  # two resources run one program: each is an environment of it
            environment = setups[0].environment.paths[-1]
        return self._job(found, path, "job", tuple(members), environment)

    def _of_resource(self, environment: Environment, project: str) -> Job:
        block = next(fact for fact in environment.facts if isinstance(fact, Block))
        found = list(environment.facts)
        members = [Member(path, _role(path, "the resource" if index == 0 else "")) for index, path in enumerate(environment.paths)]
        cluster = self._cluster_of(environment)
        if cluster is not None:
            members += [Member(path, "its session cluster") for path in cluster.paths if path not in environment.paths]
            found += [fact for fact in cluster.facts if fact not in found]
        self._by_resource([environment], members)
        # a Python program's packages are the project's, whether or not the program is seen
        python = any(isinstance(fact, Entry) and fact.kind == "python" for fact in environment.facts)
        for pin in self._pins.of(environment.paths[0], block.engine) if python else ():
            if all(member.path != pin for member in members):
                members.append(Member(pin, "pins versions"))
                found += self._facts[pin]
        name = f"{environment.paths[0]}: {block.name}" if block.name else environment.paths[0]
        return self._job(found, name, "job", tuple(members), environment.name)

    def clusters(self, declared: set[str]) -> Iterator[Job]:
        """The config of every cluster of which no job is known for certain: compose files, conf files, session clusters of the operator.

        What is right for a cluster is decided with its jobs, where there are some; `jobs` must have been gone through before.
        """
        mounted = {at for found in self._composes.values() for environment in found for at in self._brought(environment)}
        for project in sorted({*self._composes, *self._confs, *self._resources}):
            groups = [(environment, "the compose file") for environment in self._composes.get(project, ())]
            groups += [
                (environment, "the conf") for environment in self._confs.get(project, ()) if not mounted.issuperset(environment.paths)
            ]
            groups += [
                (environment, "the resource") for environment in self._resources.get(project, ()) if not runs_something(environment.facts)
            ]
            for environment, why in groups:
                at = environment.paths[0]
                if at.lower().endswith(".json") and self._tests(at):
                    continue  # what a test compares with runs nowhere
                if (
                    environment.paths[-1] not in declared
                    and environment.paths[-1] not in self._settled
                    and any(isinstance(fact, Block) and _configures(fact) for fact in environment.facts)
                ):
                    members = [Member(path, _role(path, why if index == 0 else "")) for index, path in enumerate(environment.paths)]
                    found = list(environment.facts)
                    self._add_parts(environment, "flink", members, found)
                    for pin in self._pins.of(at, "flink"):
                        if all(member.path != pin for member in members):
                            members.append(Member(pin, "pins versions"))
                            found += self._facts[pin]
                    for path, parses in self._operators(project) if len(groups) == 1 else ():
                        members.append(Member(path, _OPERATORS))
                        found += parses
                    first = next(fact for fact in environment.facts if isinstance(fact, Block))
                    name = f"{at}: {first.name}" if why == "the resource" and first.name else at
                    yield self._job(found, name, "cluster", tuple(members), environment.name)

    def _operators(self, project: str) -> Iterator[tuple[str, list[Fact]]]:
        """Of a project without a program, the files whose operators may fail at a record, with where they do: they run on its only cluster, whatever starts them."""
        if any(self._project[path] == project for path in self._code):
            return
        for path, found in self._facts.items():
            parses: list[Fact] = [fact for fact in found if isinstance(fact, Usage) and fact.kind == "unguarded-parse"]
            if parses and self._project[path] == project and not self._tests(path):
                yield path, parses

    def loose(self, covered: set[str]) -> Iterator[Job]:
        """Each file that belongs to no job, by itself: a template once for each values file of its chart, a conf with the volumes of who mounts it."""
        mounting: dict[str, list[Mount]] = {}
        for environment in (one for some in self._composes.values() for one in some):
            volumes = [fact for fact in environment.facts if isinstance(fact, Mount)]
            for at in self._brought(environment) if volumes else ():
                mounting.setdefault(at, []).extend(volumes)
        for path, found in self._facts.items():
            if path not in covered:
                blocks = [fact.id for fact in found if isinstance(fact, Block)] if path in mounting else []
                found += tuple(volume._replace(block=block) for block in blocks for volume in mounting[path])
                for environment in filled(Environment("", found, (path,)), self._charts, self._modules):
                    values = (Member(at, _role(at, "")) for at in environment.paths[1:])
                    members = (Member(path, "belongs to no known job"), *values)
                    yield self._job(list(environment.facts), path, "file", members, environment.name)

    def projects(self) -> Iterator[Job]:
        """All files of each project together, what scripts of those above it do with files, and what is sent to clusters above and below it."""
        grouped: dict[str, list[str]] = {}
        for path, project in self._project.items():
            grouped.setdefault(project, []).append(path)
        handed: dict[str, list[Fact]] = {}
        below: dict[str, list[Fact]] = {}
        for project, paths in grouped.items():
            usages = [fact for path in paths for fact in self._facts[path] if isinstance(fact, Usage)]
            shared = [usage for usage in usages if usage.kind in _SHARED]
            handed[project] = [*shared, *(usage for usage in usages if usage.kind in _DONE_TO_FILES)]
            for outer in self._boundaries.chain(project)[1:] if shared else ():
                below.setdefault(outer, []).extend(shared)
        for project, paths in sorted(grouped.items()):
            members = tuple(Member(path, "stands in the project") for path in paths)
            found = [fact for path in paths for fact in self._facts[path]] + below.get(project, [])
            for outer in self._boundaries.chain(project)[1:]:
                found += handed.get(outer, ())
            yield self._job(found, project or ".", "project", members)

    def _job(self, facts: list[Fact], name: str, kind: str, members: tuple[Member, ...], environment: str = "") -> Job:
        paths = tuple(dict.fromkeys(member.path for member in members))
        facts = noted(facts) if kind == "job" else facts
        return Job(facts, paths, name, kind, members, environment, outside(facts, paths, self._services))

    # -- what belongs together ----------------------------------------------------------------------------------------------------

    def _named_in(self, environment: Environment) -> list[str]:
        """The code files that the commands and fields of an environment name."""
        mounts = [fact for fact in environment.facts if isinstance(fact, Mount) and fact.kind == "bind"]
        found = []
        for fact in environment.facts:
            if isinstance(fact, Entry) and (path := self._targets.resolve(fact, mounts)) and path not in found:
                found.append(path)
        for _, context, facts in self._images(environment):
            copies = [fact for fact in facts if isinstance(fact, Mount) and fact.kind == "copy"]
            for fact in facts:
                if isinstance(fact, Entry) and (path := self._targets.resolve(fact, copies, context)) and path not in found:
                    found.append(path)
        return found

    def _add_parts(self, environment: Environment, engine: str, members: list[Member], found: list[Fact]) -> None:
        """Add the conf files that an environment's containers get, and the Dockerfiles that their images are built from."""
        taken = {member.path for member in members}
        for at, why in self._brought(environment).items():
            if at not in taken:
                taken.add(at)
                members.append(Member(at, why))
                found += self._facts[at]
        for at, _, facts in self._images(environment):
            if at not in taken and (_concerns(facts, engine) or _names_engine(facts, engine)):
                taken.add(at)
                members.append(Member(at, "builds its image"))
                found += facts
                self._settled.add(at)

    def _brought(self, environment: Environment) -> dict[str, str]:
        """The conf files that the services of a compose file mount, or that are copied into their images, each with why."""
        if (known := self._brought_cache.get(id(environment))) is not None:
            return known
        found: dict[str, str] = {}
        for fact in environment.facts:
            if isinstance(fact, Mount) and fact.kind == "bind" and (name := beside_it(fact)):
                local = posixpath.normpath(posixpath.join(folder_of(fact.place.path), name))
                for at in self._put(local, fact.path):
                    found.setdefault(at, "mounted as its conf")
        for _, context, facts in self._images(environment):
            for fact in facts:
                if isinstance(fact, Mount) and fact.kind == "copy":
                    local = posixpath.normpath(posixpath.join(context, fact.name))
                    for at in self._put(local, fact.path):
                        found.setdefault(at, "copied into its image")
        self._brought_cache[id(environment)] = found
        return found

    def _images(self, environment: Environment) -> list[tuple[str, str, tuple[Fact, ...]]]:
        """The Dockerfiles that the services of a compose file are built from: path, folder of the build context, facts."""
        known = self._image_cache.get(id(environment))
        if known is None:
            images: dict[str, tuple[str, str, tuple[Fact, ...]]] = {}
            for fact in environment.facts:
                if isinstance(fact, Entry) and fact.kind == "build":
                    folder = folder_of(fact.place.path)
                    at = posixpath.normpath(posixpath.join(folder, fact.target))
                    if at in self._facts and at not in images:
                        context = posixpath.normpath(posixpath.join(folder, fact.args[0]))
                        images[at] = (at, "" if context == "." else context, tuple(_with_arguments(self._facts[at], fact)))
            known = self._image_cache[id(environment)] = list(images.values())
        return known

    def _put(self, local: str, inside: str) -> list[str]:
        """The conf files that get into a container when a file or folder is put there at the path `inside`."""
        folder = "conf" in inside.lower()
        beside_it = self._conf_folders.get(folder_of(local), ())
        return [*(at for at in beside_it if at == local), *(self._conf_folders.get(local, ()) if folder else ())]

    def _nearest(self, path: str) -> list[Setup]:
        """The config of the project a code file stands in, or of the nearest project above it that has some."""
        project, folder = self._project[path], folder_of(path)
        # the same for all programs of a folder, but in that of the project, where each is a branch of its own
        key = (path if folder == project else folder, project, self._code[path], self._tests(path))
        if key not in self._nearest_cache:
            self._nearest_cache[key] = self._look_around(path, key[3])
        return self._nearest_cache[key]

    def _look_around(self, path: str, test: bool) -> list[Setup]:
        engine = self._code[path]
        for project in self._boundaries.chain(self._project[path]):
            suiting = self._suiting(project, engine, test)
            places = {at for at, _ in suiting}
            alone = len(places) == 1 and self._only_branch(project, min(places))
            near = (setup for setup in suiting.of(path) if self._near(path, setup.environment.paths[0], engine))
            found = [setup for _, setup in suiting] if alone else list(near)
            if found:
                mounted = {at for setup in found for at in self._brought(setup.environment)}
                built = {at for setup in found for at, _, _ in self._images(setup.environment)}
                found = [setup for setup in found if setup.environment.paths[0] not in built]
                return _nearest_conf(path, found, mounted)
        return []

    def _suiting(self, project: str, engine: str, test: bool) -> Neighbours[Setup]:
        """The config of an engine in a project, for a test or for what is none."""
        key = project, engine, test
        if key not in self._suiting_cache:
            found = [
                Setup(environment, "the nearest config", False)
                for environment in (*self._composes.get(project, ()), *self._confs.get(project, ()))
                if self._suits(environment, engine)
            ]
            sessions = [
                environment
                for environment in self._resources.get(project, ())
                if not runs_something(environment.facts) and self._suits(environment, engine)
            ]
            if len({environment.paths[0] for environment in sessions}) == 1:  # of several, nothing says which
                found += [Setup(environment, "the nearest session cluster", False) for environment in sessions]
            stands = [(setup.environment.paths[0], setup) for setup in found]
            self._suiting_cache[key] = Neighbours((at, setup) for at, setup in stands if test or not self._tests(at))
        return self._suiting_cache[key]

    def _only_branch(self, project: str, at: str) -> bool:
        """Whether all code of a project stands in one folder beside config, which is then for that code."""
        if project not in self._branch_cache:
            programs = list(self._targets.programs.below(project))
            self._branch_cache[project] = programs[0], programs[-1]
        # in order, so that what the first and the last have in common all have
        first, last = self._branch_cache[project]
        shared = min(common(at, first), common(at, last))
        return first.split("/")[shared] == last.split("/")[shared]

    def _near(self, path: str, at: str, engine: str) -> bool:
        """Whether config stands in line with a code file, or beside it in a folder for such things, and nothing nearer does."""
        if in_line(path, at) or not beside(path, at):
            return in_line(path, at)
        shared = common(path, at)
        branch = "/".join(path.split("/")[: shared + 1])
        if len(path.split("/")) <= shared + 1:
            return True
        if engine not in self._configured:
            found = (one for group in (self._composes, self._confs, self._resources) for some in group.values() for one in some)
            self._configured[engine] = Branches(one.paths[0] for one in found if self._suits(one, engine))
        return not self._configured[engine].any_below(branch)

    def _sent_to(self, path: str) -> list[Setup]:
        """The cluster that a Beam program names as its Flink master, else the nearest; none for another runner, or one that starts its own."""
        facts = [fact for at in (path, *self._launchers(path)) for fact in self._facts[at]]
        runners = {fact.trait("runner").lower() for fact in facts if isinstance(fact, Block) and fact.engine == "beam"} - {""}
        if runners and not any("flink" in runner or "portable" in runner for runner in runners):
            return []
        masters = {
            fact.text.strip() for fact in facts if isinstance(fact, Setting) and fact.key in ("flink_master", "flinkMaster") and fact.known
        }
        if masters and masters <= {"[local]", "[collection]"}:
            return []
        hosts = {(master.partition("://")[2] or master).partition(":")[0].partition(".")[0] for master in masters}
        hosts |= {host.removesuffix("-rest") for host in hosts}
        for project in self._boundaries.chain(self._project[path]):
            clusters = {id(one): one for host in sorted(hosts) for one in self._clusters_called(host, project)}.values()
            named = [Setup(environment, "the cluster it is sent to", False) for environment in clusters]
            if len({setup.environment.paths[0] for setup in named}) == 1:
                return named
        return self._nearest(path)

    def _clusters_called(self, name: str, project: str) -> list[Environment]:
        """The environments of a project that hold a cluster of Flink of this name."""
        if self._clusters_by_name is None:
            self._clusters_by_name = {}
            for at in {**self._composes, **self._resources}:
                for environment in (*self._composes.get(at, ()), *self._resources.get(at, ())):
                    called = [
                        fact.name
                        for fact in environment.facts
                        if isinstance(fact, Block) and fact.engine == "flink" and fact.role in ("cluster", "deployment")
                    ]
                    for host in dict.fromkeys(called):
                        self._clusters_by_name.setdefault((at, host), []).append(environment)
        return self._clusters_by_name.get((project, name), [])

    def _cluster_of(self, environment: Environment) -> Environment | None:
        """The session cluster that a session job is for."""
        wanted = {fact.text for fact in environment.facts if isinstance(fact, Setting) and fact.key == "spec.deploymentName" and fact.known}
        if not wanted:
            return None
        here = environment.paths[0]
        called = [one for name in sorted(wanted) for one in self._clusters_called(name, self._project[here])]
        near = sorted(called, key=lambda other: (other.paths[0] != here, -common(other.paths[0], here)))
        for other in near:
            for fact in other.facts:
                if isinstance(fact, Block) and fact.role == "deployment" and fact.name in wanted and other is not environment:
                    return other
        return None

    def _launchers(self, path: str) -> list[str]:
        """Scripts and make files whose commands start a code file, and compose files with a service that submits it to Spark."""
        if self._starters is None:
            self._starters = {}
            for at, facts in self._facts.items():
                entries = [fact for fact in facts if isinstance(fact, Entry)]
                if not entries or at in self._code or (at in self._seeds and not _submits(at, facts)):
                    continue
                for target in dict.fromkeys(self._targets.resolve(entry, []) for entry in entries):
                    self._starters.setdefault(target, []).append(at)
        return self._starters.get(path, [])

    def _started(self, at: str, path: str) -> list[Fact]:
        """What a file says of a program that it starts: all of it, but what belongs to other programs that it starts as well."""
        facts = self._facts[at]
        entries = [fact for fact in facts if isinstance(fact, Entry)]
        ours = {entry.block for entry in entries if self._targets.resolve(entry, []) == path}
        if classify(at) == "python" and len({entry.target for entry in entries}) <= 1:
            return list(facts)
        parts = environments.Parts(facts)
        if classify(at) == "python":  # a DAG sets nothing for all that it starts
            return [fact for block in facts if isinstance(block, Block) and block.id in ours for fact in parts.of(block)]
        others = {entry.block for entry in entries} - ours - {""}
        others |= {
            block.parent for block in facts if isinstance(block, Block) and block.id in others and block.trait("program") == "dataproc"
        }
        left = {id(fact) for block in facts if isinstance(block, Block) and block.id in others for fact in parts.of(block)}
        return [fact for fact in facts if id(fact) not in left]

    def _by_resource(self, found: list[Environment], members: list[Member]) -> None:
        """Add the DAGs whose operators name a resource's file."""
        taken = {member.path for member in members}
        for environment in found:
            for at, target in self._applied.get(posixpath.basename(environment.paths[0]), ()):
                if at not in taken and self._targets.means(at, target, environment.paths[0]):
                    taken.add(at)
                    members.append(Member(at, STARTS))

    def _suits(self, environment: Environment, engine: str) -> bool:
        """Whether an environment configures an engine."""
        key = (id(environment), engine)  # environments live as long as the finder
        if key not in self._suited:
            self._suited[key] = _concerns(environment.facts, engine)
        return self._suited[key]

    def _brokers(self, path: str, taken: set[str]) -> list[str]:
        """Compose files of the same project that hold the Kafka brokers and no more of the job."""
        brokers = self._brokered.get(self._project[path])
        return [
            environment.paths[0]
            for environment in (brokers.of(path) if brokers else ())
            if environment.paths[0] not in taken and not (_is_whole(environment) and any(is_compose(other) for other in taken))
        ]

    def _masters(self, path: str, facts: Iterable[Fact], taken: set[str]) -> list[tuple[str, list[Fact]]]:
        """The image of the compose service that is named as master, where one compose file of the project has such a service, and what its containers mount.

        A program that names no master is run by the containers of Spark that mount its folder. The driver of one that names it is in some container
        of that network: which, nobody says, so that what any of Spark's mounts counts.
        """
        masters = self._mastered.get(self._project[path])
        if masters is None:
            return []
        named = [fact.text for fact in facts if isinstance(fact, Setting) and fact.key in ("spark.master", "--master")]
        hosts = {host for text in named for host in _MASTER_HOST.findall(text)}
        found: list[tuple[str, list[Fact]]] = []
        for environment in masters.of(path) if hosts or not named else ():
            if not named and not _mounts_folder_of(environment, path):
                continue
            places = {
                fact.place
                for fact in environment.facts
                if isinstance(fact, Usage) and fact.kind == "spark-host" and (fact.detail in hosts or not named)
            }
            images = [fact for fact in environment.facts if isinstance(fact, Dependency) and fact.place in places]
            if not named:
                images = list({(image.name, image.version): image for image in reversed(images)}.values())
            mounts = [fact for fact in environment.facts if isinstance(fact, Mount) and not fact.block]
            found += [(environment.paths[0], [image, *mounts]) for image in images]
        return found if len(found) == 1 and found[0][0] not in taken else []

    def _held(self, path: str) -> dict[str, list[Fact]]:
        """By compose file, the containers that have a program's folder, built from it or with it in a mount: what they start, and their volumes."""
        chain = self._boundaries.chain(self._project[path])
        held = {one.number: one for folder in above(folder_of(path)) for one in self._containers.get(folder, ()) if one.project in chain}
        found: dict[str, list[Fact]] = {}
        for one in sorted(held.values(), key=lambda one: (chain.index(one.project), one.number)):
            at = one.usage.place
            starts = [fact for fact in self._facts.get(below(at, one.image), ()) if isinstance(fact, Usage) and fact.kind == "starts"]
            mounts = [Mount(path, kind, name, at) for kind, path, name in one.volumes]
            found.setdefault(at.path, []).extend([one.usage, *starts, *mounts])
        return found


def _mounts_folder_of(environment: Environment, path: str) -> bool:
    """Whether the containers of Spark in a compose file, which run neither Flink nor Kafka, mount a folder with the program; the whole project says nothing."""
    for fact in environment.facts:
        if isinstance(fact, Mount) and fact.kind == "bind" and not fact.block and (name := beside_it(fact)):
            folder = posixpath.normpath(posixpath.join(folder_of(fact.place.path), name))
            if folder != posixpath.normpath(folder_of(fact.place.path) or ".") and path.startswith(f"{folder}/"):
                return True
    return False


def _of_program(facts: Iterable[Fact]) -> list[Fact]:
    """The facts of a file's program: of one in a config map only what stands there, for other resources may stand beside it."""
    found = list(facts)
    whole = next((fact.place.span for fact in found if isinstance(fact, Usage) and fact.kind == "file-in-map"), None)
    if whole is None:
        return found
    starts = [fact.key_span.start if isinstance(fact, Setting) else fact.place.span.start for fact in found]
    return [fact for fact, start in zip(found, starts, strict=True) if whole.start <= start < whole.end]


def engine_of_code(facts: Iterable[Fact]) -> str:
    """The engine that a file's code is a job of; empty when it starts none (a module of helpers, table definitions alone)."""
    moves = any(isinstance(fact, Statement) and fact.kind in ("insert", "create-table-as") for fact in facts)
    for fact in facts:
        if isinstance(fact, Block) and fact.engine in _ENGINES:
            if fact.form in ("python", "java", "scala") and fact.role in ("job", "pipeline"):
                return fact.engine
            if fact.form == "sql" and fact.role == "session" and not fact.parent and moves:
                return fact.engine
    return ""


def runs_something(facts: Iterable[Fact]) -> bool:
    """Whether a resource describes a job and not a session cluster."""
    block = next((fact for fact in facts if isinstance(fact, Block)), None)
    if block is None or block.role != "deployment":
        return True
    if block.trait("operator") == "lyft":
        return True
    return any(isinstance(fact, Setting) and fact.key.startswith("spec.job.") for fact in facts)


def _configures(block: Block) -> bool:
    if block.trait("within"):  # the cluster of a workflow is for the jobs in it alone
        return False
    if block.role in ("application", "service"):
        return block.engine == ("spark" if block.role == "application" else "flink")
    return block.role in ("cluster", "defaults", "deployment", "sessionjob")


def _submits(path: str, facts: tuple[Fact, ...]) -> bool:
    """Whether this is a compose file with a service that submits a program to Spark."""
    submits = any(isinstance(fact, Block) and (fact.engine, fact.role) == ("spark", "submit") for fact in facts)
    return submits and environments.is_compose_file(path, facts)


def _concerns(facts: Iterable[Fact], engine: str) -> bool:
    wanted = "flink" if engine == "beam" else engine
    return any(isinstance(fact, Block) and fact.engine == wanted and _configures(fact) for fact in facts)


def _role(path: str, why: str) -> str:
    """Why a file of an environment belongs to the job; those after the first change what the first one says."""
    return why or ("fills in its values" if VALUES.fullmatch(path.rsplit("/", 1)[-1]) else "changes it")


def _alternatives(setups: list[Setup]) -> list[list[Setup]]:
    """The setups of one job each, what is special to it first.

    Environments over one base are jobs of their own, and so is each one that names the code. Of several compose files that each hold a
    whole cluster only one is up at a time.
    """
    if not setups:
        return [[]]
    named = [setup for setup in setups if setup.named]
    if named:
        return [[setup] for setup in named]
    bases: dict[str, list[Setup]] = {}
    for setup in setups:
        bases.setdefault(setup.environment.paths[0], []).append(setup)
    several = [group for group in bases.values() if len(group) > 1]
    if not several:
        whole = [group for at, group in bases.items() if is_compose(at) and _is_whole(group[0].environment)]
        several = [[setup for group in whole for setup in group]] if len(whole) > 1 else []
    if len(several) != 1:
        return [[group[0] for group in bases.values()]]
    rest = [group[0] for group in bases.values() if group[0] not in several[0]]
    return [[setup, *rest] for setup in several[0]]


def _is_whole(environment: Environment) -> bool:
    """Whether a compose file runs a JobManager of its own."""
    return any(isinstance(fact, Block) and fact.engine == "flink" and fact.trait("role") == "jobmanager" for fact in environment.facts)


def _is_one_cluster(found: list[Environment]) -> bool:
    """Whether configs make one cluster together: one compose file at most, one folder of conf files, and what a Dockerfile adds."""
    bases = {environment.paths[0] for environment in found if classify(environment.paths[0]) != "dockerfile"}
    composed = {path for path in bases if is_compose(path)}
    return len(composed) <= 1 and len(bases - composed) <= 1


def _names_engine(facts: Iterable[Fact], engine: str) -> bool:
    """Whether a Dockerfile builds on the engine's image, or installs the engine."""
    from shoal.readers.versions import engine_versions

    wanted = {engine, "flink"} if engine == "beam" else {engine}
    return any(isinstance(fact, Dependency) and any(name in wanted for name, _ in engine_versions(fact)) for fact in facts)


def _as_built(facts: dict[str, tuple[Fact, ...]]) -> dict[str, tuple[Fact, ...]]:
    """The facts of all files, those of a Dockerfile with the arguments that all its builds in compose files give it."""
    builds: dict[str, list[Entry]] = {}
    for path, found in facts.items():
        for fact in found:
            if isinstance(fact, Entry) and fact.kind == "build":
                builds.setdefault(posixpath.normpath(posixpath.join(folder_of(path), fact.target)), []).append(fact)
    return facts | {
        path: tuple(_with_arguments(facts[path], some[0]))
        for path, some in builds.items()
        if path in facts and len({build.args[1:] for build in some}) == 1 and some[0].args[1:]
    }


def _with_arguments(facts: Iterable[Fact], build: Entry) -> list[Fact]:
    """The facts of a Dockerfile with the build's arguments filled into the names of its base images and into the versions that it unpacks."""
    from shoal.readers.images import filled, unpacked

    given = dict(argument.partition("=")[::2] for argument in build.args[1:])
    kept = list(facts)
    ways = {"image-argument": filled, "archive-argument": unpacked}
    for fact in facts:
        way = ways.get(fact.kind) if isinstance(fact, Usage) else None
        if isinstance(fact, Usage) and way is not None and (found := way(fact.detail, given, build.place)):
            kept = [other for other in kept if other is not fact and not (isinstance(other, Dependency) and other.place == fact.place)]
            kept.append(found)
    return kept


def _nearest_conf(path: str, setups: list[Setup], mounted: set[str]) -> list[Setup]:
    """Of several folders with conf files those that are mounted, else the nearest: that of the code or above it, else the one least deep."""

    def far(at: str) -> tuple[bool, int]:
        folder = folder_of(at)
        below = bool(folder) and not folder_of(path).startswith(folder) and folder != folder_of(path)
        return below, at.count("/") if below else -at.count("/")

    bases = {setup.environment.paths[0] for setup in setups}
    confs = [at for at in bases if classify(at) == "flink-conf" or at.rsplit("/", 1)[-1].lower() in ("config.yaml", "spark-defaults.conf")]
    nearest = min((far(at) for at in confs), default=None)
    return [
        setup
        for setup in setups
        if (at := setup.environment.paths[0]) not in confs
        or (bool(mounted.intersection(setup.environment.paths)) if mounted else far(at) == nearest)
    ]
