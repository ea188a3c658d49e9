"""The audit on Spark: the same core, run by executors. Nothing outside this package imports PySpark, and only its driver half does.

In Python workers, by step (`executor.STEPS`), none of which knows a session:
listing, scanning, checking, concluding, fact_rows
plan      what travels to them: settings and rule ids, no code
rows      the columns between steps

In the driver:
session   the one that is there, or a new one
driver    which steps run over which rows
audit     one audit: what is reused, what is written
tables    what is kept: the tables of all runs, and what is known of contents
found     findings as rows, and back
"""
