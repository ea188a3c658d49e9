import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions

options = PipelineOptions(["--runner=FlinkRunner", "--flink_master=jobmanager:8081"])
with beam.Pipeline(options=options) as pipeline:
    pipeline | beam.Create(["a"]) | beam.Map(print)
