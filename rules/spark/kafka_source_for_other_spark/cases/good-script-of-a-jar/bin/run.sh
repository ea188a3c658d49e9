#!/bin/sh
spark-submit --class com.acme.Orders \
  --packages org.apache.spark:spark-sql-kafka-0-10_2.12:3.5.1 /app/orders.jar
