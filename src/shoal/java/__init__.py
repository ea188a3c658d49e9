"""Java source of jobs as facts, parsed by tree-sitter: settings, sources, sinks and SQL of Flink programs, Kafka clients, Beam's Kafka reads, Spark's streams."""
