#!/bin/sh
spark-submit --class com.acme.Orders \
  --packages org.apache.spark:spark-sql-kafka-0-10_2.12:3.3.0 /app/orders.jar # expect: kafka-source-for-other-spark
