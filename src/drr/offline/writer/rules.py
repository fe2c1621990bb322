"""The offline query writer: fills sentence patterns with phrases on a thing and on the records of the brief."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from string import Formatter
from typing import Any, NamedTuple

from drr.env.profile import Bought, ProfileSummary, themes_of
from drr.querygen.asking import INTENTS, DepartmentBrief, Intent, OwnKind, ShopperBrief, records
from drr.wording.currency import DOLLARS, Currency
from drr.wording.states import STATES
from langchain_core.messages import AIMessage, BaseMessage

VERSION = 8
"""The version of the rules, raised whenever they write something else from the same words."""
_HERE = Path(__file__).parent
FILES = (_HERE / "things.toml", _HERE / "phrases.toml")
_HEAD = re.compile(r"\s{0,9}(?:[,;:(\[|]|\s[-\u2013\u2014]\s|\u2014).*$", re.S)
_MARKS = re.compile(r"^\u3010[^\u3011]*\u3011|[\u200b-\u200f\u2026]")
_OF_USER = ("get_user_profile", "get_user_orders", "get_order_details", "get_user_statistics")
Words = Mapping[str, Any]
"""A table of `things.toml` or `phrases.toml`."""


@cache
def _table(name: str) -> Words:
    return tomllib.loads((_HERE / f"{name}.toml").read_text(encoding="utf-8"))


def rules_version() -> str:
    """Return the version of rules and phrases, which enters the key of every unit that they write."""
    return f"{VERSION}:{sha256(b''.join(file.read_bytes() for file in FILES)).hexdigest()[:16]}"


class _Owned(NamedTuple):
    """A purchase, in words that its owner would use."""

    order: str
    product: str
    year: str
    times: int
    thing: str
    """The beginning of the title: brand and kind, without the search words that sellers add."""
    brand: str
    """The store's name, where the title begins with the name."""
    kind: str
    """The last words of `thing`, which serve as search words."""
    price: float | None
    title: str

    @classmethod
    def of(cls, item: Bought, stores: Sequence[str]) -> _Owned:
        """Make the words from an order. Claims such as "Plastic-Free" are left out of the name, as they would read as a demand in a question."""
        head = _HEAD.sub("", _MARKS.sub("", item.title).replace("\u00a0", " "))
        thing = " ".join([word for word in head.split() if not word.casefold().endswith("-free")][:8])
        words = thing.partition(" for ")[0].split()
        last = words[-3:] if len(words) > 2 and len(words[-2]) < 3 else words[-2:]
        kind = " ".join(word if word.isupper() else word.casefold() for word in last)
        brand = next((name for name in stores if thing.startswith(f"{name} ")), "")
        price = None if item.price is None else round(item.price, 2)
        return cls(
            item.order_id, item.product_id, item.last[:4], item.times, thing, brand, kind, price, item.title
        )

    def is_a(self, thing: Words) -> bool:
        if "owned" in thing:
            return self.product in thing["owned"] and '"' not in self.title
        return _stems(thing["need"].split()[-2:]) <= _stems(self.thing.split())

    def called(self, thing: Words) -> str:
        if "owned" in thing:
            return f'"{self.title}"'
        return f"{self.brand} {thing['need'] if self.is_a(thing) else self.kind}".strip()


def _stems(words: Sequence[str]) -> set[str]:
    return {word.casefold().rstrip("s") for word in words}


_TRIES = 20
"""Drafts of a question, of which the one with most grounds is kept."""


class _Asker(NamedTuple):
    state: str
    """The shopper's state or region; empty where it is unknown."""
    records: Sequence[_Owned]
    themes: Sequence[str]
    currency: Currency = DOLLARS


