docker compose exec jobmanager flink run -d -py /opt/jobs/orders.py
