import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions

options = PipelineOptions(streaming=True)
with beam.Pipeline(options=options) as p:
    p | beam.io.ReadFromPubSub(subscription="projects/a/subscriptions/b") | beam.Map(print)
