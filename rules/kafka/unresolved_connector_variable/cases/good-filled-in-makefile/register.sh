curl -X POST -d @orders.json http://localhost:8083/connectors
