flink run -t yarn-per-job -Dyarn.application.name=orders -py /opt/src/orders.py # expect: per-job-mode-removed
