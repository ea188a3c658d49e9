#!/bin/bash
docker exec -it broker /opt/kafka/bin/kafka-topics.sh --bootstrap-server localhost:9092 --list
docker compose exec "$SERVICE" kafka-topics --bootstrap-server localhost:9092 --list
kafka-topics.sh --bootstrap-server localhost:9092 --list
