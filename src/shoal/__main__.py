"""`python -m shoal`."""

import os
import sys

if sys.path and sys.path[0] in ("", os.getcwd()):  # `-m` puts the scanned folder first; nothing may be imported from there
    del sys.path[0]

from shoal.cli import program

program()
