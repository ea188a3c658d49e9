"""Which files make one job, and what is in force in it.

`find.jobs_of` groups the facts of all files into `Job`s; nothing here opens a file. It asks an `index` of the files by what they are, and who
knows one kind of tie: `images` (what containers get), `starters` (what starts a program), `nearest` (config around it), `containers`, `pins`.
"""
