fill() {
  sed -e "s|\${PG_PASSWORD}|${PG_PASSWORD}|g" "$1"
}

fill /connectors/orders.json | curl -X POST --data @- http://connect:8083/connectors
