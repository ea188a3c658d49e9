"""The files of a run, sorted by what they are for a job: code, compose files, conf files, resources, and what says versions."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from shoal.classify import classify
from shoal.facts import Block, Dependency, Fact, Setting
from shoal.jobs import environments
from shoal.jobs.boundaries import Boundaries, folder_of
from shoal.jobs.charts import charts_of, filled
from shoal.jobs.dockerfiles import as_built
from shoal.jobs.environments import Environment
from shoal.jobs.imports import Classes, imports_of
from shoal.jobs.kinds import configures, engine_of_code
from shoal.jobs.kustomizations import changes_of_images, with_images
from shoal.jobs.outside import service_folders
from shoal.jobs.pins import Pins
from shoal.jobs.playbooks import is_template, variables_of, with_variables
from shoal.jobs.targets import Targets
from shoal.jobs.terraform_modules import modules_of
from shoal.paths import Paths


class Index:
    """`facts`: of the files that have some; `project`: where each of them belongs; `code`: the engine of each program; `imported`: what a program imports.

    `composes`, `confs` and `resources` are the environments of each project, `conf_folders` the conf files by their folders, `scripts` those of SQL
    that set options. `seeds` are all files with
    code or config. `tests` says which paths are tests.
    """

    def __init__(self, paths: Paths, facts: dict[str, tuple[Fact, ...]], tests: Callable[[str], bool]) -> None:
        self.tests = tests
        self.services = service_folders(paths)
        self.facts = facts = as_built(facts)
        self.boundaries = Boundaries(paths)
        self.project = {path: self.boundaries.project(path) for path in facts}
        self.code = {
            path: engine
            for path, found in facts.items()
            if not (tests(path) and classify(path) in ("python", "notebook", "java")) and (engine := engine_of_code(found))
        }
        self.code.update(dict.fromkeys(self._with_sessions_elsewhere(), "spark"))
        called = list(self.code)
        classes = Classes(self.project, self.boundaries)
        self.imported = {path: imports_of(path, facts, self.project[path], classes) for path in self.code}
        # what another job's code imports is a part of that job, and no job of its own
        for inner in {inner for path, found in self.imported.items() for inner in found if path not in self.imported.get(inner, ())}:
            self.code.pop(inner, None)
        self.targets = Targets(facts, self.code, called, self.project, self.boundaries, paths, tests)
        self.charts = charts_of(facts)
        self.modules = modules_of(facts)
        self.variables = variables_of(facts, self.project)
        self.composes: dict[str, list[Environment]] = {}
        self.confs: dict[str, list[Environment]] = {}
        self.resources: dict[str, list[Environment]] = {}
        self.conf_folders: dict[str, list[str]] = {}
        self.scripts: dict[str, list[str]] = {}
        self._sort()

    def _with_sessions_elsewhere(self) -> Iterator[str]:
        """The programs whose session another module makes, which starts no query itself: those of its importers that nobody imports."""
        makers = {
            path
            for path, engine in self.code.items()
            if engine == "spark"
            and path.endswith(".py")
            and not any(isinstance(fact, Block) and fact.role == "writer" for fact in self.facts[path])
        }
        projects = {self.project[path] for path in makers}
        importers: dict[str, list[str]] = {}
        for path, project in self.project.items():
            if project in projects and path.endswith(".py") and path not in self.code and not self.tests(path):
                found = imports_of(path, self.facts, project)
                if not makers.isdisjoint(found):
                    importers[path] = found
        inner = {path for found in importers.values() for path in found}
        yield from (path for path in importers if path not in inner)

    def _sort(self) -> None:
        composes: dict[str, dict[str, tuple[Fact, ...]]] = {}
        confs: dict[str, dict[str, tuple[Fact, ...]]] = {}
        resources: dict[str, dict[str, tuple[Fact, ...]]] = {}
        pins: dict[str, list[str]] = {}
        for path, found in self.facts.items():
            project = self.project[path]
            blocks = [fact for fact in found if isinstance(fact, Block)]
            if (
                path.endswith(".sql")
                and any(block.role == "session" for block in blocks)
                and any(isinstance(fact, Setting) for fact in found)
            ):
                self.scripts.setdefault(folder_of(path), []).append(path)
            if environments.is_compose_file(path, found):
                composes.setdefault(folder_of(path), {})[path] = found
            elif any(environments.is_resource(block) for block in blocks):
                resources.setdefault(project, {})[path] = found
            elif path not in self.code and any(configures(block) for block in blocks):
                confs.setdefault(project, {})[path] = found
                self.conf_folders.setdefault(folder_of(path), []).append(path)
            elif path not in self.code and any(isinstance(fact, Dependency) for fact in found):
                pins.setdefault(project, []).append(path)
        self.seeds = {*self.code, *(path for groups in (composes, confs, resources) for files in groups.values() for path in files)}
        self.pins = Pins(self.facts, pins, self.project, self.boundaries, self.seeds)
        for files in composes.values():
            project = self.project[next(iter(files))]
            self.composes.setdefault(project, []).extend(environments.compose_environments(files))
        images = changes_of_images(self.facts)
        for grouped, read, into in (
            (confs, environments.conf_environments, self.confs),
            (resources, environments.resource_environments, self.resources),
        ):
            for project, files in grouped.items():
                into[project] = with_images([one for found in read(files) for one in self.filled(found)], images)

    def filled(self, environment: Environment) -> list[Environment]:
        """An environment for each values file of its chart and for each use of its Terraform module; itself where there is none."""
        made = list(filled(environment, self.charts, self.modules))
        path = environment.paths[0]
        variables = self.variables.get(self.project.get(path, ""), {}) if is_template(path) else {}
        return [with_variables(environment, variables)] if variables and made == [environment] else made
