#!/bin/sh
python pipeline.py --runner=FlinkRunner --flink_master=jobmanager:8081 --streaming --checkpointing_interval=60000
