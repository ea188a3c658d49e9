import sys

import apache_beam as beam
from apache_beam.io.kafka import ReadFromKafka

with beam.Pipeline(argv=sys.argv[1:]) as pipeline:
    pipeline | ReadFromKafka({"bootstrap.servers": "broker:9092"}, ["audit"], dynamic_read_poll_interval_seconds=60) | beam.Map(print)
