"""Which config is for a program that nothing names: the nearest, the only one, or the cluster that the program is sent to."""

from __future__ import annotations

from shoal.classify import classify
from shoal.facts import Block, Setting
from shoal.jobs.boundaries import common, folder_of, is_compose
from shoal.jobs.environments import Environment
from shoal.jobs.images import Images
from shoal.jobs.index import Index
from shoal.jobs.kinds import concerns, is_whole, runs_something
from shoal.jobs.standing import Branches, Neighbours, beside, in_line
from shoal.jobs.starters import Starters
from shoal.records import NamedTuple


class Setup(NamedTuple):
    """What configures a job: an environment, why it does, and whether something names the job in it."""

    environment: Environment
    why: str
    named: bool


class Nearest:
    """The config around each program. `images` says what containers get, `starters` what starts a program."""

    def __init__(self, index: Index, images: Images, starters: Starters) -> None:
        self._index = index
        self._images = images
        self._starters = starters
        self._found: dict[tuple[str, str, str, bool], list[Setup]] = {}
        self._suiting_cache: dict[tuple[str, str, bool], Neighbours[Setup]] = {}
        self._suited: dict[tuple[int, str], bool] = {}
        self._branch_cache: dict[str, tuple[str, str]] = {}
        self._configured: dict[str, Branches] = {}  # engine -> files with config of it
        self._clusters_by_name: dict[tuple[str, str], list[Environment]] | None = None

    def of(self, path: str) -> list[Setup]:
        """The config of the project a code file stands in, or of the nearest project above it that has some."""
        project, folder = self._index.project[path], folder_of(path)
        # the same for all programs of a folder, but in that of the project, where each is a branch of its own
        key = (path if folder == project else folder, project, self._index.code[path], self._index.tests(path))
        if key not in self._found:
            self._found[key] = self._look_around(path, key[3])
        return self._found[key]

    def sent_to(self, path: str) -> list[Setup]:
        """The cluster that a Beam program names as its Flink master, else the nearest; none for another runner, or one that starts its own."""
        facts = [fact for at in (path, *self._starters.of(path)) for fact in self._index.facts[at]]
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
        for project in self._index.boundaries.chain(self._index.project[path]):
            clusters = {id(one): one for host in sorted(hosts) for one in self._clusters_called(host, project)}.values()
            named = [Setup(environment, "the cluster it is sent to", False) for environment in clusters]
            if len({setup.environment.paths[0] for setup in named}) == 1:
                return named
        return self.of(path)

    def cluster_of(self, environment: Environment) -> Environment | None:
        """The session cluster that a session job is for."""
        wanted = {fact.text for fact in environment.facts if isinstance(fact, Setting) and fact.key == "spec.deploymentName" and fact.known}
        if not wanted:
            return None
        here = environment.paths[0]
        called = [one for name in sorted(wanted) for one in self._clusters_called(name, self._index.project[here])]
        near = sorted(called, key=lambda other: (other.paths[0] != here, -common(other.paths[0], here)))
        for other in near:
            for fact in other.facts:
                if isinstance(fact, Block) and fact.role == "deployment" and fact.name in wanted and other is not environment:
                    return other
        return None

    def _look_around(self, path: str, test: bool) -> list[Setup]:
        engine = self._index.code[path]
        for project in self._index.boundaries.chain(self._index.project[path]):
            suiting = self._suiting(project, engine, test)
            places = {at for at, _ in suiting}
            alone = len(places) == 1 and self._only_branch(project, min(places))
            near = (setup for setup in suiting.of(path) if self._near(path, setup.environment.paths[0], engine))
            found = [setup for _, setup in suiting] if alone else list(near)
            if found:
                mounted = {at for setup in found for at in self._images.brought(setup.environment)}
                built = {at for setup in found for at, _, _ in self._images.of(setup.environment)}
                found = [setup for setup in found if setup.environment.paths[0] not in built]
                return _nearest_conf(path, found, mounted)
        return []

    def _suiting(self, project: str, engine: str, test: bool) -> Neighbours[Setup]:
        """The config of an engine in a project, for a test or for what is none."""
        key = project, engine, test
        if key not in self._suiting_cache:
            found = [
                Setup(environment, "the nearest config", False)
                for environment in (*self._index.composes.get(project, ()), *self._index.confs.get(project, ()))
                if self._suits(environment, engine)
            ]
            sessions = [
                environment
                for environment in self._index.resources.get(project, ())
                if not runs_something(environment.facts) and self._suits(environment, engine)
            ]
            if len({environment.paths[0] for environment in sessions}) == 1:  # of several, nothing says which
                found += [Setup(environment, "the nearest session cluster", False) for environment in sessions]
            stands = [(setup.environment.paths[0], setup) for setup in found]
            self._suiting_cache[key] = Neighbours((at, setup) for at, setup in stands if test or not self._index.tests(at))
        return self._suiting_cache[key]

    def _only_branch(self, project: str, at: str) -> bool:
        """Whether all code of a project stands in one folder beside config, which is then for that code."""
        if project not in self._branch_cache:
            programs = list(self._index.targets.programs.below(project))
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
            found = (
                one for group in (self._index.composes, self._index.confs, self._index.resources) for some in group.values() for one in some
            )
            self._configured[engine] = Branches(one.paths[0] for one in found if self._suits(one, engine))
        return not self._configured[engine].any_below(branch)

    def _clusters_called(self, name: str, project: str) -> list[Environment]:
        """The environments of a project that hold a cluster of Flink of this name."""
        if self._clusters_by_name is None:
            self._clusters_by_name = {}
            for at in {**self._index.composes, **self._index.resources}:
                for environment in (*self._index.composes.get(at, ()), *self._index.resources.get(at, ())):
                    called = [
                        fact.name
                        for fact in environment.facts
                        if isinstance(fact, Block) and fact.engine == "flink" and fact.role in ("cluster", "deployment")
                    ]
                    for host in dict.fromkeys(called):
                        self._clusters_by_name.setdefault((at, host), []).append(environment)
        return self._clusters_by_name.get((project, name), [])

    def _suits(self, environment: Environment, engine: str) -> bool:
        """Whether an environment configures an engine."""
        key = (id(environment), engine)  # environments live as long as the finder
        if key not in self._suited:
            self._suited[key] = concerns(environment.facts, engine)
        return self._suited[key]


def alternatives(setups: list[Setup]) -> list[list[Setup]]:
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
        whole = [group for at, group in bases.items() if is_compose(at) and is_whole(group[0].environment)]
        several = [[setup for group in whole for setup in group]] if len(whole) > 1 else []
    if len(several) != 1:
        return [[group[0] for group in bases.values()]]
    rest = [group[0] for group in bases.values() if group[0] not in several[0]]
    return [[setup, *rest] for setup in several[0]]


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
