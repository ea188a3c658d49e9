spark-submit --master yarn --deploy-mode cluster orders.py
