from datetime import datetime

from airflow import DAG
from airflow.operators.bash import BashOperator

with DAG("orders", start_date=datetime(2025, 1, 1), schedule_interval="0 * * * *", max_active_runs=1):
    BashOperator(task_id="stream_orders", bash_command="spark-submit jobs/orders.py")
