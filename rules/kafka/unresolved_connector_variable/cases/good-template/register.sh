sed "s/A/$B/" orders.json > done.json
curl -d @done.json http://localhost:8083/connectors
