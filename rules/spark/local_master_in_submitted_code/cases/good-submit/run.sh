spark-submit --master yarn --executor-memory 4g orders.py
