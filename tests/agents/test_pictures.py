"""The pictures in the documentation are those of the graphs that run."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest
from drr.agents.base import Limits
from drr.agents.pictures import graphs, mermaid, refreshed

PAGE = Path(__file__).parents[2] / "docs" / "agents.md"


def test_every_graph_is_drawn_and_current() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == refreshed(page), "run `python -m drr.agents.pictures docs/agents.md`"
    for name in graphs():
        assert mermaid(name) in page


def test_figure_3_in_edges() -> None:
    hybrid = mermaid("hybrid-react")
    for edge in (
        "__start__ --> supervisor", "supervisor -.-> researcher", "researcher --> return_control",
        "return_control -.-> supervisor", "supervisor -.-> report", "report --> __end__",
    ):  # fmt: skip
        assert edge in hybrid
    researcher = mermaid("researcher")
    for edge in ("reason -.-> act", "act -.-> reason", "act -.-> synthesise", "synthesise --> __end__"):
        assert edge in researcher


@pytest.mark.parametrize("name", [field.name for field in fields(Limits)])
def test_every_limit_is_documented_with_its_default(name: str) -> None:
    value = getattr(Limits(), name)
    assert f"| `{name}` | {value:,} |" in PAGE.read_text(encoding="utf-8")
