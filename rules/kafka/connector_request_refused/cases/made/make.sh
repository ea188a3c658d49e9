#!/bin/bash
curl -sf -X POST -H "Content-Type: application/json" --data @connectors.orders.json http://connect:8083/connectors # expect: connector-request-refused
