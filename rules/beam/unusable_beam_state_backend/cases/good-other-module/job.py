import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions
from settings import Flink

with beam.Pipeline(options=PipelineOptions.from_dictionary(Flink().as_dict())) as pipeline:
    pipeline | beam.Create([1]) | beam.Map(print)
