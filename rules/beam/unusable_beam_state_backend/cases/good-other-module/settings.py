from dataclasses import asdict, dataclass


@dataclass
class Flink:
    runner: str = "FlinkRunner"
    state_backend: str = "filesystem"
    state_backend_storage_path: str = "s3://state/beam"

    def as_dict(self):
        return asdict(self)
