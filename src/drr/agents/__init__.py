"""Agents that answer research questions: Plan-to-Function, ReAct and Hybrid-ReAct as LangGraph graphs.

Here are the architectures and their registry, the runner, the evidence that a run's tools returned, the
repair of citations, and agents of others with what contains them (`commands`). Prompts are the Markdown files
of `prompts`.
The package imports `citations`, `wording`, `env`, `tools` and `llm`. It may import neither `eval`, so that no
agent knows how it is judged, nor `study`: a run returns its record, and others keep it.
Begin with `runner.py`, then `react.py`; `architecture.py` says what an architecture declares.
"""

if __name__ != "drr.agents":
    from drr.beside import step_aside

    step_aside(__name__, __path__[0])
