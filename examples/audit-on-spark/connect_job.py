"""The audit through Spark Connect, on a server whose workers have no shoal: it is sent there.

python connect_job.py sc://host:15002 env.tar.gz --tables s3a://platform/shoal s3a://bucket/code
python connect_job.py sc://host:15002 shoal.zip --tables s3a://platform/shoal s3a://bucket/code

The archive is that of the documentation (venv-pack): shoal, what it depends on, and the Python that runs them.
The zip is the wheel: what shoal depends on is installed on the server already.
"""

import sys

from pyspark.sql import SparkSession

from shoal.cli import main

remote, package, *arguments = sys.argv[1:]
spark = SparkSession.builder.remote(remote).getOrCreate()
if package.endswith(".zip"):
    spark.addArtifacts(package, pyfile=True)
else:
    spark.addArtifacts(f"{package}#env", archive=True)
    spark.conf.set("spark.sql.execution.pyspark.python", "./env/bin/python")
sys.exit(main(["audit", "--engine", "spark", "--spark-conf", f"spark.remote={remote}", *arguments]))
