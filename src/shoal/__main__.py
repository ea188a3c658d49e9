"""`python -m shoal`."""

import os
import sys

try:
    here = os.getcwd()
except OSError:  # it is gone, which the command says
    here = ""
if sys.path and sys.path[0] in ("", here):  # `-m` puts the scanned folder first; nothing may be imported from there
    del sys.path[0]

from shoal.cli import program

program()
