spark-submit orders.py
