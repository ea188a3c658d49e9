from datetime import datetime

from airflow.decorators import dag
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator


@dag(dag_id="orders", start_date=datetime(2025, 1, 1), schedule="@daily", catchup=False)
def orders():
    SparkSubmitOperator(task_id="stream_orders", application="jobs/orders.py", conn_id="spark")


orders()
