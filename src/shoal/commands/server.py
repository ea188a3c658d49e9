"""`shoal server`: a language server over standard input and output."""

from __future__ import annotations

import argparse
import gc
import os
import sys

from shoal.cli import CLEAN, UsageError


def run(arguments: argparse.Namespace) -> int:
    gc.set_threshold(50_000, 20, 20)  # unlike other commands it goes on for days
    here = os.getcwd()  # often the scanned folder: no module may come from there
    own = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    sys.path[:] = [path for path in sys.path if path and (os.path.abspath(path) != here or here == own)]
    from shoal.server.launch import start

    process = start()  # it takes as long to load as what follows, so both load at once
    try:
        from shoal.server.main import serve
    except ModuleNotFoundError as error:
        process.kill()
        if error.name and error.name.partition(".")[0] in ("pygls", "lsprotocol", "cattrs", "attrs"):
            raise UsageError("the language server needs more packages: pip install 'shoal[server]'") from error
        raise
    serve(process)
    return CLEAN
