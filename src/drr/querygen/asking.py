"""The messages to a query writer, made from its inputs, and the form of the writer's drafts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, get_args

from drr.env.profile import Bought, ProfileSummary
from drr.env.query import Fact
from drr.env.records.shopper import purchase_row, shopper_summary
from drr.env.shop import Manifest
from drr.llm.prompts import Prompts, fence
from drr.tools.registry import TOOLS
from drr.wording.currency import DOLLARS, Currency
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel, ConfigDict, Field, create_model

FOLDER = Path(__file__).parent / "prompts"


class OwnKind(NamedTuple):
    """A kind of product by its category's own name: the price of one, and the ids of known products."""

    price: float
    products: Sequence[str]


class ShopperBrief(NamedTuple):
    """A shopper's data for a writer, as plain fields that rule-based writers read instead of the prompt."""

    profile: ProfileSummary
    questions: int
    before: int = 0
    """The number of questions already written for the shopper."""
    kinds: Mapping[str, OwnKind] | None = None
    """Kinds that the shopper owns, where the shop is a foreign one or sold nothing that was asked for so far; else `None`."""
    currency: Currency = DOLLARS


class DepartmentBrief(NamedTuple):
    """A department for a writer of generic questions; `batch` counts how often the department came before."""

    department: str
    batch: int
    questions: int
    before: int = 0
    currency: Currency = DOLLARS
    kinds: Mapping[str, OwnKind] | None = None
    """Kinds of the department in a foreign shop; else `None`."""


def prompts_of_shop(prompts: Prompts, manifest: Manifest) -> Prompts:
    """Return the writers' prompts with the shop's currency and language; those of an English shop in dollars are as written."""
    money, choices = manifest.money, dict[str, str]()
    if money != DOLLARS:
        choices["money"] = (
            f"{money.code} (an amount is written {money.text(1234.5)}, and as a bare number 1234.5)"
        )
    if money != DOLLARS or manifest.foreign_language:
        choices |= {"domain": "", "place": "region"}
    if manifest.foreign_language:
        spoken = f"the language with the ISO code `{manifest.foreign_language}`"
        choices["language"] = f"{spoken}, as the search phrases of `needs` are"
        choices["limits"] = _LIMITS
    return prompts.chosen(choices) if choices else prompts


_LIMITS = """;
- `limits`: the most that the question says may be spent, as bare numbers: `total_max` for all together, `item_max` for each piece, `month_max` for a month; null where it sets no such limit"""


def tool_list() -> str:
    """Return a text with the name and summary of each tool, one on a line."""
    return "\n".join(f"- `{tool.name}`: {tool.summary()}" for tool in TOOLS.values())


def records(profile: ProfileSummary) -> list[Bought]:
    """Return the orders that a writer may use: repeated purchases, then recent and expensive ones, each once."""
    return list({item.order_id: item for item in [*profile.repeated, *profile.notable]}.values())


def profile_messages(prompts: Prompts, brief: ShopperBrief) -> list[BaseMessage]:
    profile, currency = brief.profile, brief.currency
    task = prompts.fill(
        "writer_profile",
        count=str(brief.questions),
        today=profile.as_of,
        profile=fence(shopper_summary(profile, currency), "profile"),
        records=fence("\n".join(purchase_row(one, currency) for one in records(profile)), "orders"),
    )
    return [_system(prompts), HumanMessage(task)]


def generic_messages(prompts: Prompts, brief: DepartmentBrief, today: str) -> list[BaseMessage]:
    task = prompts.fill(
        "writer_generic",
        count=str(brief.questions),
        today=today,
        department=fence(brief.department, "department"),
        batch=str(brief.batch),
    )
    return [_system(prompts), HumanMessage(task)]


def again_message(prompts: Prompts, count: int, before: Sequence[Mapping[str, str]]) -> HumanMessage:
    """Return a message with the writer's earlier questions and the failed checks of each."""
    lines = [
        f"- {row['query']}" + (f" [rejected: {row['failed']}]" if row["failed"] else "") for row in before
    ]
    return HumanMessage(
        prompts.fill("writer_again", count=str(count), before=fence("\n".join(lines), "questions"))
    )


def _system(prompts: Prompts) -> BaseMessage:
    return SystemMessage(prompts.fill("writer_system", tools=tool_list()))


Intent = Literal["compare", "plan", "replace", "gift", "seasonal", "safety", "reorder"]
INTENTS: tuple[Intent, ...] = get_args(Intent)
Mode = Literal["profile", "generic"]


class Draft(BaseModel):
    model_config = ConfigDict(extra="forbid")

    intent: Intent
    query: str = Field(min_length=1, max_length=4000)
    rationale: str = Field(min_length=1, max_length=2000)
    tools: list[str] = Field(min_length=1, max_length=20)
    needs: list[Annotated[str, Field(min_length=1, max_length=120)]] = Field(min_length=1, max_length=5)
    web_need: str = Field(max_length=2000)
    facts_used: list[Fact] = Field(max_length=30)


class StatedLimits(BaseModel):
    """The limits that a writer says are in its question."""

    model_config = ConfigDict(extra="forbid")

    total_max: float | None
    item_max: float | None
    month_max: float | None


class ForeignDraft(Draft):
    """A draft in a language whose limits code cannot read."""

    limits: StatedLimits


class Drafts(BaseModel):
    model_config = ConfigDict(extra="forbid")

    queries: Sequence[Draft]


def drafts_of(count: int, form: type[Draft] = Draft) -> type[Drafts]:
    """Return a form for exactly `count` drafts, so that a writer who gives fewer is asked once more."""
    exact = Annotated[list[form], Field(min_length=count, max_length=count)]  # type: ignore[valid-type]
    return create_model("Drafts", __base__=Drafts, queries=(exact, ...))
