import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions

with beam.Pipeline(options=PipelineOptions(streaming=True)) as pipeline:
    pipeline | beam.io.ReadFromPubSub(subscription="projects/p/subscriptions/orders") | beam.Map(print)
