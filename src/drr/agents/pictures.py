"""Draws the agents' compiled graphs as Mermaid text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def graphs() -> dict[str, Callable[[], Any]]:
    from drr.agents import hybrid_react, plan_to_function, react
    from drr.env.plugins import papers

    return {
        "plan-to-function": plan_to_function.graph,
        "react": react.graph,
        "hybrid-react": hybrid_react.graph,
        "researcher": hybrid_react.researcher_graph,
        **{name: graph for paper in papers() for name, graph in paper.agents.graphs().items()},
    }


def mermaid(name: str) -> str:
    """Return the graph of that name as Mermaid text."""
    drawn: str = graphs()[name]().get_graph().draw_mermaid(with_styles=False)
    return drawn.strip()
