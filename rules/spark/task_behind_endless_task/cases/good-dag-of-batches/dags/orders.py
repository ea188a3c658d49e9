from datetime import datetime

from airflow import DAG
from airflow.operators.bash import BashOperator
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator

with DAG("orders", start_date=datetime(2025, 1, 1), schedule=None, catchup=False) as dag:
    create = BashOperator(task_id="create", bash_command="spark-sql -f create.sql")
    bronze = BashOperator(
        task_id="bronze", bash_command="spark-submit --master yarn jobs/bronze.py"
    )
    silver = SparkSubmitOperator(task_id="silver", application="jobs/silver.py")
    totals = SparkSubmitOperator(task_id="totals", application="jobs/totals.py")
    report = BashOperator(task_id="report", bash_command="python report.py")

    create >> bronze >> [silver, report]
    totals << silver
