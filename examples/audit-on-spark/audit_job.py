"""What spark-submit, Databricks and the Spark operator start: the arguments are those of `shoal audit`.

A job that fails is one whose audit did not come to its end. What was found, and what could not be checked, is in the tables.
"""

import sys

from shoal.spark import wheel

wheel.unpack()  # nothing, unless shoal came with --py-files

from shoal.cli import UsageError, parser  # noqa: E402
from shoal.commands import audit  # noqa: E402

arguments = parser("audit").parse_args(["audit", "--engine", "spark", *sys.argv[1:]])
try:
    code = audit.run(arguments)
except UsageError as error:
    sys.exit(f"shoal: {error}")
if code == 2 and not arguments.tables:
    sys.exit(code)
