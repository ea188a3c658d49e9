#!/bin/sh
spark-submit --packages org.apache.kafka:kafka-clients:2.8.2 jobs/orders.py
