#!/bin/sh
exec python pipeline.py \
  --runner=FlinkRunner \
  --flink_master=jobmanager:8081 \
  --flink_version=1.18 \
  --streaming
