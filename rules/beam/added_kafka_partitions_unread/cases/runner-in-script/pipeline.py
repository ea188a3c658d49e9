import sys

import apache_beam as beam
from apache_beam.io.kafka import ReadFromKafka
from apache_beam.options.pipeline_options import PipelineOptions


def run(argv):
    with beam.Pipeline(options=PipelineOptions(argv)) as pipeline:
        pipeline | ReadFromKafka({"bootstrap.servers": "broker:9092"}, ["payments"]) | beam.Map(print)  # expect: added-kafka-partitions-unread


run(sys.argv)
