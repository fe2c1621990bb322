"""A message to a judge: one prompt from a file, the strangers' texts fenced. And beside it the same as fields.

A judge without a model reads the fields; nobody reads a prompt back that we wrote.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from drr.env.plugins import prompt_folders
from drr.eval.asking.safety import fenced, harmless
from drr.eval.labels import Dimension
from drr.llm.prompts import Prompt, Prompts
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel

FOLDER = Path(__file__).parents[1] / "prompts"
Form = TypeVar("Form", bound=BaseModel)


@cache
def box_prompts() -> Prompts:
    return Prompts(FOLDER, beside=prompt_folders("judging_prompts"))


class Section(NamedTuple):
    """A text of a stranger under a label; `intro` is ours and stands before it."""

    label: str
    text: str
    intro: str = ""
    about: str = ""
    """Key of the answer, or of whatever else is asked about, that it belongs to."""
    head: str = ""
    """Origin of the text, shown as its first line."""
    report: bool = False
    """Markdown that people read rendered; all else is read as it stands."""
    gist: str | None = None
    """The words that count in it, for a judge without a model; `None`: all of them. No model is sent it apart."""
    surface: Dimension | None = None
    """Trait that a judge without a model measures in place of words; no model is sent it."""

    @property
    def fenced_text(self) -> str:
        return f"{self.head}\n{self.text}" if self.head else self.text

    @property
    def shown(self) -> str:
        """The text without its head, as the judge reads it."""
        return harmless(self.text, report=self.report)


@dataclass(frozen=True)
class Asking(Generic[Form]):
    """One question to a judge."""

    task: str
    form: type[Form]
    messages: tuple[BaseMessage, ...]
    sections: tuple[Section, ...] = ()
    about: tuple[str, ...] = ()
    """Subjects, e.g. the keys of the answers: equal prompts about two answers are two questions."""
    dimension: Dimension | None = None
    shop_url: str = ""
    person_known: bool = False

    @cached_property
    def fingerprint(self) -> str:
        """The fingerprint of the whole prompt, as a judgement's key has it."""
        return fingerprint(self.messages)

    def part(self, label: str) -> str:
        """The first text under this label as it is shown; empty where there is none."""
        return next((section.shown for section in self.sections if section.label == label), "")


def conversation(system: str, sections: Sequence[Section]) -> tuple[BaseMessage, ...]:
    """The marks of every section hang on all texts together, so no text can know any of them."""
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
    """A short name of a set of prompts, for people and for telling two judgings apart."""
    return sha256("\0".join(prompt.sha256 for prompt in prompts).encode()).hexdigest()[:12]
