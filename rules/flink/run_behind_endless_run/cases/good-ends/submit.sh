#!/bin/bash
# the first one ends, the second one is the last
flink run -py /jobs/fill.py
flink run -py /jobs/shown.py
flink run -py /jobs/orders.py
