"""Answers of a given form: read strictly, asked for once more with what was wrong, never mended."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from drr.llm.failures import ModelFailure
from drr.llm.role import Schema
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from pydantic import BaseModel, ValidationError

_FENCED = re.compile(r"```[a-zA-Z0-9_-]*[ \t]*\n(.*?)\n[ \t]*```", re.DOTALL)
TRIES = 2


class Unreadable(ValueError):
    """Says to the model what to mend."""


async def structured(
    ask: Callable[[Sequence[BaseMessage]], Awaitable[AIMessage]],
    messages: Sequence[BaseMessage],
    schema: type[Schema],
) -> Schema:
    """`ask` raises for refused and cut answers, so what arrives here ended as the model meant it to end."""
    transcript = list(messages)
    problem = ""
    for _ in range(TRIES):
        raw = await ask(transcript)
        try:
            return read(raw.text, schema)
        except Unreadable as error:
            problem = str(error)
        form = json.dumps(schema.model_json_schema())
        transcript += [
            raw,
            HumanMessage(
                f"That answer cannot be used: {problem}. Answer again with nothing but one JSON document "
                f"of this form:\n{form}"
            ),
        ]
    raise ModelFailure("malformed", f"no usable {schema.__name__} in {TRIES} answers: {problem}")


def readable(text: str, schema: type[BaseModel]) -> bool:
    try:
        read(text, schema)
    except Unreadable:
        return False
    return True


def read(text: str, schema: type[Schema]) -> Schema:
    """The whole text is one JSON document, or it holds exactly one block between fences that both stand."""
    document = _document(text.strip())
    try:
        json.loads(document, parse_constant=_refuse_constant, object_pairs_hook=_refuse_twins)
        return schema.model_validate_json(document, strict=True)
    except ValidationError as error:
        reasons = "; ".join(
            f"{'.'.join(map(str, one['loc'])) or 'the document'}: {one['msg']}"
            for one in error.errors(include_url=False, include_input=False)[:5]
        )
        raise Unreadable(reasons) from None
    except RecursionError:
        raise Unreadable("the JSON is nested too deeply") from None
    except ValueError as error:
        raise Unreadable(f"not JSON ({error})") from None


def _document(text: str) -> str:
    if not text:
        raise Unreadable("it holds no text")
    if "```" not in text or text[0] in "{[":
        return text
    blocks = _FENCED.findall(text) if text.count("```") == 2 else []
    if len(blocks) != 1:
        raise Unreadable("it does not hold exactly one complete block of JSON")
    return str(blocks[0])


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _refuse_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found
