#!/bin/sh
spark-submit --master spark://master:7077 --executor-memory 2g jobs/clicks.py # expect: streaming-application-without-core-limit
