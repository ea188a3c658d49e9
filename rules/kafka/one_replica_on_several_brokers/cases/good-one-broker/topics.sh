#!/bin/sh
docker compose exec kafka1 kafka-topics --bootstrap-server kafka1:9092 --create --if-not-exists --topic orders --partitions 6 --replication-factor 1
