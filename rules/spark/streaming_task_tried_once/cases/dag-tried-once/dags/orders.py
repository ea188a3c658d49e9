from datetime import datetime, timedelta

from airflow import DAG
from airflow.operators.bash import BashOperator
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator

DEFAULTS = {"owner": "shop", "retries": 0, "retry_delay": timedelta(minutes=1)}

with DAG("orders", default_args=DEFAULTS, start_date=datetime(2025, 1, 1), schedule=None) as dag:
    bronze = BashOperator(  # expect: streaming-task-tried-once
        task_id="bronze", bash_command="docker exec spark spark-submit --master 'local[*]' /opt/shop/bronze.py"
    )
    silver = SparkSubmitOperator(task_id="silver", application="jobs/silver.py")  # expect: streaming-task-tried-once
