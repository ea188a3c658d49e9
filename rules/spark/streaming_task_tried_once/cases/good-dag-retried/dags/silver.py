from datetime import datetime

from airflow import DAG
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator

with DAG("silver", start_date=datetime(2025, 1, 1), schedule="*/10 * * * *", max_active_runs=1, catchup=False) as dag:
    SparkSubmitOperator(task_id="silver", application="jobs/silver.py")
