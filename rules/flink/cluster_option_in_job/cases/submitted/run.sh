flink run -d -py orders.py
