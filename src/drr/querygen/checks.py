"""Checks the questions and tasks of a file against a shop: answerable, true, private, clear, and different from each other.

The checks of a task reverse those of a question: a question must use true facts of the person, a task must use none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from drr.env.errors import DrrError
from drr.env.query import Query
from drr.env.shop import Shop
from drr.env.text import SimilarTexts, text_shingles, tokens
from drr.querygen import literal
from drr.querygen.check_list import ALIKE, CHECKS, NONE, PASS, CheckCase, CheckResult, Known, fail
from drr.querygen.checkable import TruthChecker
from drr.querygen.files import ResearchTask
from drr.querygen.joined.describing import unframed
from drr.querygen.joined.making import JoinedMaker
from drr.querygen.stock import Stock
from drr.wording.personal import circumstances_of_asker, personal_data
from drr.wording.states import STATES

LARGEST_SHARE = 0.4
"""The largest share of a file's questions in one category."""
LEAST_NEAR = 0.8
"""The smallest share of questions with an owned product whose product is of the requested kind."""
_SPREAD_FROM = 20
_ORDERS_READ = 2000


@dataclass
class Checked:
    query: Query
    verdicts: dict[str, CheckResult]

    @property
    def failed(self) -> dict[str, str]:
        return {name: verdict.message for name, verdict in self.verdicts.items() if verdict.status == "fail"}


@dataclass
class Checker:
    """A checker of one file's questions in order, because a question is compared with the earlier ones."""

    shop: Shop
    min_products: int = 3
    truth: TruthChecker | None = None
    """The checks of checkable questions, which need a web too."""
    size: int = 0
    """The number of questions in the whole set; where it is unknown, the number of checked questions counts."""
    _ends: Counter[tuple[str, str]] = field(default_factory=Counter)
    _earlier: list[str] = field(default_factory=list)
    _seen: SimilarTexts = field(default_factory=SimilarTexts)
    _known: dict[str, Known | None] = field(default_factory=dict)

    @cached_property
    def _joined(self) -> JoinedMaker | None:
        """Return the checks of questions whose points bind one another. Their printed specifications are no words to check."""
        return None if self.truth is None else JoinedMaker(self.shop, self.truth.web)

    def check(self, query: Query) -> Checked:
        known, asked = self._records(query.user_id), query
        if query.checkable and query.checkable.worded:
            query = query.model_copy(update={"query": unframed(query.query)})
        own = text_shingles(query.query)
        earlier = [(self._earlier[place], alike) for place, alike in self._seen.alike(own)]
        own_ends = literal.ends(query.query)
        same = {way: self._ends[way, words] for way, words in own_ends.items()}
        size = max(self.size, len(self._earlier) + 1)
        case = CheckCase(query, known, Stock(self.shop), self.min_products, earlier, size, same)
        joined = self._joined if query.checkable and query.checkable.points else None
        printed = joined is not None and query.rule_written is True
        verdicts = {} if printed else {name: check(case) for name, check in CHECKS.items()}
        if joined is not None:
            verdicts |= joined.check(asked)
        elif self.truth is not None:
            verdicts |= self.truth.check(query)
        self._earlier.append(query.id)
        self._seen.add(own)
        self._ends.update(own_ends.items())
        return Checked(asked, verdicts)

    def accept(self, query: Query) -> Checked:
        """Check a question, and forget it if it fails, so that later questions do not count as its copies."""
        checked = self.check(query)
        if checked.failed:
            self._earlier.pop()
            self._seen.forget_last(text_shingles(query.query))
            self._ends.subtract(literal.ends(query.query).items())
        return checked

    def _records(self, user_id: str) -> Known | None:
        if user_id not in self._known:
            self._known[user_id] = self._read(user_id)
        return self._known[user_id]

    def _read(self, user_id: str) -> Known | None:
        store = self.shop.store
        user = store.user(user_id)
        if user is None:
            return None
        orders = store.orders(user_id, limit=_ORDERS_READ).items
        products = store.products(sorted({order.product_id for order in orders}))
        land = "United States" if user.address.country.startswith("US") else user.address.country
        places = [user.address.city, STATES.get(user.address.state, user.address.state), land]
        for one in products:
            places += [one.title, one.category.replace("_", " "), *one.categories, one.store or ""]
        return Known(
            user,
            store.statistics(user_id),
            {order.order_id: order.product_id for order in orders},
            frozenset(word for text in places for word in tokens(text)),
        )


