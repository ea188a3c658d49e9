from dataclasses import asdict, dataclass


@dataclass
class Flink:
    runner: str = "FlinkRunner"
    state_backend: str = "filesystem"

    def as_dict(self):
        return asdict(self)
