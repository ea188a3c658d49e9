docker exec lake-spark bash -c "cd /opt/lake && spark-submit --deploy-mode client \
  --jars /opt/jars/iceberg-spark-runtime-3.5_2.12-1.9.2.jar,/opt/jars/spark-avro_2.12-3.5.3.jar \
  src/lake/jobs/orders.py"
