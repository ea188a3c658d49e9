"""`ssl.endpoint.identification.algorithm` without a value, kafka-python's `ssl_check_hostname`, librdkafka's `enable.ssl.certificate.verification`; and `aws.trust.all.certificates` of Flink's connectors."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.model import Finding
from shoal.templates.common import text
from shoal.templates.kafka import SERVERS, all_local

_NAME, _CERTIFICATE = "ssl.endpoint.identification.algorithm", "enable.ssl.certificate.verification"
_HOSTNAME = "ssl.check.hostname"  # `ssl_check_hostname` of kafka-python
_TRUST, _ENDPOINT = "aws.trust.all.certificates", "aws.endpoint"


def check(job: Job, context: Context) -> Iterator[Finding]:
    """Silent where all brokers are on the same machine."""
    for block in job.select("kafka"):
        brokers = job.written(block, SERVERS)
        if brokers is not None and all_local(brokers):
            continue
        for setting in job.of(block):
            unnamed = setting.key.endswith(_NAME) and setting.known and text(setting).strip() in ("", "none")
            if unnamed or (setting.key == _HOSTNAME and text(setting) == "false"):
                message = "whoever has a certificate of the same authority can take a broker's place: the name in it is not checked; put the brokers' names into their certificates"
                yield context.finding(message, setting.key_place(label=_NAME if unnamed else _HOSTNAME), covers=[setting])
            elif setting.key == _CERTIFICATE and text(setting) == "false":
                message = "anybody can take a broker's place and read what is sent, the password of SASL PLAIN too: its certificate is not checked; name its authority in ssl.ca.location"
                yield context.finding(message, setting, severity="warning", confidence="medium")
    for block in job.select("flink", ("table", "source", "sink")):
        trusts, endpoint = job.get(block, _TRUST), job.get(block, _ENDPOINT)
        # who asks an imitation of AWS on the same machine has to trust what that one made up
        real = endpoint is None or (endpoint.known and "amazonaws.com" in endpoint.text.lower())
        if trusts is not None and text(trusts) == "true" and trusts.sure == "sure" and real:
            message = "anybody between the job and AWS can read and change what goes there, and take what it signs in with: no certificate is checked"
            yield context.finding(message, trusts, severity="warning", confidence="medium")
