curl -s -X POST -H "Content-Type: application/json" --data @other.json http://localhost:8083/connectors
