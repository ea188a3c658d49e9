bin/flink-cdc.sh -Dexecution.checkpointing.interval=10000 mysql-to-paimon.yaml
