for name in customers orders; do
  curl -X POST -H "Content-Type: application/json" -d @$name.json http://localhost:8083/connectors
done
