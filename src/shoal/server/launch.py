"""Starts the process that reads files. Imports next to nothing, so that it can be started while the server itself is still being loaded."""

from __future__ import annotations

import os
import subprocess
import sys


def start(once: bool = False) -> subprocess.Popen[bytes]:
    """The process, with pipes; `once`: it is asked one thing and need not be ready for Python files at once.

    The scanned folder may be the working directory: it must never be where modules come from.
    """
    here = os.getcwd()
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    paths = [path for path in sys.path if path and (os.path.abspath(path) != here or here == package)]
    if package not in paths:
        paths.append(package)
    warm = "" if once else "worker.warm(); "
    code = f"import sys; sys.path[:] = {paths!r}; from shoal.server import worker; {warm}worker.main()"
    return subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
