spark-submit --master yarn --deploy-mode cluster --driver-memory 4g orders.py
