#!/bin/bash
flink run -C file:///opt/flink/opt/flink-python_2.12-1.15.3.jar -py jobs/orders.py
