"""Questions for a shop: written from shoppers' profiles, checked by code, reviewed by people.

Here are the writers of questions, the checks that code makes of them, people's review, and the data set.
Checkable questions have an answer that code knows; `joined` makes those whose points bind one another, and
proves them over the whole shop.
The package imports `wording`, `env`, `tools`, `llm` and `study`, but neither `agents` nor `eval`: a question
is made before any answer, and from none. Its truth is in nothing that an agent or a judge is given.
Begin with `generate.py`, then `checkable.py`.
"""

if __name__ != "drr.querygen":
    from drr.beside import step_aside

    step_aside(__name__, __path__[0])
