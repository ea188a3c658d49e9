BROKERS = ["broker:9092"]
