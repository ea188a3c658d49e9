"""Templates: the few shapes that most rules over settings have. A rule.yaml names one with `use:` and fills in `with:`.

Each module has `PARAMETERS` (JSON Schema of `with:`) and `check(job, context)`. What does not fit is written as a check.py.
"""
