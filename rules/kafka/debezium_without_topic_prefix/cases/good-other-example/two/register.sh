#!/bin/sh
curl -s -X POST http://connect:8083/connectors -H "Content-Type: application/json" -d '{
  "name": "orders",
  "config": {
    "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
    "database.server.name": "shop",
    "plugin.name": "pgoutput"
  }
}'
