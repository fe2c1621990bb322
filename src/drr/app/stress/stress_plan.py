"""Plans a stress test: the answers that each change can affect, and the random draw for each answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, cast

from drr.agents.architecture import Variant
from drr.agents.base import PROFILE, WS
from drr.app.study.answers import AnswerWork
from drr.app.study.specs import AnswerSpec, agent_in
from drr.env.constraints import parse_constraints
from drr.env.entities import Product
from drr.env.errors import Misuse
from drr.env.overlay import Stress, changed_world, tool_fault
from drr.env.query import Query, read_queries
from drr.env.session import Session
from drr.env.shop import SearchRequest, Shop
from drr.env.world import World
from drr.querygen.composing import QuestionMaker
from drr.querygen.rewording import reword_question
from drr.study.unit import Record, Unit
from drr.tools.base import ToolError
from drr.tools.registry import find

_ORDERS = (20, 200)
"""Smallest and largest number of orders added to a history."""
_DAYS = (30, 90, 365)
_PRICES = (0.8, 1.25)
_LIMITS = ("total_max", "total_min", "item_max", "item_min", "month_max", "months")
"""Constraints of a question that every rewording must keep."""
_RECORDS = frozenset(("get_user_orders", "get_order_details", "get_user_statistics"))


class ShownList(NamedTuple):
    """The products that a search returned, and the sort order that the search applied."""

    sort: str
    ids: Sequence[str]


@dataclass(frozen=True)
class UnchangedAnswer:
    """A finished answer without a change, and the data that show which changes can affect the answer."""

    record: Record
    question: Query
    variant: Variant
    world: World

    @property
    def shop(self) -> Shop:
        return cast(Session, self.world.session).shop

    @cached_property
    def calls(self) -> list[Mapping[str, Any]]:
        return [one for one in self.record.result.get("tool_calls", []) if one["kind"] == "api"]

    @cached_property
    def lists(self) -> list[ShownList]:
        """Return the result list of each search of the answer."""
        found = []
        for call in self.calls:
            if call["name"] == "product_catalog_search":
                with suppress(ToolError):
                    asked = SearchRequest(**find(call["name"]).parse(call["arguments"]))
                    page = self.shop.catalog.search(asked)
                    found.append(ShownList((page.request or asked).sort, page.product_ids))
        return found

    @property
    def opened(self) -> list[Product]:
        """Return the products whose listing the agent opened."""
        calls = (call["arguments"] for call in self.calls if call["name"] == "get_product_details")
        return self.shop.store.products([str(asked.get("product_id")) for asked in calls])

    def shown(self, *, right: bool) -> list[Product]:
        """Return the products that the agent was shown. Unless `right`, products that meet a need are left out, where code knows them."""
        ids = [*(one for shown in self.lists for one in shown.ids), *(one.product_id for one in self.opened)]
        truth = self.question.checkable
        meets = {one for need in truth.needs for one in need.products} if truth and not right else set()
        return self.shop.store.products([one for one in dict.fromkeys(ids) if one not in meets])


@dataclass(frozen=True, kw_only=True)
class StressChoice:
    """The options of a stress test: the changes and their random draw."""

    changes: Sequence[str]
    seed: int = 0
    rate: float = 0.3
    """Share of calls and pages that fail under the change `faults`."""
    words: Path | None = None
    """File of reworded questions for the change `paraphrase`."""

    def __post_init__(self) -> None:
        if not 0 < self.rate <= 1:
            raise Misuse(f"--rate {self.rate:g}: a share above 0, at most 1")


Drawn = dict[str, Any] | None
"""Fields of a `Stress`; `None` where the change cannot affect the answer."""


@dataclass(frozen=True)
class Draw:
    """The random draw of one change for one answer; each method draws one kind of change."""

    base: UnchangedAnswer
    luck: Random
    choice: StressChoice
    maker: QuestionMaker
    words: Mapping[str, str]

    def paraphrase(self) -> Drawn:
        question = self.base.question
        text = self.words.get(question.id) or reword_question(self.maker, question, self.luck.getrandbits(31))
        return None if text is None else {"query": text}

    def faults(self) -> Drawn:
        stress = cast(Stress, {"rate": self.choice.rate, "seed": self.luck.getrandbits(31)})
        made: Counter[str] = Counter()
        for call in self.base.calls:
            with suppress(ToolError):
                known = find(call["name"]).parse(call["arguments"])
                name = f"{call['name']}:{sorted(known.items())}"
                made[name] += 1
                if tool_fault(stress, call["name"], f"{name}:{made[name]}") is not None:
                    return {**stress}
        reads = self.base.variant.has(WS) and self._pages
        hit = any(Random(f"{stress['seed']}:{url}").random() < self.choice.rate for url in reads or ())
        return {**stress} if hit else None

    def shuffle(self) -> Drawn:
        lists = (one.ids for one in self.base.lists if one.sort == "relevance" and len(one.ids) > 1)
        ids = next(lists, None)
        return None if ids is None else {"product": self.luck.choice(ids[1:]), "first": ids[0]}

    def injection(self) -> Drawn:
        listings, pages = self.base.opened or self.base.shown(right=False), self._pages
        if not listings and not pages:
            return None
        drawn = {
            "canary": f"B0{self.luck.getrandbits(32):08X}",
            "phone": f"+1-555-{self.luck.randrange(10**7):07}",
        }
        drawn |= {"product": self.luck.choice(listings).product_id} if listings else {}
        return drawn | ({"page": self.luck.choice(pages)} if pages else {})

    def listing(self) -> Drawn:
        found = self.base.shown(right=False)
        return {"product": self.luck.choice(found).product_id} if found else None

    def price(self) -> Drawn:
        found = [one.product_id for one in self.base.shown(right=True) if one.price]
        return {"product": self.luck.choice(found), "factor": self.luck.choice(_PRICES)} if found else None

    def history(self) -> Drawn:
        user_id, needs = self.base.world.user_id, self.base.question.checkable
        is_given = self.base.variant.has(PROFILE)
        if user_id is None or not (is_given or _RECORDS & {call["name"] for call in self.base.calls}):
            return None
        count = min(max(self.base.shop.store.orders(user_id, limit=0).total, _ORDERS[0]), _ORDERS[1])
        return {"orders": count, "spared": [one.category[-2:] for one in needs.needs] if needs else []}

    def today(self) -> Drawn:
        return {"days": self.luck.choice(_DAYS)}

    @property
    def _pages(self) -> list[str]:
        rows = self.base.record.result.get("sources", [])
        return sorted({row["url"] for row in rows if row["type"] == "web"})


class ChangeRow(NamedTuple):
    """A kind of change: the method that draws it, and its description."""

    draw: Callable[[Draw], Drawn]
    about: str


CHANGES: Mapping[str, ChangeRow] = {
    "paraphrase": ChangeRow(Draw.paraphrase, "the question in other words, the same needs"),
    "faults": ChangeRow(Draw.faults, "tools time out or answer 500, pages come empty or old"),
    "shuffle": ChangeRow(Draw.shuffle, "results in another order, another product first"),
    "injection": ChangeRow(Draw.injection, "a listing and a web page that give orders"),
    "sponsor": ChangeRow(Draw.listing, "a sponsor tag on one listing"),
    "price": ChangeRow(Draw.price, "another price of one listing"),
    "rating": ChangeRow(Draw.listing, "more stars and ratings of one listing"),
    "adjective": ChangeRow(Draw.listing, "a better adjective in one title"),
    "history": ChangeRow(Draw.history, "a longer history of orders"),
    "today": ChangeRow(Draw.today, "another day"),
}


def changes_named(words: str) -> list[str]:
    """Return the changes in a comma-separated text; `all` means every change. Raises `Misuse` for an unknown name."""
    names = [word for part in words.split(",") if (word := part.strip())]
    names = [*CHANGES] if "all" in names else list(dict.fromkeys(names))
    unknown = ", ".join(name for name in names if name not in CHANGES)
    if unknown or not names:
        raise Misuse(f"--with {unknown}: no such change; there are {', '.join(CHANGES)}, or all")
    return names


def reworded_questions(file: Path, questions: Mapping[str, Query]) -> dict[str, str]:
    """Return reworded questions of a study by id. Raises `Misuse` where a rewording states other limits."""
    found = {query.id: query.query for query in read_queries(file)}
    for name, text in found.items():
        if name not in questions:
            raise Misuse(f"{file}: {name}: no such question in the study; ids are those of its queries.jsonl")
        limits, own = parse_constraints(text), parse_constraints(questions[name].query)
        if other := [field for field in _LIMITS if getattr(limits, field) != getattr(own, field)]:
            raise Misuse(
                f"{file}: {name}: states another {', '.join(other)} than the study's; keep every limit"
            )
    return found


class Planned(NamedTuple):
    """The units of a stress test, by change."""

    units: Mapping[str, Sequence[Unit]]
    answers: int
    """Number of finished answers that a change may affect."""


def stress_units(
    answering: AnswerWork,
    records: Sequence[Record],
    questions: Mapping[str, Query],
    choice: StressChoice,
) -> Planned:
    """Return the units of every change for each answer that the change can affect. The same seed and answers give the same units."""
    bases = list(_bases(answering, records, questions))
    if not bases:
        raise Misuse("no finished answer to compare with; `drr run` the study first")
    maker = QuestionMaker(bases[0].shop, bases[0].world.web)
    words = {} if choice.words is None else reworded_questions(choice.words, questions)
    found: dict[str, Sequence[Unit]] = {}
    for change in choice.changes:
        specs = []
        for base in bases:
            spec = base.record.spec
            luck = Random(f"stress:{choice.seed}:{change}:{spec['query_id']}:{spec['trial']}")
            drawn = CHANGES[change].draw(Draw(base, luck, choice, maker, words))
            if drawn is not None:
                query = drawn.pop("query", spec["query"])
                stress = {"change": change, "seed": luck.getrandbits(31), "base": base.record.key, **drawn}
                specs.append(cast(AnswerSpec, {**spec, "query": query, "stress": stress}))
        found[change] = answering.units_of(specs)
    return Planned(found, len(bases))


def _bases(
    answering: AnswerWork, records: Sequence[Record], questions: Mapping[str, Query]
) -> Iterator[UnchangedAnswer]:
    for record in records:
        question = questions.get(str(record.spec["query_id"]))
        if question is not None:
            world = answering.world_of(cast(AnswerSpec, record.spec))
            changed_world(
                world, cast(Stress, {"change": "none"})
            )  # raises an error for a world without a shop
            yield UnchangedAnswer(record, question, answering.variants[agent_in(record.spec)], world)
