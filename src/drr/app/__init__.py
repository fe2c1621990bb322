"""User-facing parts of the program: command line, report, viewer, annotation page.

Here the other packages are wired together: commands, studies, judging, reports, the viewer, boards, bundles
and training. A command parses its words, calls a typed function and prints what it returns; Python calls the
same function.
It imports every package but papers and extras, which come in as plug-ins. No package below may import `app`;
papers and extras get of it only what `drr.plugin` offers. What a verdict or a figure rests on belongs into
`eval`.
Begin with `commands/table.py`, then `study/run.py` for running and `judge/run.py` for judging.
"""
