"""shoal: a static linter for streaming data jobs."""

__version__ = "0.1.0"
