"""Rebuilds the option tables of shoal from released artefacts, by reflection and never from prose.

python -m tools.catalogue build [TABLE ...]     download, extract, write the tables
python -m tools.catalogue diff TABLE A B        what changed between two versions
python -m tools.catalogue compare TABLE V FILE  keys against another list (first column of a TSV)
"""
