from datetime import datetime

from airflow import DAG
from airflow.operators.bash import BashOperator
from airflow.providers.ssh.operators.ssh import SSHOperator

with DAG("orders", start_date=datetime(2025, 1, 1), schedule=None, catchup=False) as dag:
    bronze = SSHOperator(
        task_id="bronze", ssh_conn_id="spark", command="nohup spark-submit jobs/bronze.py > bronze.log 2>&1 &"
    )
    detached = BashOperator(task_id="detached", bash_command="docker exec -d spark spark-submit jobs/bronze.py")
    silver = BashOperator(task_id="silver", bash_command="spark-submit jobs/silver.py")
    totals = BashOperator(task_id="totals", bash_command="spark-submit jobs/totals.py")

    [bronze, detached] >> silver
    totals >> silver
