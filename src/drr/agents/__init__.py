"""Agents that answer research questions: Plan-to-Function, ReAct, Hybrid-ReAct and Ledger as LangGraph graphs."""

if __name__ != "drr.agents":
    from drr.beside import step_aside

    step_aside(__name__, __path__[0])
