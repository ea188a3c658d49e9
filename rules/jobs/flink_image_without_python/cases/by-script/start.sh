docker compose exec -T jobmanager bash -c "flink run -d -py /jobs/orders.py"
