spark-submit --master spark://spark-master:7077 --executor-memory 4g jobs/orders.py
