"""REST ports that a load balancer, an Ingress or a Route opens to the world."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shoal.context import Context
from shoal.job import Job
from shoal.lazy import pattern
from shoal.model import Finding
from shoal.templates.common import lookup

_MESSAGE = "anyone who reaches this load balancer may run code on the cluster: Flink's REST port has no login"

_NODES = "anyone who reaches a node of the cluster may run code on Flink: its REST port has no login"

_INGRESS = "anyone who knows this address may run code on the cluster: it leads to Flink's REST port, which has no login"
_ROUTE = "anyone who reaches the router may run code on the cluster: this route leads to Flink's REST port, which has no login; send it through a proxy that asks for one"
_PROXY = pattern(r"proxy|oauth|auth|gateway", re.IGNORECASE)
# Annotations by which an Ingress asks for a login or lets in known addresses only.
_GUARDED = pattern(r"auth|oauth|oidc|whitelist|allowlist|source-range|inbound-cidrs|security-groups", re.IGNORECASE)
_FLINK = pattern(r"flink|job-?manager", re.IGNORECASE)


def check(job: Job, context: Context) -> Iterator[Finding]:
    for block in job.select("kubernetes", ("service",)):
        kind = job.get(block, "spec.type")
        if kind is None or not kind.known or kind.text not in ("LoadBalancer", "NodePort"):
            continue
        target = f"{block.name} {block.trait('selector')}".lower()
        ports = block.trait("ports").split(",")
        rest = "8081" in ports or any(word in port for port in ports for word in ("rest", "ui"))
        inside = any(
            name.startswith("annotation:")
            and ("internal" in value.lower() or ("internal" in name and value.lower() in ("true", "0.0.0.0/0")))
            for name, value in block.traits
        )
        ranges = any(setting.key.startswith("spec.loadBalancerSourceRanges") for setting in job.of(block))
        if ("flink" in target or "jobmanager" in target or "job-manager" in target) and rest and not inside and not ranges:
            if kind.text == "NodePort":  # nodes are often out of reach from outside
                yield context.finding(_NODES, kind, severity="warning", confidence="low")
            else:  # a chart that knows several types leaves the choice to its values, whose default is a private one as a rule
                yield context.finding(_MESSAGE, kind, confidence="medium" if kind.sure == "branch" else "")
    for block in job.select("kubernetes", ("ingress",)):
        backend = block.trait("backend")
        annotations = {name.removeprefix("annotation:"): value for name, value in block.traits if name.startswith("annotation:")}
        asked = {
            setting.text for setting in job.of(block) if setting.known and re.search(r"port(?:\.number|\.name)?$|servicePort$", setting.key)
        }
        rest = "8081" in asked or re.search(r"rest|job-?manager", backend, re.IGNORECASE) is not None
        public = annotations.get("alb.ingress.kubernetes.io/scheme") == "internet-facing"
        if not rest or not public or not _FLINK.search(f"{block.name} {backend}") or any(_GUARDED.search(name) for name in annotations):
            continue
        yield context.finding(_INGRESS, block)
    for block in job.select("kubernetes", ("route",)):
        backend, port = block.trait("backend"), job.get(block, "spec.port.targetPort")
        rest = port is not None and port.text in ("8081", "rest", "ui", "webui")
        if not (rest or "rest" in backend.lower()) or not _FLINK.search(backend) or _PROXY.search(backend):
            continue
        if not any(_GUARDED.search(name.removeprefix("annotation:")) for name, _ in block.traits if name.startswith("annotation:")):
            yield context.finding(_ROUTE, block, severity="warning", confidence="low")  # the router may be out of reach from outside
    for block in job.select("flink", ("cluster", "deployment", "command")):
        exposed = job.get(block, "kubernetes.rest-service.exposed.type")
        if exposed is None or not exposed.known or exposed.text.strip().lower() != "loadbalancer":
            continue
        tls = lookup(job, block, "security.ssl.rest.authentication-enabled")
        private = lookup(job, block, "kubernetes.rest-service.annotations")
        if tls is None and private is None:
            yield context.finding(_MESSAGE, exposed)
