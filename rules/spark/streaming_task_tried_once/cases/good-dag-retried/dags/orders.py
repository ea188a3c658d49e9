from datetime import datetime, timedelta

from airflow import DAG
from airflow.operators.bash import BashOperator
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator

DEFAULTS = {"owner": "shop", "retries": 1000, "retry_delay": timedelta(minutes=1)}

with DAG("orders", default_args=DEFAULTS, start_date=datetime(2025, 1, 1), schedule=None) as dag:
    bronze = BashOperator(task_id="bronze", bash_command="spark-submit --master yarn jobs/bronze.py")
    silver = SparkSubmitOperator(task_id="silver", application="jobs/silver.py")
    totals = SparkSubmitOperator(task_id="totals", application="jobs/totals.py", retries=0)
