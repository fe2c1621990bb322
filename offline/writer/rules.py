"""The offline query writer. Rules that make questions out of the brief that goes along with a model's prompt, and of nothing else."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, TypedDict

from drr.env.profile import THEMES, Bought, ProfileSummary, Spend, themes_of
from drr.offline.writer.phrases import (
    FILES,
    PurchaseRecord,
    Shopper,
    Slots,
    ThemeWords,
    ThingWords,
    draw,
    first_up,
    shapes_of,
    theme_words,
)
from drr.querygen.asking import INTENTS, DepartmentBrief, Intent, ShopperBrief, records
from drr.wording.states import STATES
from langchain_core.messages import AIMessage, BaseMessage

VERSION = 5
"""Raised whenever the rules would write something else from the same words."""

_HEAD = re.compile(r"\s{0,9}(?:[,;:(\[|]|\s[-\u2013\u2014]\s|\u2014).*$", re.S)
_MARKS = re.compile(r"^\u3010[^\u3011]*\u3011|[\u200b-\u200f\u2026]")

_CHOICES = tomllib.loads(Path(__file__).with_name("choices.toml").read_text(encoding="utf-8"))
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
    stores = [share.name for share in profile.stores]
    every = [_record(item, stores) for item in records(profile)]
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


def _record(item: Bought, stores: Sequence[str]) -> PurchaseRecord:
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
        next((name for name in stores if thing.startswith(f"{name} ")), ""),
        kind,
        themes_of(thing),
        None if item.price is None else round(item.price, 2),
        kind.casefold().rpartition(" ")[2] in {*_CHOICES["used_up"], *_CHOICES["perishes"]},
        kind.rpartition(" ")[2] in _CHOICES["perishes"],
    )


def rules_version() -> str:
    """Enters the key of every unit that these rules write."""
    return f"{VERSION}:{sha256(b''.join(file.read_bytes() for file in FILES)).hexdigest()[:16]}"


class FactRow(TypedDict):
    kind: Literal["order", "product", "profile", "statistics"]
    id: str


class DraftRow(TypedDict):
    """A `Draft` as a model would write it."""

    intent: Intent
    query: str
    rationale: str
    tools: list[str]
    needs: list[str]
    web_need: str
    facts_used: list[FactRow]


def _profile(shopper: Shopper, count: int, before: int) -> list[DraftRow]:
    seed = draw(*(record.order for record in shopper.records), shopper.state)
    known = [key for key in shopper.themes if key in theme_words()] or ["clean_home"]
    return [
        _write(
            INTENTS[(seed + 2 * place) % len(INTENTS)],
            known[place % min(len(known), 5)],
            shopper,
            draw(seed, place),
        )
        for place in range(before, before + count)
    ]


def _write(intent: Intent, theme: str, shopper: Shopper, seed: int) -> DraftRow:
    """Write of what the shopper has, if the intent is about that and there is one; else compare."""
    words = theme_words()[theme]
    again = [record for record in shopper.records if record.times > 1 and record.used_up]
    if intent == "reorder" and again:
        record = again[seed % len(again)]
        thing: ThingWords = {
            "need": record.kind, "price": record.price or 20.0, "say": record.kind, "why": [], "want": [], "ask": []
        }  # fmt: skip
        return _draft(intent, Slots(words, [thing], record, shopper, seed), [thing])
    if intent in ("replace", "safety"):
        pairs = [
            (one, record)
            for one in (
                one for key in shopper.themes if key in theme_words() for one in theme_words()[key]["things"]
            )
            for record in shopper.records
            if record.is_a(one) and one["why"] and not (intent == "replace" and record.used_up)
        ]
        if pairs:
            thing, own = pairs[seed % len(pairs)]
            return _draft(intent, Slots(words, [thing], own, shopper, seed), [thing])
    if intent in ("reorder", "replace", "safety"):
        intent = "compare"
    things = _turned(words, shopper, seed, {"compare": 1, "plan": 2 + seed % 2}.get(intent, 2))
    mine = next((record for record in shopper.records if record.is_a(things[0])), None)
    return _draft(intent, Slots(words, things, mine, shopper, seed), things)


def _turned(words: ThemeWords, shopper: Shopper, seed: int, count: int) -> list[ThingWords]:
    """Choose things of a theme: what the shopper has one of comes first, two times in three."""
    first = seed // 7 % len(words["things"])
    turned = words["things"][first:] + words["things"][:first]
    if seed // 11 % 3:
        turned.sort(key=lambda one: not any(record.is_a(one) for record in shopper.records))
    return turned[:count]


def _draft(intent: Intent, slots: Slots, things: Sequence[ThingWords]) -> DraftRow:
    filled, record = slots.fill(intent), slots.record
    facts: list[FactRow] = []
    if record is not None and filled.slots & {"thing", "kind"}:
        facts = [{"kind": "order", "id": record.order}, {"kind": "product", "id": record.product}]
    if "state" in filled.slots:
        facts.append({"kind": "profile", "id": "address.state"})
    if "$" in filled.text or not facts:
        facts.append({"kind": "statistics", "id": "price_quartiles"})
    asked = ({"ask", "Ask"} & filled.slots and slots.words["ask"]) or (
        {"Keeps"} & filled.slots and slots.words["keeps"]
    )
    return {
        "intent": intent,
        "query": filled.text,
        "rationale": shapes_of(intent)["rationale"],
        "tools": [tool for tool in _CHOICES["tools"][intent] if asked or tool != "web_search"],
        "needs": [thing["need"] for thing in things],
        "web_need": f"{first_up(asked)}?" if asked else "",
        "facts_used": facts,
    }


def _generic(department: str, batch: int, count: int, before: int) -> list[DraftRow]:
    """Write as a shopper of whom nothing is known would ask."""
    themes, nobody = _CHOICES["departments"].get(department, tuple(theme_words())), Shopper(None, 1.0, [], [])
    queries: list[DraftRow] = []
    for place in range(before, before + count):
        seed = draw(department, batch, place)
        intents: tuple[Intent, ...] = ("compare", "plan", "compare", "gift")
        row = _write(intents[seed % len(intents)], themes[(batch + place) % len(themes)], nobody, seed)
        queries.append({**row, "facts_used": [], "tools": [t for t in row["tools"] if t not in _OF_USER]})
    return queries
