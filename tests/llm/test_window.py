"""What is known of how much a model reads, and what is not."""

from __future__ import annotations

import pytest
from drr.llm.names import input_tokens


@pytest.mark.parametrize(
    ("name", "tokens"),
    [
        ("anthropic:claude-sonnet-4-5", 200_000),
        ("openai:gpt-4o", 128_000),
        ("openai:gpt-oss-of-somebody", None),
        ("ollama:anything", None),
        ("offline", None),
    ],
)
def test_a_window_is_what_its_maker_says_or_not_known(name: str, tokens: int | None) -> None:
    assert input_tokens(name) == tokens
