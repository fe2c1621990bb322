"""The rules that play the agents write reports worth reading, and differ by what their variant found."""

from __future__ import annotations

import pytest

from agents.registry import PAPER
from tests.agents.conftest import Ask


@pytest.mark.parametrize("name", [*PAPER, "hybrid-react+profile+ws"])
async def test_x(ask: Ask, name: str) -> None:
    record = await ask(name)
    print(name, record.stop_reason, record.words, record.usage)
    for c in record.tool_calls:
        print(c.researcher, c.name, c.arguments, c.error)
    print(record.report)
    print(record.fabricated, record.dangling, [s.url for s in record.sources])
