"""Plan-to-Function, ReAct and Hybrid-ReAct as LangGraph graphs."""
