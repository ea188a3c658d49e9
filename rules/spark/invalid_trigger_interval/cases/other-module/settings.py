from dataclasses import dataclass


@dataclass
class Settings:
    interval: str = "10s"
