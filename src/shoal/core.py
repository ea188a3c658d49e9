"""The one core that every host wraps: `check_source` for a file, `conclude` for what only the whole set can tell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from shoal import gate
from shoal.context import Context
from shoal.derive import derive
from shoal.facts import Fact, Usage
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import CONFIDENCES, FileResult, Finding, Place, Problem, Source, Span, Told
from shoal.readers import READERS, Reading, read
from shoal.rulebook import Rule, Rulebook, RuleLoadError, built_in
from shoal.suppress import Suppression, apply, suppressions

if TYPE_CHECKING:
    from shoal.changes import Touched
    from shoal.conclusions import Conclusions
    from shoal.paths import Paths
    from shoal.settings import Settings


# Java writes `min-pause` as `minPause` in a method's name and as `MIN_PAUSE` in a constant's.
_JOINTS = str.maketrans("", "", "-_.")
_WORD = pattern(r"\w+")


def check_source(source: Source, rulebook: Rulebook, settings: Settings, told: Told | None = None) -> FileResult:
    """Read one file and run the file-scope rules over it. Never raises for what the file holds.

    Findings come unsorted and without suppressions applied; comments travel among the facts to `conclude`. `told`: what other files say
    about this one (`across.tell`), for the second look at it.
    """
    concerns = gate.passes(source.kind, source.data, rulebook.engines)
    if source.kind not in READERS or not (told or concerns):
        return FileResult(source.path)
    reading, decoded = read(source, told, concerns)
    facts = derive(reading.facts)
    if settings.assume:
        from shoal.assume import assumed

        facts = assumed(facts, *settings.assume)
    findings: list[Finding] = []
    problems = list(reading.problems)
    if facts or reading.module is not None:
        job = Job(facts, (source.path,))
        lowered = decoded.text.lower()
        if told:  # what a file is told counts as if it stood there
            lowered = "\n".join((lowered, *(text.lower() for text in (*(value for _, value in told.constants), *told.runs, *told.given))))
        words = _Words(lowered, source.kind == "java")
        for rule in rulebook.rules:
            if rule.scope != "file" or rule.use == "suppression" or (reading.module is None if rule.code else not facts):
                continue
            if reading.aside and not (told and (told.runs or told.given) and rule.code):
                continue
            if rule.needs and not words.any(rule.needs):
                continue
            if settings.enabled(rule, source.path):
                run(rule, rulebook, job, settings, source.path, findings, problems, reading)
    if reading.module is not None:
        from shoal.python import elsewhere

        facts += elsewhere.asked(reading.module)  # type: ignore[arg-type]
        if reading.aside:
            findings = elsewhere.where_told(reading.module, findings)  # type: ignore[arg-type]
    comments: list[Fact] = list(suppressions(source.path, decoded.text))  # type: ignore[arg-type]
    return FileResult(source.path, tuple(findings), tuple(facts + comments), tuple(problems), tuple(reading.left_out), told)


class _Words:
    """Which of the words that hundreds of rules need stand somewhere in a text; `joined`: as Java writes them.

    Looking for one is a pass over the text, so it is looked for in a list of the words that the text is made of, a fraction of it.
    """

    def __init__(self, lowered: str, joined: bool) -> None:
        self._text = lowered.translate(_JOINTS) if joined else lowered
        self._joined = joined
        self._each = "\n".join(set(_WORD.findall(self._text)))
        self._held: dict[str, bool] = {}

    def any(self, needs: Iterable[str]) -> bool:
        """Whether the text has one of them, be it as a part of a longer word."""
        for need in needs:
            found = self._held.get(need)
            if found is None:
                found = self._held[need] = self._has(need.translate(_JOINTS) if self._joined else need)
            if found:
                return True
        return False

    def _has(self, word: str) -> bool:
        return word in self._each or (not word.replace("_", "").isalnum() and word in self._text)


def run(
    rule: Rule,
    rulebook: Rulebook,
    job: Job,
    settings: Settings,
    path: str,
    findings: list[Finding],
    problems: list[Problem],
    reading: Reading | None = None,
) -> None:
    """Run one rule over one job. A rule that fails is a problem; the other rules still run."""
    if rule.asks is not None and not job.answers(rule.asks):
        return
    try:
        check = rulebook.check(rule)
        context = Context(rule, settings.options(rule.id, path), reading.module if reading else None)
        found = list(check(job, context))
        if stranger := next((each for each in found if not isinstance(each, Finding)), None):
            raise TypeError(f"{stranger!r} is no finding")
    except RuleLoadError as error:
        problems.append(Problem(path, "rule-failed-to-load", f"{rule.id}: {error}", help=f"correct {rule.folder}, or ignore the rule"))
    except (Exception, SystemExit) as error:
        help = "please report this with the file" if built_in(rule) else f"correct {rule.folder}, or ignore the rule"
        problems.append(Problem(path, "rule-crashed", f"{rule.id} failed here: {type(error).__name__}: {error}", help=help))
    else:
        findings += found


def conclude(
    results: Iterable[FileResult],
    rulebook: Rulebook,
    settings: Settings,
    texts: Mapping[str, str],
    memory: Conclusions | None = None,
    touched: Touched | None = None,
    paths: Paths | None = None,
    jobs: Iterable[Job] | None = None,
) -> tuple[list[Finding], list[Problem]]:
    """Run the job-scope rules over all results, apply suppressions, and finish the findings: fingerprints, severities, order.

    `paths` are all that were looked at, where `results` are only those that say something. `texts` gives the decoded text of files that hold
    suppression comments; `memory` knows what was found in jobs that have not changed; `touched` takes note of what was found in which job.
    `jobs` are those in the results, where they are known already.
    """
    kept = list(results)
    findings = [finding for result in kept for finding in result.findings]
    problems = [problem for result in kept for problem in result.problems]
    run_jobs(kept, rulebook, settings, findings, problems, memory, touched, paths, jobs)
    comments = [fact for result in kept for fact in result.facts if isinstance(fact, Suppression)]
    unread = {problem.path for problem in problems}
    finished = [settings.adjust(finding) for finding in apply(findings, comments, rulebook, texts, settings.enabled, unread)]
    return identify(_once(finished)), sorted(set(problems))


def run_jobs(
    results: list[FileResult],
    rulebook: Rulebook,
    settings: Settings,
    findings: list[Finding],
    problems: list[Problem],
    memory: Conclusions | None = None,
    touched: Touched | None = None,
    paths: Paths | None = None,
    jobs: Iterable[Job] | None = None,
) -> None:
    """Find the jobs in all results and run the rules of scope `job` over each, those of scope `project` over each project.

    What a rule finds counts where its primary place stands. One thing found in several jobs is said once, as surely as in any of them.
    """
    rules = [rule for rule in rulebook.rules if rule.scope != "file"]
    if not any(result.facts for result in results) or not (rules or _has_chart(results)):
        return
    best: dict[tuple[str, Place], list[Finding]] = {}
    by_id = {rule.id: rule for rule in rules}
    for job in grouped(results, settings, paths, problems) if jobs is None else jobs:
        name = memory.name(job) if memory else ""
        found = memory.known(name) if memory else None
        if found is None:
            found, failed = _concluded(job, rules, rulebook, settings)
            problems += failed
            if memory and not failed:
                memory.keep(name, found)
        if touched:
            touched.job(job, found)
        groups: dict[tuple[str, Place], list[Finding]] = {}
        for finding in found:
            rule = by_id.get(finding.rule)
            if rule is None or settings.enabled(rule, finding.primary.path):
                groups.setdefault((finding.rule, finding.primary), []).append(finding)
        for key, group in groups.items():
            if key not in best or _surest(best[key]) < _surest(group):
                best[key] = group
    known = {(finding.rule, finding.primary.path, finding.primary.span) for finding in findings}
    findings += (
        finding for group in best.values() for finding in group if (finding.rule, finding.primary.path, finding.primary.span) not in known
    )


def grouped(results: list[FileResult], settings: Settings, paths: Paths | None, problems: list[Problem]) -> Iterator[Job]:
    """The jobs in all results. Should putting files together fail, that is a problem; what was found before, and in single files, counts."""
    from shoal.jobs.find import jobs_of

    try:
        yield from jobs_of(results, settings, paths)
    except Exception as error:
        message = f"files could not be put together into jobs: {type(error).__name__}: {error}"
        problems.append(Problem("", "grouping-crashed", message, help="please report this, with a tree in which it happens"))


def _concluded(job: Job, rules: list[Rule], rulebook: Rulebook, settings: Settings) -> tuple[list[Finding], list[Problem]]:
    """What the rules find in one job, or in one project."""
    found: list[Finding] = []
    problems: list[Problem] = []
    for rule in rules:
        if (rule.scope == "project") == (job.kind == "project") and any(engine in job.engines for engine in rule.engines):
            run(rule, rulebook, job, settings, job.paths[0], found, problems)
    return [*_filled_in(job, found, rulebook, settings, problems)], problems


def _has_chart(results: list[FileResult]) -> bool:
    return any(isinstance(fact, Usage) and fact.kind in ("chart-value", "playbook-variable") for result in results for fact in result.facts)


_NAMED = {".tf": "the variable's default"}


def _filled_in(job: Job, concluded: list[Finding], rulebook: Rulebook, settings: Settings, problems: list[Problem]) -> Iterator[Finding]:
    """What is concluded, and what the rules of scope `file` find in templates once a chart's values are filled in: only what is about these values.

    What is about a value says where it stands.
    """
    from shoal.jobs.charts import filled_in

    values = filled_in(job)
    for finding in concluded:
        yield _about_values(finding, values) or finding
    # what is in a project is in a job of its own, or stands by itself
    for path in sorted({path for path, _ in values}) if job.kind != "project" else ():
        part = job.in_file(path)
        found: list[Finding] = []
        for rule in rulebook.rules:
            if rule.scope == "file" and not rule.code and rule.use != "suppression" and settings.enabled(rule, path):
                run(rule, rulebook, part, settings, path, found, problems)
        yield from filter(None, (_about_values(finding, values) for finding in found))


def _about_values(finding: Finding, values: dict[tuple[str, Span], list[Place]]) -> Finding | None:
    """A finding with where the values that it is about stand; None for one that is about none. An edit would be of the template."""
    about = [origin for place in finding.places for origin in values.get((place.path, place.span), ())]
    if not about:
        return None
    elsewhere = [origin for origin in dict.fromkeys(about) if all(origin[:2] != place[:2] for place in finding.places)]
    origins = (
        origin._replace(role="related", label=origin.label or _NAMED.get(origin.path[-3:], "the chart's value")) for origin in elsewhere
    )
    return finding._replace(places=(*finding.places, *origins), fixes=())


def _surest(findings: list[Finding]) -> int:
    return max(CONFIDENCES.index(finding.confidence) for finding in findings)


def _once(findings: Iterable[Finding]) -> list[Finding]:
    """In order, and each once: what a rule says of one place in the same words is one finding, as sure as its surest and with what it shows first."""

    def shown(finding: Finding) -> tuple[Any, ...]:
        more = [(place.path, place.span.start, place.span.end, place.label) for place in finding.places[1:]]
        return order(finding), -CONFIDENCES.index(finding.confidence), more

    told: dict[tuple[str, int, int, str, str], Finding] = {}
    for finding in sorted(set(findings), key=shown):
        told.setdefault(order(finding), finding)
    return list(told.values())


def order(finding: Finding) -> tuple[str, int, int, str, str]:
    """What findings are sorted by."""
    place = finding.primary
    return place.path, place.span.start, place.span.end, finding.rule, finding.message


def identify(findings: list[Finding]) -> list[Finding]:
    """Give each finding its fingerprint: rule, path, what it is about and, among equals, which one. Lines may move freely."""
    if not findings:
        return []
    from shoal.digests import sha256

    counts: dict[tuple[str, str, str], int] = {}
    named = []
    for finding in findings:
        anchor = (finding.rule, finding.primary.path, finding.fingerprint)
        counts[anchor] = counts.get(anchor, 0) + 1
        digest = sha256("\0".join((*anchor, str(counts[anchor]))).encode("utf-8", "surrogatepass")).hexdigest()
        named.append(finding._replace(fingerprint=digest[:20]))
    return named
