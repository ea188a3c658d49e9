#!/bin/sh
spark-submit --packages org.apache.spark:spark-sql-kafka-0-10_2.12:3.3.0 jobs/orders.py # expect: kafka-source-for-other-spark
