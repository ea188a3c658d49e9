#!/bin/sh
spark-submit --packages org.apache.kafka:kafka-clients:3.9.1 orders.py
