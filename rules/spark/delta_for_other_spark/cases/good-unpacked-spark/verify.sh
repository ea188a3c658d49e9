#!/bin/sh
SPARK=".cache/spark-4.0.2-bin-hadoop3"
"${SPARK}/bin/spark-sql" --packages io.delta:delta-spark_2.13:4.0.1 -e "SELECT count(*) FROM delta.\`s3a://lake/orders\`"
