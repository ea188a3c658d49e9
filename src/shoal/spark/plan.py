"""What travels from the driver to executors, and how paths and texts travel in rows."""

from __future__ import annotations

import argparse
import json
import os
from functools import lru_cache
from typing import TYPE_CHECKING

from shoal import __version__, rulebooks
from shoal.digests import blake2b
from shoal.records import NamedTuple
from shoal.rulebook import Rulebook
from shoal.settings import Settings

if TYPE_CHECKING:
    from shoal.changes import Changes

# Stands for the folders of a path while a content is checked that occurs at several paths.
STAND_IN = "shoal-stands-in-for-any-folder-9d1f4c"
# Folders by which readers tell a file's meaning: below them a content is checked for each path by itself.
_TELLING = ("archetype-resources", "pyflink", "pyspark", "apache_beam")


class Plan(NamedTuple):
    """Plain data only: executors load the rules from the shoal that is installed there, and must come to the same digest.

    `rules` are the ids of the rules that may be enabled; `trusted` the folders of further rules named on the command line;
    `paths` what was asked for of a local folder (absolute), empty for other inputs; `baseline` are (fingerprint, rule, path, times),
    `baseline_name` its file. `tables`: describe what only tables hold, too. `several`: there may be several trees, so fingerprints must tell
    them apart; `shared` are the repositories that are read at several revisions, `base` the folder from which their paths count.
    `arguments` is what the command line adds to the settings of each repository (JSON), with the revision of --changed-since; `changes` are
    those of a folder. `contents` names what results of contents depend on: rules and some of the settings. `environments` are the
    virtual environments of a folder that only Spark sees.
    """

    settings: Settings
    rules: tuple[str, ...]
    digest: str
    version: str = __version__
    trusted: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    root: str = ""
    force_exclude: bool = False
    baseline: tuple[tuple[str, str, str, int], ...] = ()
    baseline_name: str = ""
    tables: bool = False
    several: bool = False
    shared: tuple[str, ...] = ()
    base: str = ""
    arguments: str = "{}"
    contents: str = ""
    changes: Changes | None = None
    environments: tuple[str, ...] = ()


class OtherShoal(Exception):
    """The executors have another shoal, or other rules, than the driver."""


@lru_cache(maxsize=4)
def rulebook_of(rules: tuple[str, ...], digest: str, version: str, trusted: tuple[str, ...], paths: str, packages: str) -> Rulebook:
    settings = Settings(rule_paths=tuple(json.loads(paths)), rule_packages=tuple(json.loads(packages)))
    book = rulebooks.load(settings, trusted)
    if version != __version__ or book.digest != digest:
        raise OtherShoal(
            f"the executors have shoal {__version__} with rules {book.digest[:12]}, the driver has shoal {version} with rules {digest[:12]}: "
            "install the same wheel on both (and put folders of rules where both find them)"
        )
    wanted = frozenset(rules)
    return book.only(lambda rule: rule.id in wanted)


def rulebook(plan: Plan) -> Rulebook:
    """The rules of a plan, loaded once in a process. Raises OtherShoal when they are not those of the driver."""
    settings = plan.settings
    return rulebook_of(
        plan.rules, plan.digest, plan.version, plan.trusted, json.dumps(settings.rule_paths), json.dumps(settings.rule_packages)
    )


_own: dict[str, tuple[Plan, Plan]] = {}


def plan_in(plan: Plan, settings: str) -> Plan:
    """The plan of one tree, with the settings file that stands in it: JSON [file, texts by path, root], empty for none."""
    if not settings:
        return plan
    known = _own.get(settings)
    if known is None or known[0] != plan:
        rulebook(plan)  # what is installed here must be what the driver has
        file, texts, root = json.loads(settings)
        from shoal.commands import common

        arguments = argparse.Namespace(**json.loads(plan.arguments))
        where = common.in_file(arguments, file, lambda path: str(texts[path]).encode("utf-8", "surrogateescape"), root)
        rules = tuple(rule.id for rule in where.rulebook.only(where.settings.ever_enabled))
        if len(_own) > 100:
            _own.clear()
        known = _own[settings] = (plan, plan._replace(settings=where.settings, rules=rules, digest=where.rulebook.digest))
    return known[1]


def checked_as(path: str, settings: Settings) -> str:
    """The path under which a content is checked: the same for all paths between which no reader or rule of one file can tell.

    A file's own name and its folder's name stay. With overrides in the settings, rules depend on the whole path.
    """
    if settings.overrides or any(word in path for word in _TELLING):
        return path
    return "/".join((STAND_IN, *path.split("/")[-2:]))


def key_of(digest: str, kind: str, named: bool, shown: str, settings: str = "") -> str:
    """What a content's result is known by; `shown` is the path under which it is checked, `settings` the tree's own."""
    mark = blake2b(settings.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest() if settings else ""
    return f"{digest}:{kind}:{'named' if named else ''}{mark}:{shown}"


def shown_of(key: str) -> str:
    return key.split(":", 3)[3]


def relocate(packed: str, shown: str, path: str) -> str:
    """A packed result (JSON) as if its content had stood at `path`."""
    if shown == path:
        return packed
    return packed.replace(json.dumps(shown)[1:-1], json.dumps(path)[1:-1])


def column(text: str) -> str:
    """A text as a column can hold it: what is not Unicode (a file name in Latin-1) is written as NUL and a JSON string."""
    if text.isascii() and text[:1] != "\0":
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return "\0" + json.dumps(text)
    return "\0" + json.dumps(text) if text[:1] == "\0" else text


def text_of(value: str) -> str:
    """The inverse of `column`."""
    if value[:1] != "\0":
        return value
    try:
        return str(json.loads(value[1:]))
    except ValueError:  # a table's own text that begins like this
        return value


def whole(plan: Plan) -> bool:
    """Whether all of the project was asked for."""
    return not plan.paths or any(os.path.abspath(path) == plan.root for path in plan.paths)
