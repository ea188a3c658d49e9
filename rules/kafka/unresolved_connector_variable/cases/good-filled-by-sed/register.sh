curl -X POST -d @connectors/orders.json http://localhost:8083/connectors
