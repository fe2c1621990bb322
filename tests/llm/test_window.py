"""What is known of how much a model reads, and what is not."""

from __future__ import annotations

from drr.llm.names import input_tokens

from tests.cases import table


@table("llm", "a_window_is_what_its_maker_says_or_not_known")
def test_a_window_is_what_its_maker_says_or_not_known(name: str, tokens: int | None) -> None:
    assert input_tokens(name) == tokens
