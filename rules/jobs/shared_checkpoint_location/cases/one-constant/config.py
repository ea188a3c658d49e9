import os

ENVIRONMENT = os.environ["ENVIRONMENT"]


class Config:
    CHECKPOINT_LOGS = f"s3a://lake/{ENVIRONMENT}/logs/"
    CHECKPOINT_SEVS = f"s3a://lake/{ENVIRONMENT}/sevs/"
