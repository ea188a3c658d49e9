import sys

import apache_beam as beam
from apache_beam.io.kafka import ReadFromKafka
from apache_beam.options.pipeline_options import PipelineOptions


def run(argv: list[str]) -> None:
    with beam.Pipeline(options=PipelineOptions(argv)) as pipeline:
        (
            pipeline
            | "Read" >> ReadFromKafka({"bootstrap.servers": "kafka-01:9092", "group.id": "payments", "enable.auto.commit": "false"}, ["payments"])
            | "Values" >> beam.Map(lambda record: record[1])
            | "Print" >> beam.Map(print)
        )


if __name__ == "__main__":
    run(sys.argv)
