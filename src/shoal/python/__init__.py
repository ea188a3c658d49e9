"""Python job code: one semantic model a module, built by one walk over LibCST's tree, and the facts it yields.

`guard` decides whether a file is worth (and safe) to parse, `tree` walks it once, `values` answers what an expression is,
`module` is what rules ask, `contexts` says where code runs, `flow` which paths exist, `facts_*` turn calls into settings.
"""
