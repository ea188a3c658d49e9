#!/bin/bash
curl -sf -X PUT -H "Content-Type: application/json" \
  http://localhost:8083/connectors/orders/config \
  -d @orders.json # expect: connector-request-refused
