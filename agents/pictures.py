"""Pictures of the graphs, drawn from the compiled graphs themselves.

    python -m drr.agents.pictures docs/agents.md      # brings the pictures of a page up to date

A page holds a picture between `<!-- graph NAME -->` and `<!-- end -->`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

_BLOCK = re.compile(r"(<!-- graph ([\w-]+) -->\n)(?:(?!<!-- graph ).)*?(<!-- end -->)", re.DOTALL)


def graphs() -> dict[str, Callable[[], Any]]:
    from drr.agents import hybrid_react, ledger, plan_to_function, react
    from drr.env.plugins import load, merged

    return {
        "plan-to-function": plan_to_function.graph,
        "react": react.graph,
        "hybrid-react": hybrid_react.graph,
        "ledger": ledger.graph,
        "researcher": hybrid_react.researcher_graph,
        **{name: load(place) for name, place in merged("graphs").items()},
    }


def mermaid(name: str) -> str:
    """One graph as Mermaid text."""
    drawn: str = graphs()[name]().get_graph().draw_mermaid(with_styles=False)
    return drawn.strip()


def refreshed(page: str) -> str:
    """The page with each picture as the graph is now."""
    return _BLOCK.sub(lambda match: f"{match[1]}\n```mermaid\n{mermaid(match[2])}\n```\n\n{match[3]}", page)


def main() -> None:
    for name in sys.argv[1:]:
        path = Path(name)
        path.write_text(refreshed(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
