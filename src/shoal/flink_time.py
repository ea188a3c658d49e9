"""Which time a Flink program goes by, as Java and Python write it: watermarks that it assigns, what needs event time or processing time, how long retries wait."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.lazy import pattern

_ASSIGNED = pattern(r"\bfor_?(?:BoundedOutOfOrderness|MonotonousTimestamps|bounded_out_of_orderness|monotonous_timestamps)\b")
# Also what may need it: tables, custom generators, the timestamp of a record, windows whose time is a setting.
_EVENT = pattern(
    r"EventTime|event_time_timer|[iI]nterval_?[jJ]oin|\bCEP\b|[wW]atermark\w*\(\)|current_?[wW]atermark|\.timestamp\(\)|allowed_?[lL]ateness|rowtime|ROWTIME"
    r"|createTemporaryView|fromDataStream|fromChangelogStream|create_temporary_view|from_data_stream|from_changelog_stream|\btimeWindow(?:All)?\(|\btime_window"
    r"|ideOutputLateData|ide_output_late_data|[wW]atermark_?[aA]lignment|onWatermark|on_watermark|WatermarkGenerator|TimestampsAndPunctuated"
)
_PROCESSING = pattern(
    r"\b(?:Tumbling|Sliding)ProcessingTimeWindows\b|\bProcessingTimeSessionWindows\b|register_?(?:ProcessingTimeTimer|processing_time_timer)\b"
)


_MOST = 10_000  # attempts that are added up


def retry_pauses(attempts: float, pause: float, longest: float = 0, multiplier: float = 1) -> float:
    """Milliseconds that all retries of an async operator's strategy wait, one of a fixed pause or of one that grows."""
    if not longest:
        return attempts * pause
    total = 0.0
    for _ in range(min(int(attempts), _MOST)):
        total += pause
        pause = min(pause * multiplier, longest)
    return total


def times(text: str) -> Iterator[tuple[str, int, int]]:
    """`watermarks`, `event` and `processing` where the text speaks of them, once each, with where it does. An import is no use of anything."""
    for kind, wanted in (("watermarks", _ASSIGNED), ("event", _EVENT), ("processing", _PROCESSING)):
        for found in wanted.finditer(text):
            line = text[text.rfind("\n", 0, found.start()) + 1 : found.start()].lstrip()
            if not line.startswith(("import ", "from ", "//", "#", "*")):
                yield kind, found.start(), found.end()
                break
