for file in connectors/*.json; do
  curl -X POST -H "Content-Type: application/json" -d @"$file" "$CONNECT_URL/connectors"
done
