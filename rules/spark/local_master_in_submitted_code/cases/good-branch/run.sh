spark-submit --master yarn orders.py
spark-submit --master yarn returns.py
spark-submit --master yarn refunds.py
