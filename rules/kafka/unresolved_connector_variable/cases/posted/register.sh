curl -s -X POST -H "Content-Type: application/json" --data @orders.json http://localhost:8083/connectors
