#!/bin/sh
spark-submit --packages org.apache.kafka:kafka-clients:4.1.1 orders.py
