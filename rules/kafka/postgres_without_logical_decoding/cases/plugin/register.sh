curl -X POST http://localhost:8083/connectors -H 'Content-Type: application/json' -d '{
  "name": "orders",
  "config": {
    "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
    "database.hostname": "db", # expect: postgres-without-logical-decoding
    "topic.prefix": "shop"
  }
}'
