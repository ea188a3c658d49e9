#!/bin/bash
curl -sf -X POST -H "Content-Type: application/json" --data @orders.json http://connect:8083/connectors/
curl -sf -X PUT -H "Content-Type: application/json" --data @bare.json http://connect:8083/connectors/orders/config
jq .config orders.json | curl -sf -X PUT -H "Content-Type: application/json" --data @- http://connect:8083/connectors/orders/config
curl -sf http://connect:8083/connectors/orders/status
