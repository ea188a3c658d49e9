"""`shoal completion SHELL`: a completion script."""

from __future__ import annotations

import argparse
import sys

import shtab

from shoal.cli import CLEAN, parser


def run(arguments: argparse.Namespace) -> int:
    whole = parser()
    commands = next(action for action in whole._actions if isinstance(action, argparse._SubParsersAction))
    for command in commands.choices.values():
        for action in command._actions:
            if action.metavar in ("PATH", "FILE"):
                action.complete = shtab.FILE
            elif action.metavar == "DIR":
                action.complete = shtab.DIRECTORY
    sys.stdout.write(shtab.complete(whole, shell=arguments.shell) + "\n")
    return CLEAN
