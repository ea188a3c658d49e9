spark-submit --master 'local[4]' orders.py
spark-submit --master yarn returns.py
