"""Parcels to an agent's process: what errors keep on the way, and heads that no stray byte passes for."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from drr.agents.commands.parcels import LENGTH, size_in, to_child, to_run
from drr.llm.failures import ModelFailure
from drr.tools.base import ToolAnswer, ToolError
from langchain_core.messages import HumanMessage


def sent(**document: Any) -> Any:
    parcel = to_child(document)
    assert size_in(parcel[:LENGTH]) == len(parcel) - LENGTH
    return pickle.loads(parcel[LENGTH:])


def invalid() -> Exception:
    with pytest.raises(ValueError, match="validation error") as caught:
        HumanMessage(content={"a": 1})  # type: ignore[arg-type]
    return caught.value


def test_an_error_keeps_its_attributes_or_at_least_its_words() -> None:
    failure = sent(error=ModelFailure("server", "down", retry_after=3.0))["error"]
    assert (type(failure), str(failure), failure.kind, failure.retry_after) == (
        ModelFailure,
        "down",
        "server",
        3.0,
    )
    answer = sent(value=ToolAnswer("text", error=ToolError("invalid", "why")))["value"]
    assert (answer.error.kind, answer.error.message) == ("invalid", "why")
    for odd in (invalid(), ValueError(lambda: 1)):
        assert str(sent(error=odd, number=2)["error"]) == str(odd)


@pytest.mark.parametrize("head", [b"\x00garbage\n", b"12345678 ", b"\n\n\n\n\n\n\n\n\n", b""])
def test_what_is_no_head_is_refused(head: bytes) -> None:
    assert size_in(to_run({"id": 1})[:LENGTH]) == len('{"id": 1}')
    with pytest.raises(ValueError, match=r"parcel|literal"):
        size_in(head)
