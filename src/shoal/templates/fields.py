"""Fields of Kubernetes resources that their definitions do not have."""

from __future__ import annotations

from shoal.context import Context
from shoal.facts import Oddity
from shoal.model import Finding


def unknown(context: Context, oddity: Oddity, kind: str, meant: str) -> Finding:
    """An oddity whose subject is such a field. `meant` is what may be meant; without it the field may be one of a newer release."""
    why = f"; {meant} may be meant" if meant else ""
    message = f"a {kind} has no field {oddity.subject}: kubectl refuses the resource, and the API server drops the field{why}"
    return context.finding(message, oddity, confidence="" if meant else "medium")
