"""Builds the messages to a judge from a prompt file and fenced foreign texts, with the same content as fields.

A judge without a model reads the fields, so that no code has to parse a prompt.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from drr.env.plugins import prompt_folders
from drr.eval.asking.safety import fenced, text_for_judge
from drr.eval.labels import Dimension
from drr.llm.prompts import Prompt, Prompts, fence, unused_mark
from drr.llm.thinking import shared_opening
from drr.wording.currency import DOLLARS, Currency
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel

FOLDER = Path(__file__).parents[1] / "prompts"
Form = TypeVar("Form", bound=BaseModel)


@cache
def box_prompts() -> Prompts:
    return Prompts(FOLDER, beside=prompt_folders("judging"))


class Section(NamedTuple):
    """A foreign text under a label; `intro` is the project's own sentence before it."""

    label: str
    text: str
    intro: str = ""
    about: str = ""
    """Key of the answer, or of the other subject, that the text belongs to."""
    head: str = ""
    """Origin of the text, shown as its first line."""
    report: bool = False
    """True for a report: Markdown that people read rendered. Other texts are read as written."""
    gist: str | None = None
    """The words that count in the text, for a judge without a model; `None`: all of them. A model is never sent this field."""
    surface: Dimension | None = None
    """Dimension that a judge without a model measures by the text's surface; a model is never sent this field."""

    @property
    def fenced_text(self) -> str:
        return f"{self.head}\n{self.text}" if self.head else self.text

    @property
    def shown(self) -> str:
        """Return the text without its head, as the judge reads it."""
        return text_for_judge(self.text, report=self.report)


def with_id(section: Section, name: str, ours: str = "[a-z]") -> Section:
    """Name what a section holds: in the `%s` of its intro where the id is `ours` and a number.

    Any other id of a point, criterion or fact could say something, so it stands in the fence.
    """
    plain = re.fullmatch(rf"{ours}[0-9]{{1,4}}", name) is not None
    intro = section.intro % (f"`{name}`" if plain else "(its id is the first line)")
    return section._replace(intro=intro, about=name, head="" if plain else name)


@dataclass(frozen=True)
class Asking(Generic[Form]):
    """One question to a judge."""

    task: str
    form: type[Form]
    messages: tuple[BaseMessage, ...]
    sections: tuple[Section, ...] = ()
    about: tuple[str, ...] = ()
    """Subjects, such as keys of answers. Equal prompts about two answers are two questions."""
    dimension: Dimension | None = None
    shop_url: str = ""
    person_known: bool = False
    money: Currency = DOLLARS
    """The shop's currency, for rules that judge in a model's place."""

    @cached_property
    def fingerprint(self) -> str:
        """Return the fingerprint of the whole prompt, which is part of a judgement's key."""
        return fingerprint(self.messages)

    def part(self, label: str) -> str:
        """Return the first text with this label as shown; empty where there is none."""
        return next((section.shown for section in self.sections if section.label == label), "")


def conversation_with_prefix(
    system: str,
    shared: Sequence[Section],
    asked: Sequence[Section] = (),
    last: str = "",
    *,
    again: bool = True,
) -> tuple[BaseMessage, ...]:
    """Build a conversation that begins as others do: with the system message and the shared texts. The provider's cache may keep them.

    All texts have one fence mark, made of the shared texts; no text contains it. `again` says that another request with this beginning follows.
    """
    texts = [text_for_judge(one.fenced_text, report=one.report) for one in (*shared, *asked)]
    mark = unused_mark(texts, "\0".join(texts[: len(shared)]), digits=8)
    blocks = [
        "\n".join(filter(None, (one.intro, fence(text, one.label, mark=mark))))
        for one, text in zip((*shared, *asked), texts, strict=True)
    ]
    beginning, rest = "\n\n".join(blocks[: len(shared)]), filter(None, (*blocks[len(shared) :], last))
    return SystemMessage(system), shared_opening(beginning, "\n\n".join(["", *rest]), again=again)


def conversation(system: str, sections: Sequence[Section]) -> tuple[BaseMessage, ...]:
    """Build the system and the user message. The fence marks depend on all texts together, so no text can contain them."""
    salt = sha256(
        "\0".join(section.fenced_text for section in sections).encode("utf-8", "surrogatepass")
    ).hexdigest()
    parts = []
    for section in sections:
        block = fenced(section.fenced_text, section.label, salt=salt, report=section.report)
        parts.append(f"{section.intro}\n{block}" if section.intro else block)
    return SystemMessage(system), HumanMessage("\n\n".join(parts))


def fingerprint(messages: Sequence[BaseMessage]) -> str:
    text = "\0".join(f"{message.type}\0{message.text}" for message in messages)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def version_of(*prompts: Prompt) -> str:
    """Return a short name for a set of prompts, by which two judging runs are told apart."""
    return sha256("\0".join(prompt.sha256 for prompt in prompts).encode()).hexdigest()[:12]
