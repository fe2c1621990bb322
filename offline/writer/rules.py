"""The offline query writer. Rules that make questions out of the brief that goes along with a model's prompt, and of nothing else."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, TypedDict, cast

from drr.env.profile import THEMES, Bought, ProfileSummary, Spend, themes_of
from drr.offline.writer.sentences import (
    WRITERS,
    DraftText,
    PurchaseRecord,
    Shopper,
    Slots,
    ThemeWords,
    draw,
    listed,
    round_up,
)
from drr.querygen.asking import INTENTS, DepartmentBrief, Intent, ShopperBrief, records
from drr.wording.states import STATES
from langchain_core.messages import AIMessage, BaseMessage

VERSION = 4
"""Raised whenever the rules would write something else from the same words."""
_WORDS = Path(__file__).parent / "intents.toml"

_HEAD = re.compile(r"\s{0,9}(?:[,;:(\[|]|\s[-\u2013\u2014]\s|\u2014).*$", re.S)
_MARKS = re.compile(r"^\u3010[^\u3011]*\u3011|[\u200b-\u200f\u2026]")

_USED_UP = re.compile(
    r"(?:oil|serum|cream|cleanser|lotion|shampoo|conditioner|balm|sunscreen|mascara|bombs?|salt|soak|gummies|capsules|powder"
    r"|litter|chews|supplement|pads|hay|bedding|seed|suet|bags|detergent|sheets|tablets|remover|additive|refills?|rinse"
    r"|pens|notes|pouches|markers|notebook|planner|tape|earplugs|masks?|coffee|tea|wipes|diapers|food|treats|batteries)",
    re.I,
)
"""Kinds of thing that are bought again because they are used up."""

_PERISHES = re.compile(
    r"(?:oil|serum|cream|cleanser|lotion|shampoo|conditioner|balm|sunscreen|mascara|gummies|capsules|powder|chews|supplement|hay|seed"
    r"|suet|rinse|masks?|coffee|tea|food|treats)"
)

_LOOK = ["product_catalog_search", "get_product_details"]
_TOOLS: dict[Intent, list[str]] = {
    "compare": ["get_user_orders", *_LOOK, "web_search"],
    "plan": ["get_user_profile", "get_user_orders", *_LOOK, "web_search", "calculator"],
    "replace": ["get_user_orders", "get_order_details", *_LOOK, "web_search"],
    "gift": ["get_user_orders", *_LOOK, "web_search", "calculator"],
    "seasonal": ["get_user_profile", "get_user_orders", *_LOOK, "web_search"],
    "safety": ["get_user_orders", "get_order_details", *_LOOK, "web_search"],
    "reorder": [
        "get_user_orders",
        "get_order_details",
        "get_user_statistics",
        *_LOOK,
        "web_search",
        "calculator",
    ],
}
_OF_USER = ("get_user_profile", "get_user_orders", "get_order_details", "get_user_statistics")


def write_offline(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
    """The `Policy` of the role `query_writer`."""
    brief = arguments["brief"]
    if isinstance(brief, ShopperBrief):
        queries = _profile(_shopper(brief.profile), brief.questions, brief.before)
    elif isinstance(brief, DepartmentBrief):
        queries = _generic(brief.department, brief.batch, brief.questions, brief.before)
    else:
        raise TypeError(f"the offline writer was asked without a brief of its own: {brief!r}")
    return AIMessage(json.dumps({"queries": queries}, ensure_ascii=False))


def _shopper(profile: ProfileSummary) -> Shopper:
    every = [_record(item) for item in records(profile)]
    named = [record for record in every if record.kind] or [
        record._replace(thing="untitled product", kind="product") for record in every
    ]
    weights: Counter[str] = Counter()
    for record in named:
        for theme in record.themes:
            weights[theme] += record.times
    order = {theme.key: place for place, theme in enumerate(THEMES)}
    themes = sorted(weights, key=lambda key: (-weights[key], order[key]))
    return Shopper(_state(profile), _dear(profile.spend), named, themes)


def _state(profile: ProfileSummary) -> str | None:
    return STATES.get(profile.state) if profile.country.startswith("US") else None


def _dear(spend: Spend) -> float:
    """Judge by the median price: below 14 dollars is thrifty, above 36 is not."""
    middle = round(spend.quartiles[1], 2) if spend.quartiles else 20.0
    return 0.8 if middle < 14 else 1.3 if middle > 36 else 1.0


def _record(item: Bought) -> PurchaseRecord:
    """Claims such as "Plastic-Free" are left out of the name: in a question they would read as a demand."""
    head = _HEAD.sub("", _MARKS.sub("", item.title).replace("\u00a0", " "))
    words = [word for word in head.split() if not word.casefold().endswith("-free")][:8]
    plain = " ".join(words).partition(" for ")[0].split()
    thing = " ".join(words)
    last = plain[-3:] if len(plain) > 2 and len(plain[-2]) < 3 else plain[-2:]
    kind = " ".join(word if word.isupper() else word.casefold() for word in last)
    return PurchaseRecord(
        item.order_id,
        item.product_id,
        item.last[:4],
        item.times,
        thing,
        kind,
        themes_of(thing),
        None if item.price is None else round(item.price, 2),
        _ends_with(_USED_UP, kind),
        _ends_with(_PERISHES, kind),
    )


def _ends_with(pattern: re.Pattern[str], kind: str) -> bool:
    return bool(kind) and pattern.fullmatch(kind.split()[-1]) is not None


def rules_version() -> str:
    """Enters the key of every unit that these rules write."""
    return f"{VERSION}:{sha256(_WORDS.read_bytes()).hexdigest()[:16]}"


@cache
def _themes() -> dict[str, ThemeWords]:
    return cast("dict[str, ThemeWords]", tomllib.loads(_WORDS.read_text(encoding="utf-8")))


class FactRow(TypedDict):
    kind: Literal["order", "product", "profile", "statistics"]
    id: str


class DraftRow(DraftText):
    """A `Draft` as a model would write it."""

    intent: Intent
    tools: list[str]
    facts_used: list[FactRow]


def _profile(shopper: Shopper, count: int, before: int) -> list[DraftRow]:
    seed = draw(*(record.order for record in shopper.records), shopper.state)
    known = [key for key in shopper.themes if key in _themes()] or ["clean_home"]
    start = seed % len(INTENTS)
    queries: list[DraftRow] = []
    for place in range(before, before + count):
        theme = known[place % min(len(known), 3)]
        intent = INTENTS[(start + 2 * place) % len(INTENTS)]
        again = [r for r in shopper.records if r.times > 1 and r.used_up]
        if intent == "reorder" and not again:
            intent = "compare"
        queries.append(_write(intent, theme, shopper, again, draw(seed, place)))
    return queries


def _write(intent: Intent, theme: str, shopper: Shopper, again: list[PurchaseRecord], seed: int) -> DraftRow:
    if intent == "reorder":
        record = again[seed % min(len(again), 2)]
        theme = next((key for key in record.themes if key in _themes()), theme)
    else:
        record = _about(theme, shopper.records, seed)
    words = _themes()[theme]
    slots = Slots(words, record, shopper, seed)
    draft = WRITERS[intent](slots)
    facts: list[FactRow] = []
    if record.thing in draft["query"]:
        facts = [{"kind": "order", "id": record.order}, {"kind": "product", "id": record.product}]
    if shopper.state and shopper.state in draft["query"]:
        facts.append({"kind": "profile", "id": "address.state"})
    if "$" in draft["query"] or not facts:
        facts.append({"kind": "statistics", "id": "price_quartiles"})
    return {"intent": intent, "tools": _TOOLS[intent], **draft, "facts_used": facts}


def _about(theme: str, records: list[PurchaseRecord], seed: int) -> PurchaseRecord:
    """One that speaks of this theme and of as little else as possible."""
    own = [record for record in records if theme in record.themes] or records
    least = min(len(record.themes) for record in own)
    plain = [record for record in own if len(record.themes) == least]
    return plain[seed % len(plain)]


_DEPARTMENTS = {
    "Pet_Supplies": ("dogs", "cats", "fish", "small_pets"),
    "Patio_Lawn_and_Garden": ("birds", "gardening", "outdoor_living"),
    "Baby_Products": ("baby",),
    "Office_Products": ("home_office", "stationery"),
    "Home_and_Kitchen": ("cooking", "baking", "coffee_tea", "sleep", "allergy_air"),
    "Tools_and_Home_Improvement": ("workshop", "smart_home", "organizing"),
    "Health_and_Household": ("clean_home", "recovery", "senior_care"),
    "Health_and_Personal_Care": ("wellness", "sleep"),
    "Beauty_and_Personal_Care": ("skincare", "haircare", "nails_makeup"),
    "All_Beauty": ("nails_makeup", "haircare", "skincare"),
}


def _generic(department: str, batch: int, count: int, before: int) -> list[DraftRow]:
    themes = _DEPARTMENTS.get(department, tuple(_themes()))
    queries: list[DraftRow] = []
    for place in range(before, before + count):
        seed = draw(department, batch, place)
        words = _themes()[themes[(batch + place) % len(themes)]]
        need, plural, criteria, _ = words["compare"]
        needs = [row[0] for row in words["needs"][:2]]
        names = {row[0]: row[2] for row in words["needs"] if len(row) > 2}
        cap = round_up(sum(row[1] for row in words["needs"][:2]) * 1.25)
        variants: list[tuple[Intent, str, list[str]]] = [
            ("compare", f"What are the best {plural}? Compare {criteria}.", [need]),
            ("plan", f"What do I need to {words['goal']}? Suggest products and stay under ${cap}.", needs),
            ("gift", f"What is a good gift for {words['gift']}, for up to ${cap}?", needs),
            ("safety", f"Please explain {words['care']}, and recommend {listed(needs, names)}.", needs),
            ("compare", f"I am looking for {plural}. Which ones have good reviews and a fair price?", [need]),
        ]
        intent, text, wanted = variants[(seed + batch) % len(variants)]
        web = {
            "compare": f"What independent tests say about {plural}.",
            "safety": f"Find out {words['care']}.",
        }.get(intent, "")
        queries.append(
            {
                "intent": intent,
                "query": text,
                "rationale": "A question of general interest in this department.",
                "tools": [
                    tool for tool in _TOOLS[intent] if tool not in _OF_USER and (web or tool != "web_search")
                ],
                "needs": wanted,
                "web_need": web,
                "facts_used": [],
            }
        )
    return queries
