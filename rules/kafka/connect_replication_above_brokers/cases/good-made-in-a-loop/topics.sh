for topic in orders orders-dlq; do
  kafka-topics --bootstrap-server kafka:9092 --create --topic "$topic" --partitions 1 --replication-factor 1
done
