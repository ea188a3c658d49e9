docker compose exec jobmanager bash -c "apt-get install -y python3-pip && pip install apache-flink==1.20.1"
docker compose exec jobmanager flink run -py /opt/flink/jobs/orders.py
