"""What a judge is sent and what it must answer: one prompt from a file, the strangers' texts fenced, one strict form.

The parts of a message are labelled sections, so that the judge without a model can read them as a model would.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Literal, NamedTuple

from drr.eval.asking.safety import fenced
from drr.llm.prompts import Prompt, Prompts
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel, ConfigDict, Field

FOLDER = Path(__file__).parents[1] / "prompts"
SCHEMA = 1
"""Of the answer forms below: it enters every key."""


@cache
def box_prompts() -> Prompts:
    return Prompts(FOLDER)


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class SupportAnswer(_Answer):
    """The order of the fields is the order of writing: reasons first."""

    id: str
    justification: str
    quote: str
    support: Literal["full_support", "partial_support", "no_support"]


class SupportAnswers(_Answer):
    verdicts: list[SupportAnswer]


class PaperSupportAnswer(_Answer):
    id: str
    support: Literal["full_support", "partial_support", "no_support"]
    justification: str


class PaperSupportAnswers(_Answer):
    verdicts: list[PaperSupportAnswer]


class RatingAnswer(_Answer):
    justification: str
    rating: int = Field(ge=0, le=10)


class PaperRatingAnswer(_Answer):
    rating: int = Field(ge=0, le=10)
    justification: str


class PreferenceAnswer(_Answer):
    justification: str
    winner: Literal["A", "B", "tie"]


class PaperPreferenceAnswer(_Answer):
    winner: Literal["A", "B"]
    justification: str


FailureName = Literal[
    "redundant_clarity",
    "shallow_analysis",
    "narrow_framing",
    "weak_synthesis",
    "constraint_violation",
    "poor_personalization",
]


class FailureAnswer(_Answer):
    example: str
    label: FailureName


class FailuresAnswer(_Answer):
    failures: list[FailureAnswer]


class Section(NamedTuple):
    """A text of a stranger under a label; `intro` is ours and stands before it."""

    label: str
    text: str
    intro: str = ""


def conversation(system: str, sections: Sequence[Section]) -> list[BaseMessage]:
    """The marks of every section hang on all texts together, so no text can know any of them."""
    salt = sha256(
        "\0".join(section.text for section in sections).encode("utf-8", "surrogatepass")
    ).hexdigest()
    parts = []
    for section in sections:
        block = fenced(section.text, section.label, salt=salt)
        parts.append(f"{section.intro}\n{block}" if section.intro else block)
    return [SystemMessage(system), HumanMessage("\n\n".join(parts))]


_SECTION = re.compile(
    r"(?:^(?P<intro>[^\n<]*)\n)?<(?P<label>\w+) (?P<mark>[0-9a-f]{20})>\n(?P<text>.*?)\n</(?P=label) (?P=mark)>",
    re.DOTALL | re.MULTILINE,
)


def sections_of(message: str) -> list[Section]:
    """What a message made by `conversation` holds."""
    return [Section(m["label"], m["text"], m["intro"] or "") for m in _SECTION.finditer(message)]


def fingerprint(messages: Sequence[BaseMessage]) -> str:
    """Of the whole prompt: what a judgement's key holds."""
    text = "\0".join(f"{message.type}\0{message.text}" for message in messages)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@cache
def code_version(*patterns: str) -> str:
    """Of files `ROOM/PATTERN` that decide without a model: changed rules judge again."""
    files: list[Path] = []
    for pattern in patterns:
        room, _, rest = pattern.partition("/")
        folder = import_module(f"drr.{room}").__path__[0]
        found = sorted(Path(folder).glob(rest))
        if not found:
            raise ValueError(f"no file is {pattern}: what decides without a model would have no version")
        files += found
    return sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()[:12]


def version_of(*prompts: Prompt) -> str:
    """A short name of a set of prompts, for people and for telling two judgings apart."""
    return sha256("\0".join(prompt.sha256 for prompt in prompts).encode()).hexdigest()[:12]
