"""Patterns of dates whose letters mean something else than where they stand."""

from __future__ import annotations

from shoal.java.sheet import Sheet
from shoal.values import dates

_SAYS = {
    "month": "mm is minutes, and months are MM",
    "minute": "MM is months, and minutes are mm",
    "day": "DD is days of the year, and those of the month are dd",
    "year": "YYYY is the year that a week belongs to, another one around New Year, and years are yyyy",
    "hour": "hh is hours of half a day, and nothing says which half; those of a day are HH",
}
_MAKERS = {
    "ofPattern": ("class:DateTimeFormatter", 0),
    "forPattern": ("class:DateTimeFormat", 0),
    "to_timestamp": ("", 1),
    "to_date": ("", 1),
    "date_format": ("", 1),
}


def collect(sheet: Sheet) -> None:
    source = sheet.source
    asked = [(made, 0) for made in source.news if source.type_of(made) in ("SimpleDateFormat", "FastDateFormat")]
    for call in source.named(*_MAKERS):
        owner, at = _MAKERS[source.name(call)]
        kind = source.type_of(call.child_by_field_name("object"))
        if kind == owner or (not owner and kind in ("", "class:functions")):
            asked.append((call, at))
    for call in source.named("option"):  # of Spark's readers and writers
        given = source.arguments(call)
        key = source.text_of(given[0]) if len(given) == 2 else None
        if key is not None and key.text in dates.OPTIONS:
            asked.append((call, 1))
    for node, at in asked:
        given = source.arguments(node)
        text = source.text_of(given[at]) if len(given) > at else None
        wrong = dates.mistake(text.text, source.name(node) != "forPattern") if text is not None else ""
        if text is not None and wrong:
            sheet.out.oddity("date-pattern", text.text, source.span(given[at]), _SAYS[wrong])
