from .raw import RawConsumer
