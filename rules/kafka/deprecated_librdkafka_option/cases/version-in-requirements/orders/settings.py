SERVERS = "broker:9092"
