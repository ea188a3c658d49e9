"""The audit on Spark: the same core, run by executors. Nothing outside this package imports PySpark, and only its driver half does.

inputs    folders, git repositories, tables and remote folders as DataFrames
executor  what runs in Python workers: list, scan, check, conclude, facts
plan      what travels to them: settings and rule ids, no code
driver    one audit: which steps run over which rows
tables    what is kept: the tables of all runs, and what is known of contents
"""
