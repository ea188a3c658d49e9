#!/bin/sh
docker compose exec -T spark spark-submit --packages org.apache.iceberg:iceberg-spark-runtime-4.0_2.13:1.10.0 job.py
