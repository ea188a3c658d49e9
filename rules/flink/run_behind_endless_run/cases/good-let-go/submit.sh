#!/bin/bash
flink run -py /jobs/orders.py &
flink run -d -py /jobs/orders.py
timeout 60 flink run -py /jobs/orders.py
docker exec -d jobmanager flink run -py /jobs/orders.py
flink run -Dexecution.attached=false -py /jobs/orders.py
flink run $OPTIONS -py /jobs/orders.py
flink run -t yarn-application -py /jobs/orders.py
if [ "$1" = orders ]; then
  flink run -py /jobs/orders.py
else
  flink run -py /jobs/orders.py
fi
