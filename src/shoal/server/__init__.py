"""The language server: the same core behind an editor. `main.serve` runs it over standard input and output.

Three processes: the server itself (protocol, settings, what counts for whole jobs), a checker that reads one file after the other and may
be killed at any time, and, at the start, one that looks through the workspace and ends.
"""
