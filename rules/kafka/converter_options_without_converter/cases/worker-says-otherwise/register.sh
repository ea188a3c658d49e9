curl -X PUT http://localhost:8083/connectors/orders/config -H "Content-Type: application/json" -d '{
  "connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
  "topics": "orders",
  "value.converter.schemas.enable": true # expect: converter-options-without-converter
}'
