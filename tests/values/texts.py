"""Texts that config files hold, or might: a fixed list of nasty ones and combinations drawn with a fixed seed."""

from __future__ import annotations

import random

# fmt: off
NASTY = (
    "", " ", "\t", "\n", "0", "-0", "+0", "00", "5", " 5", "5 ", "\t5\n", "\x005\x00", "\xa05", "5\u2003", "\u30005", "+5", "-5",
    "--5", "+-5", "- 5", "5-", "\u0665", "\uff15", "\U0001d7d8", "\u0e55 s", "1_000", "1,000", "1'000", "1.0", "1.", ".5", "1.5",
    "1e3", "1E3", "1e-3", "0x10", "0X1F", "0x1p3", "0x.8p1", "0x1.p1", "0xp1", "010", "0o17", "0b1", "5L", "5f", "5.0f", "5d", "5.0D",
    "1e400", "-1e400", "1e-400", "1e39", "3.4028235e38", "3.4028236e38", "1e-46", "7e-46", "NaN", "nan", "-NaN", "Infinity",
    "+Infinity", "-Infinity", "inf", "infinity", ".inf", "-.INF", ".nan", "32767", "32768", "-32768", "-32769", "2147483647",
    "2147483648", "-2147483648", "-2147483649", "4294967306", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
    "-9223372036854775809", "9223372036854775807 s", "9223372036854775807 min", "9223372036854775807 d", "9223372036854775808 ns",
    "9223372036854775807000 ms", "9223372036854775808 s", "106751991167300 d", "106751991167301 d", "153722867280912930 min",
    "153722867280912931 min", "0" * 50 + "5", "9" * 100, "9" * 5000, "8388607t", "8388608t", "9007199254740991kb",
    "9007199254740992kb", "8191p", "8192p", "true", "TRUE", "True", "tRuE", "false", "FALSE", "False", " true", "true ", "\ttrue",
    "tru", "truee", "yes", "no", "on", "off", "y", "n", "t", "f", "T", "F", "1", "fal\u017fe", "FAL\u017fE", "\u0130", "null", "~",
    "Null", "NULL", "none", "'5'", '"5"', "'true'", "''", '""', "'", '"', "10 s", "10s", "10  s", "10\ts", "10\xa0s", "10\u2003s",
    "10 S", "10 sec", "10 secs", "10 second", "10 seconds", "10 SECONDS", "10 m", "10 M", "10 min", "10 mins", "10 minute",
    "10 minutes", "10 ms", "10 MS", "10 msec", "10 milli", "10 millis", "10 us", "10 \u00b5s", "10 \u03bcs", "10 \u039cS", "10 micro",
    "10 micros", "10 ns", "10 nano", "10 h", "10 hr", "10 hour", "10 hours", "10 d", "10 day", "10 days", "10 w", "10 week",
    "10 weeks", "1 month", "1 months", "1 year", "1 years", "1h30m", "1h 30m", "1 hour 30 minutes", "1 hour, 30 minutes", "10s5",
    "10 seconds5 minutes", "10 seconds 5", "10 seconds -5 seconds", "-10 seconds", "- 10 seconds", "+10 seconds", "+ 10 seconds",
    "-.5 seconds", "- . seconds", ".5 seconds", ". seconds", "5. seconds", "1.5 seconds", "1.123456789 seconds",
    "1.1234567891 seconds", "1.5 minutes", "1.0 minutes", "1. minutes", "-1.5 seconds", "1 month -1 month", "1 month 1 day",
    "1 millisecond", "1 milliseconds", "1 microsecond", "1 microseconds", "-1 microseconds", "1 second -999 milliseconds",
    "999 microseconds", "interval", "interval ", "interval 10 seconds", "INTERVAL 10 SECONDS", "intervalx 10 seconds",
    "interval10 seconds", "interval\t10 seconds", "interval  10  seconds  ", "interval '10' seconds", "interval interval 10 seconds",
    "10 seconds\x7f", "\x1f10 seconds", "10\x1cseconds", "10\x0bseconds", "10 \u017feconds", "10 wee\u212a", "10 \u212a", "10\u212a",
    "2147483647 days", "2147483648 days", "-2147483648 days", "306783378 weeks", "306783379 weeks", "178956970 years",
    "178956971 years", "9223372036854 seconds", "9223372036855 seconds", "9223372036854775807 microseconds",
    "9223372036854775807 microseconds 1 microsecond", "9223372036854.775807 seconds", "9223372036854.775808 seconds",
    "106751991 days", "106751992 days", "106751991 days 14454 seconds", "106751991 days 14455 seconds", "PT10M", "pt10m", "PT1.5S",
    "PT1,5S", "PT.5S", "PT5.S", "PT-5S", "-PT5S", "-PT-5S", "+PT5S", "PT-0.5S", "P1D", "P1DT", "PT", "P", "P1DT2H3M4.5S", "P1W",
    "P1M", "P1Y", "PT1H-1M", "PT1H-61M", "PT1S1M", " PT5S ", "PT0.0000000001S", "PT0.123456789S", "PT9223372036854775807S",
    "PT9223372036854775808S", "P106751991167300D", "P106751991167301D", "PT+5S", "P\u0665D", "1g", "1G", "1gb", "1GB", "1 gb",
    "1 gibibytes", "1gib", "1Gi", "1 GiB", "1.5g", "1 b", "1 byte", "1 bytes", "1k", "1kb", "1kib", "1 kibibytes", "1m", "1mb",
    "1 mebibytes", "1t", "1tb", "1 tebibytes", "1p", "1pb", "1e", "1eb", "-1g", "-1", "- 1g", "--1g", "- g", "-g", "1g ", " 1g",
    " -1g", "1 024", "1g1m", "a", "a;b", "a;b;", ";a", ";;a", "a;;b", ";", ";;", "a ; b", "'a;b';c", '"a;b";c', "'a''b'", "'a'b",
    "a'b", "a'b;c'd", "'a' ;b", "'a", '"a', "a;'b", "''", "'';''", "'a'\"b\"", 'a"b"', " ' a ' ; b ", "1;2;3", "1; 2 ;3", "1;x",
    "1;;2", "a,b", "a, b", " a , b ", ",", ",a", "a,", "a,,b", "a\n,\nb", "a\u00a0,b", "k:v", "k:v,l:w", "k: v", "k : v", "k:", ":v",
    "k:v:w", "k::v", "'k:l':v", "k:v,k:w", "k:v,", ",k:v", "k", "k='v'", "'k:v,l:w'", "'k:''v,w'''", "k:v;l:w", "[a, b]", "[a,b]",
    "[]", "[1, 2]", "[1, x]", "['a', \"b\"]", "[a, [b, c]]", "[a, ~]", "[a, null]", "[true, 1.50, 0x1F, 010]", "[a", "- a\n- b",
    "- 1\n- 2", "-a", "- a", "{a: b}", "{a: 1, b: true}", "{a: b, a: c}", "{a: ~}", "{a: 'null'}", "{a: }", "{}", "{a}",
    "{a: {b: c}}", "a: b", "a: b\nc: d", "a:\n  b: c", "{a: b", "a: b, c: d", "[a]: b", "# x", "---\n- a", "!x [a]", "&x [a]", "*x",
    "[a, *x]", "%", "@a", "`a`", "=", "<<", "BYTES", "bytes", "Kilo_Bytes", "KILO-BYTES", " BYTES", "BYTES ", "kilo bytes",
    "TERA_BYTES", "BYTE\u017f", "2001-12-14", "12:30", "a:b", "key: 'v'", "\ufeff5", "5\ufeff", "\u200b5", "10 s;", "10 s # c", "$x",
    "${x}",
)
# fmt: on

