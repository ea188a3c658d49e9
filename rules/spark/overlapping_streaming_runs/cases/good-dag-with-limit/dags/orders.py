from datetime import datetime

from airflow import DAG
from airflow.operators.bash import BashOperator

with DAG("orders", start_date=datetime(2025, 1, 1), schedule_interval="0 * * * *", catchup=False):
    BashOperator(task_id="stream_orders", bash_command="timeout 55m spark-submit jobs/orders.py")
