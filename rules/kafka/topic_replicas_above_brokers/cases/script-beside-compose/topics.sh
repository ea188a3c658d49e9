#!/bin/sh
docker compose exec kafka /opt/kafka/bin/kafka-topics.sh --bootstrap-server kafka:9092 --create --topic orders --replication-factor 3 # expect: topic-replicas-above-brokers
/opt/kafka/bin/kafka-topics.sh --bootstrap-server localhost:9092 --create --topic refunds --replication-factor 3 # expect: topic-replicas-above-brokers
/opt/kafka/bin/kafka-topics.sh --bootstrap-server "$BROKERS" --create --topic returns --replication-factor 3
/opt/kafka/bin/kafka-topics.sh --bootstrap-server b-1.example.com:9092 --create --topic other --replication-factor 3
