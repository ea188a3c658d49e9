import apache_beam as beam
from apache_beam.io.kafka import ReadFromKafka
from apache_beam.options.pipeline_options import FlinkRunnerOptions, PipelineOptions, StandardOptions

options = PipelineOptions(checkpointing_interval=60000)
options.view_as(StandardOptions).runner = "FlinkRunner"
options.view_as(FlinkRunnerOptions).flink_master = "flink-jobmanager:8081"

with beam.Pipeline(options=options) as pipeline:
    pipeline | ReadFromKafka({"bootstrap.servers": "broker:9092"}, ["payments"]) | beam.Map(print)
