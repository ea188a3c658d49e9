from functools import lru_cache

from pydantic_settings import BaseSettings


class Settings(BaseSettings):
    brokers: str = "localhost:9092"
    orders_checkpoint: str = "/tmp/checkpoints/orders"
    cards_checkpoint: str = "/tmp/checkpoints/cards"
    users_checkpoint: str = "/tmp/checkpoints/users"
    shops_checkpoint: str = "/tmp/checkpoints/shops"
    goods_checkpoint: str = "s3a://state/goods"


@lru_cache
def get_settings() -> Settings:
    return Settings()
