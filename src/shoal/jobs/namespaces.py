"""Whether what two files name is in one namespace of Kubernetes."""

from __future__ import annotations

from shoal.facts import Usage
from shoal.jobs.boundaries import folder_of


def meet(one: Usage, other: Usage) -> bool:
    """Whether what two facts name as `namespace/name` may be the same: of one namespace, and in one folder or in folders side by side."""
    (here, name), (there, called) = one.detail.split("/")[:2], other.detail.split("/")[:2]
    folder, beside = folder_of(one.place.path), folder_of(other.place.path)
    near = folder == beside or (bool(folder and beside) and folder_of(folder) == folder_of(beside))
    return name == called and near and (here == there or not (here and there))
