"""Options of Auto Loader (`format("cloudFiles")`). It looks at all that begins with `cloudFiles.` when the stream starts, unless validateOptions is false.

The names are those of Databricks' documentation, and two that its own examples have beside them. It may lag behind: what resembles none of them is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.python.values import names
from shoal.templates import spark

_OPTIONS = names(
    "allowOverwrites backfillInterval cleanSource cleanSource.retentionDuration cleanSource.moveDestination format includeExistingFiles inferColumnTypes "
    "maxBytesPerTrigger maxFileAge maxFilesPerTrigger partitionColumns schemaEvolutionMode schemaHints schemaLocation useStrictGlobber validateOptions "
    "useIncrementalListing fetchParallelism pathRewrites useManagedFileEvents useNotifications listOnStart region queueUrl awsAccessKey awsSecretKey roleArn "
    "roleExternalId roleSessionName stsEndpoint clientId clientSecret connectionString queueName resourceGroup subscriptionId tenantId client clientEmail "
    "privateKey privateKeyId projectId subscription rescuedDataColumn inferSchema"
)
# Options of the formats and of Spark's files, which stand without the prefix.
_PLAIN = names(
    "pathGlobFilter recursiveFileLookup ignoreCorruptFiles ignoreMissingFiles modifiedAfter modifiedBefore readerCaseSensitive header delimiter sep multiLine "
    "quote escape encoding charset badRecordsPath columnNameOfCorruptRecord mode dateFormat timestampFormat rowTag mergeSchema nullValue comment"
)
_MEANT = {"filenamepattern": "pathGlobFilter"}
# Those that Auto Loader was seen to refuse.
_SEEN = ("filenamepattern", "pathglobfilter", "readercasesensitive")
_MODES = ("addNewColumns", "addNewColumnsWithTypeWidening", "rescue", "failOnNewColumns", "none")
_FIXED = ("text", "binaryfile")  # formats whose columns are known
_PREFIX = "cloudfiles."


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("spark", ("reader",), ("python",)):
        if block.trait("format") != "cloudfiles":
            continue
        checked = spark.option(job, block, "cloudFiles.validateOptions")
        for setting in job.of(block) if checked is None or checked.text.strip().lower() != "false" else ():
            if setting.key.lower().startswith(_PREFIX) and (why := _unknown(setting)):
                message = f"the stream fails to start (CF_UNKNOWN_OPTION_KEYS_ERROR): Auto Loader has no {setting.key}; {why}"
                sure = "high" if setting.key.lower().removeprefix(_PREFIX) in _SEEN else ""
                yield context.finding(message, setting.key_place(label=setting.key), confidence=sure, covers=[setting])
        mode = spark.option(job, block, "cloudFiles.schemaEvolutionMode")
        if mode is not None and mode.known:
            text = mode.text.strip()
            if text.lower() not in map(str.lower, _MODES):
                message = (
                    f"the stream fails to start: there is no schemaEvolutionMode {text}; it is {', '.join(_MODES[:-1])} or {_MODES[-1]}"
                )
                yield context.finding(message, mode, covers=[mode])
            elif text.lower().startswith("addnewcolumns") and block.trait("schema"):
                message = f"the stream fails to start: {text} cannot be had beside a schema that is given (schemaHints say what is known of it, or rescue keeps the rest)"
                yield context.finding(message, mode, covers=[mode])
        if _infers(job, block, context) and spark.option(job, block, "cloudFiles.schemaLocation") is None:
            message = "the stream fails to start: Auto Loader is to infer the schema and has no place to keep it (cloudFiles.schemaLocation, or give it a schema)"
            yield context.finding(message, block)


def _unknown(setting: Setting) -> str:
    """What may be meant by an option that Auto Loader does not have; empty for those that it has, and for those that resemble none."""
    key = setting.key[len(_PREFIX) :]
    folded = key.lower()
    if folded in map(str.lower, _OPTIONS) or folded.startswith("resourcetag"):
        return ""
    if meant := _MEANT.get(folded):
        return f"{meant} may be meant, without the prefix"
    plain = next((name for name in _PLAIN if name.lower() == folded), "")
    if plain:
        return f"{plain} stands without the prefix"
    from difflib import get_close_matches  # only now: 2 ms that most runs need not pay

    near = next(iter(get_close_matches(key, sorted(_OPTIONS), 1, 0.86)), "")
    return f"cloudFiles.{near} may be meant" if near else ""


def _infers(job: Job, block: Block, context: Context) -> bool:
    """Whether a stream that this file itself writes infers its schema; a declarative pipeline keeps it by itself."""
    text = context.module.text.text
    if (
        block.open
        or not block.trait("loads")
        or block.trait("schema")
        or "writeStream" not in text
        or "import dlt" in text
        or "pipelines" in text
    ):
        return False
    form = spark.option(job, block, "cloudFiles.format")
    return form is not None and form.known and form.text.strip().lower() not in _FIXED
