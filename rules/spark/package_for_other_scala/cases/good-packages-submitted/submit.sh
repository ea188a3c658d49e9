spark-submit --packages com.datastax.spark:spark-cassandra-connector_2.12:3.4.1 votes.py
