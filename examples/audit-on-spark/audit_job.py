"""What spark-submit, Databricks and the Spark operator start: the arguments are those of `shoal audit`."""

import sys

from shoal.spark import wheel

wheel.unpack()  # nothing, unless shoal came with --py-files

from shoal.cli import main  # noqa: E402

code = main(["audit", "--engine", "spark", *sys.argv[1:]])
if code == 2:  # something could not be checked; findings alone are no failed job
    sys.exit(code)