def write_offline(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
    """Write questions, as the `Policy` of the role `query_writer`."""
    brief = arguments["brief"]
    if isinstance(brief, ShopperBrief):
        queries = _for_shopper(brief)
    elif isinstance(brief, DepartmentBrief):
        queries = _for_department(brief)
    else:
        raise TypeError(f"the offline writer was asked without a brief of its own: {brief!r}")
    return AIMessage(json.dumps({"queries": queries}, ensure_ascii=False))


def _for_shopper(brief: ShopperBrief) -> list[Words]:
    asker = _asker(brief.profile)._replace(currency=brief.currency)
    known = [_table("things")[one] for one in asker.themes[:5]]
    if brief.kinds:
        known, asker = [_own_theme(brief.kinds)], asker._replace(themes=())
    elif brief.kinds is not None:
        asker = asker._replace(records=())  # their titles are no names of kinds
    seed = _draw(*(record.order for record in asker.records), asker.state)
    rows: list[Words] = []
    for place in range(brief.before, brief.before + brief.questions):
        intent = INTENTS[(seed + 2 * place) % len(INTENTS)]
        themes = [known[(place + n // 4) % len(known)] for n in range(_TRIES)]
        drawn = [_write(intent, one, asker, _draw(seed, place, n)) for n, one in enumerate(themes)]
        rows.append(max(drawn, key=_grounds))
    return rows


def _own_theme(kinds: Mapping[str, OwnKind]) -> Words:
    """Return a theme of kinds that a shopper owns, named as their categories are, with phrases that fit any kind."""
    phrases = _table("choices")["any"]
    things = [
        {
            "need": name,
            "named": f'product from "{name}"',
            "say": f'something from "{name}"',
            "price": kind.price,
            "owned": kind.products,
            **phrases["thing"],
        }
        for name, kind in kinds.items()
    ]
    return {**phrases, "things": things}


def _grounds(row: Words) -> int:
    """Count the grounds of a question. An order or a place of the shopper counts two, something to ask the web one."""
    kinds = {fact["kind"] for fact in row["facts_used"]}
    return 2 * bool(kinds & {"order", "profile"}) + bool(row["web_need"])


def _for_department(brief: DepartmentBrief) -> list[Words]:
    """Write questions as a shopper without known records would ask them."""
    known = _table("things")
    themes = _table("choices")["departments"].get(brief.department, tuple(known))
    own = _own_theme(brief.kinds) if brief.kinds else None
    rows: list[Words] = []
    for place in range(brief.before, brief.before + brief.questions):
        seed = _draw(brief.department, brief.batch, place)
        theme = own or known[themes[(brief.batch + place) % len(themes)]]
        intents: tuple[Intent, ...] = ("compare", "plan", "compare", "gift")
        row = _write(intents[seed % len(intents)], theme, _Asker("", (), (), brief.currency), seed)
        tools = [tool for tool in row["tools"] if tool not in _OF_USER]
        rows.append({**row, "facts_used": [], "tools": tools})
    return rows


def _asker(profile: ProfileSummary) -> _Asker:
    stores = [share.name for share in profile.stores]
    every = [_Owned.of(item, stores) for item in records(profile)]
    named = [record for record in every if record.kind]
    named = named or [record._replace(thing="untitled product", kind="product") for record in every]
    known = _table("things")
    themes = [key for record in named for key in themes_of(record.thing) * record.times if key in known]
    ranked = sorted(dict.fromkeys(themes), key=lambda key: -themes.count(key)) or ["clean_home"]
    state = STATES.get(profile.state, "") if profile.country.startswith("US") else profile.state
    return _Asker(state, named, ranked)


def _write(intent: Intent, theme: Words, asker: _Asker, seed: int) -> Words:
    """Write a question on an owned product, if the intent needs one and there is one; else a comparison."""
    used_up = _table("choices")["used_up"]
    again = [record for record in asker.records if record.times > 1 and record.kind.split()[-1] in used_up]
    if intent == "reorder" and again and "owned" not in theme["things"][0]:
        record = again[seed % len(again)]
        price = record.price or 20.0
        thing = {"need": record.kind, "price": price, "say": record.kind, "why": [], "want": [], "ask": []}
        return _draft(intent, theme, [thing], record, asker, seed)
    if intent in ("replace", "safety"):
        things = (one for key in asker.themes for one in _table("things")[key]["things"])
        owned = [
            (one, record) for one in things for record in asker.records if one["why"] and record.is_a(one)
        ]
        if owned:
            thing, record = owned[seed % len(owned)]
            return _draft(intent, theme, [thing], record, asker, seed)
    if intent in ("reorder", "replace", "safety"):
        intent = "compare"
    first = seed // 7 % len(theme["things"])
    turned = [*theme["things"][first:], *theme["things"][:first]]
    if seed // 11 % 3:  # kinds that the shopper owns come first, two times in three
        turned.sort(key=lambda one: not any(record.is_a(one) for record in asker.records))
    chosen = turned[: {"compare": 1, "plan": 2 + seed % 2}.get(intent, 2)]
    mine = next((record for record in asker.records if record.is_a(chosen[0])), None)
    return _draft(intent, theme, chosen, mine, asker, seed)


def _draft(
    intent: Intent, theme: Words, things: Sequence[Words], record: _Owned | None, asker: _Asker, seed: int
) -> Words:
    """Fill a pattern of the intent; facts and tools follow from its slots. One question in eight is in hurried lower case."""
    words, shapes = _slots(theme, things, record, asker, seed), _table("phrases")[intent]
    hurried = seed % 8 == 0
    shape = _pick(seed, "shape", shapes["short" if hurried else "shapes"])
    slots = {name for _, name, _, _ in Formatter().parse(shape) if name}
    text = " ".join(shape.format(**words).replace(" ?", "").split())
    facts = []
    if record is not None and slots & {"thing", "kind", "Own", "Like"}:
        facts = [{"kind": "order", "id": record.order}, {"kind": "product", "id": record.product}]
    if "Place" in slots and asker.state:
        facts.append({"kind": "profile", "id": "address.state"})
    if (slots & _LIMITED if asker.currency != DOLLARS else "$" in text) or not facts:
        facts.append({"kind": "statistics", "id": "price_quartiles"})
    asked = words["ask"] if slots & {"ask", "Ask"} else words["keeps"] if "Keeps" in slots else ""
    return {
        "intent": intent,
        "query": text.lower() if hurried and "owned" not in things[0] else text,
        "rationale": shapes["rationale"],
        "tools": [tool for tool in _table("choices")["tools"][intent] if asked or tool != "web_search"],
        "needs": [thing["need"] for thing in things],
        "web_need": f"{_first_up(asked)}?" if asked else "",
        "facts_used": facts,
    }


def _slots(
    theme: Words, things: Sequence[Words], record: _Owned | None, asker: _Asker, seed: int
) -> dict[str, str]:
    """Return the phrases for every slot of a pattern. A slot with a capital begins a sentence."""
    phrases, thing, names = _table("phrases"), things[0], [one["say"] for one in things]
    cap = record.price if record is not None and record.price else thing["price"]
    most = {"limit": cap * 1.4, "limit_all": sum(one["price"] for one in things) * 1.25}
    owned = record is not None and record.is_a(thing)
    words = {
        "say": names[0],
        "need": thing.get("named", thing["need"]),
        "things": _join_words(names),
        "rest": _join_words(names[1:]) or names[0],
        "gift": theme["gift"],
        "season": theme["season"],
        "want": _pick(seed, "want", thing["want"]),
        "ask": _pick(seed, "ask", thing["ask"]),
        "why": _pick(seed, "why", [*thing["why"], *([] if owned else thing.get("first", []))]),
        "keeps": "is there a bigger pack",
    }
    own = {"thing": "", "year": "", "kind": "", "often": ""}
    if record is not None:
        own |= {"thing": record.called(thing), "year": record.year, "kind": record.kind}
        own["often"] = f"{record.times} times"
    words |= own
    words |= {name.capitalize(): _first_up(text) for name, text in words.items()}
    for name, limit in most.items():
        for slot in (name, _first_up(name)):
            words[slot] = _limit(
                _pick(seed, slot, _in_signs(phrases[slot], asker.currency)), limit, asker.currency
            )
    for name in ("Own", "Like"):
        words[name] = _pick(seed, name, phrases[name]).format(**own) if record is not None else ""
    words["Place"] = _pick(seed, "place", phrases["Place"]).format(state=asker.state) if asker.state else ""
    return words


_LIMITED = {"limit", "Limit", "limit_all", "Limit_all"}
"""Slots that state a price."""


def _in_signs(phrases: Sequence[str], currency: Currency) -> Sequence[str]:
    """Return the phrases that are true of any currency: those with a sign."""
    return phrases if currency == DOLLARS else [one for one in phrases if "${n}" in one]


def _limit(phrase: str, limit: float, currency: Currency) -> str:
    amount = _round_up(limit)
    return phrase.format(n=amount) if currency == DOLLARS else phrase.replace("${n}", currency.text(amount))


def _draw(*parts: object) -> int:
    return int(sha256("|".join(map(str, parts)).encode()).hexdigest()[:12], 16)


def _pick(seed: int, slot: str, among: Sequence[str]) -> str:
    return among[_draw(seed, slot) % len(among)] if among else ""


def _join_words(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def _first_up(text: str) -> str:
    return text[:1].upper() + text[1:]


def _round_up(value: float) -> int:
    step = 5 if value < 60 else 10 if value < 150 else 25
    return int(-(-value // step) * step)
