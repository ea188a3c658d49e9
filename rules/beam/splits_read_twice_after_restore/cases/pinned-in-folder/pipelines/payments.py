import apache_beam as beam
from apache_beam.io.kafka import ReadFromKafka
from apache_beam.options.pipeline_options import PipelineOptions


def run() -> None:
    options = PipelineOptions(["--runner=FlinkRunner", "--streaming", "--checkpointing_interval=60000"])
    with beam.Pipeline(options=options) as pipeline:
        pipeline | ReadFromKafka({"bootstrap.servers": "broker:9092", "group.id": "payments"}, ["payments"]) | beam.Map(print)


if __name__ == "__main__":
    run()
