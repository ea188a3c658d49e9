#!/bin/sh
docker exec lake-spark-master bash -c "cd /opt/lake && /opt/spark/bin/spark-submit \
  --packages org.apache.spark:spark-sql-kafka-0-10_2.13:4.0.0 jobs/orders.py"
