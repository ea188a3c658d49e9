"""Every option of every engine version that shoal knows: names, types, defaults, enum values, spellings, history.

The facts come from released artefacts by reflection (see `tools/catalogue`); only prefix families are kept by hand (`data/families.tsv`).
"""

from __future__ import annotations

from shoal.catalogue.catalogue import Catalogue
from shoal.catalogue.model import Alias, Change, Option, UnknownEngine
from shoal.catalogue.store import debezium, engines, flink_fields, load, pyflink

__all__ = ["Alias", "Catalogue", "Change", "Option", "UnknownEngine", "debezium", "engines", "flink_fields", "load", "pyflink"]
