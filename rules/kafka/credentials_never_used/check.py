"""Options to log in with SASL: a client speaks PLAINTEXT unless told otherwise, and takes GSSAPI for the mechanism unless told otherwise.

Tried with librdkafka 2.16.0: without a mechanism the client of confluent-kafka is not made (`No provider for SASL mechanism GSSAPI`), without a protocol there is a line in the log.
The Java client ends with `No serviceName defined in either JAAS or Kafka config` (KerberosLogin).
"""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.facts import Block, Setting
from shoal.job import Job
from shoal.model import Finding
from shoal.templates import kafka
from shoal.templates.options import PURE_PYTHON

_PROTOCOL, _JAAS = "security.protocol", "sasl.jaas.config"
# Login module -> the mechanism that it is for.
_MODULES = {"PlainLoginModule": "PLAIN", "ScramLoginModule": "SCRAM-SHA-512 (or -256)", "OAuthBearerLoginModule": "OAUTHBEARER"}


def check(job: Job, context: Context) -> Iterator[Finding]:
    """A properties file may be one of several that a program reads: low confidence there."""
    for block in kafka.clients(job, "consumer", "producer", "admin"):
        login = None if block.open else _login(job, block)
        if login is None:
            continue
        setting, mechanism = login
        sure = "low" if block.form in ("properties", "json", "yaml") or (block.role == "client" and block.form != "sql") else ""
        protocol = kafka.find(job, block, _PROTOCOL)
        spoken = protocol.text.strip().upper() if protocol is not None and protocol.known else ""
        if protocol is None or (spoken in ("PLAINTEXT", "SSL") and protocol.sure == "sure"):
            named = f"{_PROTOCOL} is {spoken}" if protocol is not None else f"{_PROTOCOL} is not set, and PLAINTEXT by default"
            message = f"nobody logs in with this: {named}, so that a broker that asks for a login closes each connection; SASL_SSL, or SASL_PLAINTEXT"
            yield context.finding(message, setting, [protocol] if protocol is not None else [], confidence=sure)
        elif mechanism and spoken.startswith("SASL_") and not _chosen(job, block):
            java = kafka.is_java(block)
            why = "for which this login has no service name" if java else "which the packages of confluent-kafka are built without"
            what = "the client does not start" if java else "the client is not even made"
            message = f"{what}: sasl.mechanism is not set, and GSSAPI (Kerberos) by default, {why}; sasl.mechanism={mechanism}"
            yield context.finding(message, setting, [protocol] if protocol is not None else [], confidence=sure)


def _login(job: Job, block: Block) -> tuple[Setting, str] | None:
    """What a client is given to log in with, and the mechanism that is for; none where the client has a default that will do."""
    library = kafka.library(block)
    if library == "java":
        setting = kafka.find(job, block, _JAAS)
        module = next((mechanism for module, mechanism in _MODULES.items() if setting is not None and module in setting.text), "")
        return (setting, module) if setting is not None and module else None
    plain = library in PURE_PYTHON
    setting = kafka.find(job, block, "sasl.plain.username" if plain else "sasl.username")
    if setting is None or (setting.known and setting.text.strip() in ("", "None")):
        return None
    return setting, "" if plain else "PLAIN"


def _chosen(job: Job, block: Block) -> bool:
    return any(kafka.find(job, block, key) is not None for key in ("sasl.mechanism", "sasl.mechanisms", "sasl.kerberos.service.name"))
