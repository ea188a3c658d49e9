"""A value that the client or SDK refuses: numbers, booleans and words, each by the grammar of the program that reads it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from shoal.catalogue import Option
from shoal.context import Context
from shoal.facts import Block
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import TEXT, TEXTS, blocks, schema, stands_in
from shoal.templates.options import Reader, judged, reader_of
from shoal.values import Bad

PARAMETERS = schema(["message"], message=TEXT, readers=TEXTS)
_NUMBERS = frozenset({"int", "long", "short", "double", "float"})


def check(job: Job, context: Context) -> Iterator[Finding]:
    """The message may use {key} {value} {why} {reader}. A value that can only mean one thing is a safe fix."""
    parameters = context.parameters
    for block in blocks(job, context):
        reader = reader_of(job, block)
        if reader is None or reader.name not in parameters.get("readers", (reader.name,)):
            continue
        settings = list(judged(job, block))
        # in Python each branch that sets an option has a value of its own, whose place tells it from one of many
        values = [(setting.key, setting.value_span if block.form == "python" else None) for setting in settings]
        times = Counter(values)
        for setting, value in zip(settings, values, strict=True):
            if block.form in ("python", "java") and times[value] > 1:
                continue  # what a function returns for all of its callers
            option = reader.option(setting.key, reader.at) if setting.known else None
            written = setting.text.strip()
            if option is None or option.prefix or written in ("", "None", "all"):  # `all` is -1 to librdkafka's acks
                continue
            if not option.values and stands_in(written):
                continue
            bad = refusal(block, reader, option, setting.text)
            if bad is not None:
                fixes = [context.replace(setting, bad.suggestion, f"write {bad.suggestion}", "safe")] if bad.suggestion else []
                shown = written if len(written) <= 60 else written[:59] + "…"
                message = parameters["message"].format(key=setting.key, value=shown, why=bad.why, reader=reader.name)
                yield context.finding(message, setting, fixes=fixes)


def refusal(block: Block, reader: Reader, option: Option, text: str) -> Bad | None:
    """Why the program refuses the value; None when it takes it, or when nothing can be said."""
    read: object = None
    if option.values and option.type in ("string", "enum"):
        read = _word(option, text.strip(), () if reader.version else _ever(reader, option.key))
    elif block.engine == "beam":
        read = _beam(block.trait("language"), option.type, text)
    elif block.engine.startswith("kafka") and (option.type in _NUMBERS or option.type == "boolean"):
        from shoal.values import kafka

        read = kafka.parse_librdkafka(option.type, text) if reader.name == "librdkafka" else kafka.parse(option.type, text)
    return read if isinstance(read, Bad) else None


def _ever(reader: Reader, key: str) -> tuple[str, ...]:
    """The words that any version took: all may be meant where the version is not known."""
    found = (table.option(key, version) for table in reader.tables for version in table.versions)
    return tuple(word for option in found if option is not None for word in option.values)


def _word(option: Option, value: str, others: tuple[str, ...]) -> Bad | None:
    """`enum` constants are read without regard to case, the words of a string exactly. `others`: what other versions take."""
    words = (*option.values, *others)
    if value in words or any("<" in word for word in words):
        return None
    same = next((word for word in words if word.lower() == value.lower()), None)
    if option.type == "enum" and same is not None:
        return None
    return Bad(f"it is one of {', '.join(option.values)}", same)


def _beam(language: str, type_name: str, text: str) -> object:
    from shoal.values import beam

    if language == "java" and type_name in ("boolean", *_NUMBERS):
        return beam.parse_java(type_name, text)
    if language == "python" and type_name in _NUMBERS:  # a flag's value is not told from a flag alone
        return beam.parse_python(type_name, text)
    return None
