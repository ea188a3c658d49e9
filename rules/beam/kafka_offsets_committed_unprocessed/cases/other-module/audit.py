import sys

import apache_beam as beam
import settings
from apache_beam.io.kafka import ReadFromKafka

with beam.Pipeline(argv=["--runner=FlinkRunner", "--streaming", "--checkpointing_interval=60000", *sys.argv[1:]]) as pipeline:
    pipeline | ReadFromKafka(**settings.READ) | beam.Map(print)  # expect: kafka-offsets-committed-unprocessed
