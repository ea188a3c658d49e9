#!/bin/bash
cp build/flink-sql-connector-kafka-1.18.1.jar /opt/flink/lib/
flink run -py jobs/orders.py