_NUMBERS = (
    "",
    "0",
    "1",
    "7",
    "10",
    "60",
    "1000",
    "1.5",
    "0.001",
    "1_0",
    "-1",
    "+1",
    "99999999999",
    "9223372036854775807",
    "18446744073709551616",
    "\u0663",
    "1e2",
)
_GAPS = ("", "", " ", "  ", "\t", "\n", "\x0b", "\x1f", "\xa0", "\u2028")
# fmt: off
_UNITS = (
    "", "ns", "us", "\u00b5s", "ms", "s", "m", "min", "h", "d", "w", "sec", "secs", "mins", "millis", "micros", "nanos", "second",
    "seconds", "minute", "minutes", "hour", "hours", "day", "days", "week", "weeks", "month", "months", "year", "years",
    "millisecond", "milliseconds", "microsecond", "microseconds", "nanosecond", "b", "k", "kb", "kib", "mb", "gb", "g", "t", "tb",
    "p", "pb", "bytes", "mebibytes", "Ki", "x",
)
# fmt: on
_ENDS = ("", "", "", "", " ", "\n", "\x00", ".", ";", "s", "\u3000")
_CASES = (str.lower, str.lower, str.upper, str.title, str.swapcase)


def generate(count: int, seed: int = 2) -> list[str]:
    """The nasty texts and `count` combinations, the same on every run."""
    draw = random.Random(seed)
    texts = list(dict.fromkeys(NASTY))
    for _ in range(count):
        pieces = [
            draw.choice(_GAPS) + draw.choice(_NUMBERS) + draw.choice(_GAPS) + draw.choice(_CASES)(draw.choice(_UNITS))
            for _ in range(draw.choice((1, 1, 1, 2, 3)))
        ]
        texts.append(draw.choice((" ", "", ";", ",")).join(pieces) + draw.choice(_ENDS))
    for _ in range(count // 2):
        alphabet = draw.choice(("0123456789.+-eEfdx_ ", "ab;,:'\" \t", "ab,:'\" []{}\n", "PTDHMS+-.0159pt"))
        texts.append("".join(draw.choice(alphabet) for _ in range(draw.randint(1, 9))))
    return texts
