#!/bin/sh
/opt/kafka/bin/kafka-topics.sh --bootstrap-server kafka:9092 --create --topic orders --replication-factor 3