def spread(checker: Checker, queries: Sequence[Query]) -> tuple[CheckResult, dict[str, int]]:
    """Check how questions are spread over the shop's categories, in files of twenty questions or more."""
    counts = Counter(Stock(checker.shop).category(query) or "none" for query in queries)
    ordered = dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
    if len(queries) < _SPREAD_FROM:
        return NONE, ordered
    name, most = next(iter(ordered.items()))
    if most > LARGEST_SHARE * len(queries) and len(checker.shop.catalog.categories()) > 2:
        return fail(f"{most} of {len(queries)} questions are about {name}"), ordered
    return PASS, ordered


def coherence(checker: Checker, queries: Sequence[Query]) -> CheckResult:
    """Check that most questions with an owned product ask for something of its kind, in files of twenty or more."""
    stock, found = Stock(checker.shop), Counter[str | None]()
    for query in queries:
        owned = [fact.id for fact in query.facts_used if fact.kind == "product"]
        if owned and query.needs:
            found[stock.kin(owned, query.needs)] += 1
    if found.total() < _SPREAD_FROM or found["near"] >= LEAST_NEAR * found.total():
        return PASS if found.total() >= _SPREAD_FROM else NONE
    return fail(f"{found['near']} of {found.total()} questions that lean on a purchase ask for such a thing")


def manifest_matches(shop: Shop, queries: Sequence[Query]) -> None:
    """Raise an error for a file whose questions were all written for another shop."""
    hashes = {query.shop_hash for query in queries if query.shop_hash is not None}
    if hashes and shop.manifest.content_hash not in hashes:
        raise DrrError(
            f"{shop.spec}: these questions were written for another shop or an earlier state of this one "
            f"(manifest {sorted(hashes)[0][:12]}, here {shop.manifest.content_hash[:12]}); generate them again"
        )


SHORTEST, LONGEST = 30, 200
_OWN_RECORDS = re.compile(
    r"\b(?:I|we)(?:'ve| have)? (?:already |just |recently )?(?:bought|ordered|purchased|returned|sent back)\b"
    r"|\b(?:my|our) (?:last |latest |previous )?(?:orders?|purchases?|returns?|order history)\b",
    re.IGNORECASE,
)


class TaskProblem(NamedTuple):
    task_id: str
    check: str
    told: str


def _of_text(task: ResearchTask, language: str | None) -> Iterator[tuple[str, str]]:
    """Yield the problems that the text of a task shows, by the names of the questions' checks."""
    text, words = task.task, len(task.task.split())
    own = _OWN_RECORDS.search(text)
    if own:
        yield "facts", f"speaks of the asker's own records ({own[0]!r})"
    listed = {
        "ids": ("names", [*literal.order_ids(text), *literal.product_ids(text)]),
        "states": ("says where the asker lives:", literal.states(text)),
        "privacy": ("holds", personal_data("\n".join([text, *task.needs]))),
        "circumstances": ("tells of the asker's own household, body or home:", circumstances_of_asker(text)),
    }
    for name, (reason, found) in listed.items():
        if found:
            yield name, f"{reason} {', '.join(found)}"
    if not SHORTEST <= words <= LONGEST:
        yield "length", f"{words} words; {SHORTEST} to {LONGEST} are asked for"
    if unlike := literal.unlike_language(text, language):
        yield "language", unlike


def problems(
    tasks: Sequence[ResearchTask], shop: Shop | None = None, min_products: int = 3
) -> Iterator[TaskProblem]:
    """Yield the problems of all tasks of a file. Without a shop, only the texts are checked."""
    earlier: list[str] = []
    seen, language = SimilarTexts(), shop.manifest.foreign_language if shop is not None else None
    for task in tasks:
        for name, reason in _of_text(task, language):
            yield TaskProblem(task.task_id, name, reason)
        own = text_shingles(task.task)
        for place, alike in seen.alike(own):
            if alike >= ALIKE:
                yield TaskProblem(task.task_id, "unlike_others", f"{alike:.0%} the same as {earlier[place]}")
        seen.add(own)
        earlier.append(task.task_id)
        if shop is not None:
            yield from _of_shop(task, shop, min_products)


def _of_shop(task: ResearchTask, shop: Shop, min_products: int) -> Iterator[TaskProblem]:
    stock = Stock(shop)
    scarce = [f"{need} ({total})" for need in task.needs if (total := stock.sold(need)) < min_products]
    if not task.needs:
        yield TaskProblem(task.task_id, "answerable", "names nothing that the shop must sell")
    elif scarce:
        reason = f"fewer than {min_products} products for {', '.join(scarce)}"
        yield TaskProblem(task.task_id, "answerable", reason)
    brands = [name for name in literal.names(task.task) if stock.sold(name) > 0]
    if brands:
        yield TaskProblem(task.task_id, "names", f"names what this shop sells: {', '.join(brands)}")
