def kafka_options(retries=False, tls=False):
    found = {"bootstrap_servers": "broker:9092"}
    if retries:
        found.update({"retries": 10, "linger_ms": 5})
    if tls:
        found["security_protocol"] = "SSL"
    return found
