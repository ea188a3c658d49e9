READ = dict(
    consumer_config={"bootstrap.servers": "broker:9092", "group.id": "audit", "enable.auto.commit": "false"},
    topics=["audit"],
    commit_offset_in_finalize=True,
    dynamic_read_poll_interval_seconds=60,
)
