"""Apache Beam's Python SDK, 2.40 to 2.77: pipelines, options and the Kafka transforms."""

from shoal.python.libraries import Library

LIBRARIES = {
    "apache_beam": Library(
        calls={
            "Pipeline": "beam.Pipeline",
            "PipelineOptions": "beam.Options",
            "PipelineOptions.from_dictionary": "beam.Options",
            "FlinkRunnerOptions": "beam.Options",
            "StandardOptions": "beam.Options",
            "PortableOptions": "beam.Options",
            "ReadFromKafka": "beam.ReadFromKafka",
            "WriteToKafka": "beam.WriteToKafka",
        },
        methods={
            "beam.Options": {"view_as": "+beam.Options"},
            "beam.Pipeline": {"run": "beam.Result", "__enter__": "="},
            "beam.Result": {},
        },
        attributes={},
    ),
}
