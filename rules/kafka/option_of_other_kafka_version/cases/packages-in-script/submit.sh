#!/bin/sh
spark-submit --packages org.apache.kafka:kafka-clients:3.6.1 orders.py
