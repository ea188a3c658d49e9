for file in *.json; do
  envsubst < "$file" > "out/$file"
  curl -d @"out/$file" http://localhost:8083/connectors
done
