#!/bin/bash
set -e
sleep 10

/opt/flink/bin/flink run --jobmanager jobmanager:8081 --class com.example.OrdersJob /opt/flink/job.jar # expect: run-behind-endless-run

/opt/flink/bin/flink run --jobmanager jobmanager:8081 \
    --class com.example.PaymentsJob /opt/flink/job.jar
