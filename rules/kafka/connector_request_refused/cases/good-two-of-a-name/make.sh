#!/bin/bash
cd "$1" && curl -sf -X POST -H "Content-Type: application/json" --data @orders.json http://connect:8083/connectors
