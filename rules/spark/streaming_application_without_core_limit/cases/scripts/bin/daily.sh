#!/bin/sh
spark-submit --master spark://master:7077 jobs/daily.py
