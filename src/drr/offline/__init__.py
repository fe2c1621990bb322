"""Stand-ins for language models: rules that play agents, the judge and the query writer.

Here are a script that searches and lists what it found, the judge `rules-2`, and the writer of questions, all
without a key. They read the fields of a request and the records behind results, never a prompt, so that any
prompt may be replaced.
`app` hands them to the packages that ask a model. `agents`, `querygen` and `eval` may not import them: nobody
is to get rules where a model was meant. Their reports and verdicts stand under a banner that says so.
Begin with `cast.py`, then `judge.py`.
"""
