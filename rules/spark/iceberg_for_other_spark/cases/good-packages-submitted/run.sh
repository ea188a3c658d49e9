spark-submit --packages org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.5.2 job.py
