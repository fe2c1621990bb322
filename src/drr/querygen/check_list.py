"""The checks of a question by code. The names in `CHECKS` are shown to readers.

A check passes, fails, or does not apply (`none`), because a line with only a question and a user is a query too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from drr.env.entities import User
from drr.env.languages import known_language
from drr.env.profile import ProfileSummary, Spend, build_profile
from drr.env.query import Constraints, Query
from drr.env.statistics import UserStatistics
from drr.env.text import tokens
from drr.querygen.demands import demands_of
from drr.querygen.literal import COMMON_NAMES, ends, names, order_ids, product_ids, states, unlike_language
from drr.querygen.stock import Stock
from drr.tools.registry import TOOLS
from drr.wording.currency import Currency
from drr.wording.personal import personal_data
from drr.wording.states import STATES

Status = Literal["pass", "fail", "none"]
ALIKE = 0.6
"""The similarity of shingles (runs of words) from which two questions count as the same."""
TICS = 0.04
"""The largest share of a set of questions that may begin, or end, with the same words."""
_SHORTEST, _LONGEST, _OF_POINT = 8, 200, 25
"""The fewest and most words of a question, and the further words for each point where points bind one another."""
_EXPLAINED = frozenset(
    {*ProfileSummary.model_fields, *Spend.model_fields, *UserStatistics.model_fields}
    | {"address.city", "address.state", "address.country"}
)
"""Profile fields that a question may use as facts. E-mail and street are not among them."""


class CheckResult(NamedTuple):
    status: Status
    message: str = ""


PASS, NONE = CheckResult("pass"), CheckResult("none")


def fail(message: str) -> CheckResult:
    return CheckResult("fail", message)


@dataclass
class Known:
    """The records of one user, read once."""

    user: User
    statistics: UserStatistics | None
    orders: dict[str, str]
    """Product ids by order id."""
    words: frozenset[str]
    """All words in the titles, stores and categories of purchases, and in the user's place."""


@dataclass(frozen=True)
class CheckCase:
    """A question with all data that a check may use."""

    query: Query
    known: Known | None
    """The user's records; `None` where there is no such user."""
    stock: Stock
    min_products: int
    """The smallest number of products that the shop must have for each need."""
    earlier: Sequence[tuple[str, float]]
    """Ids of earlier questions of the file with words in common, each with its similarity."""
    size: int
    """The number of questions in the whole set."""
    same_ends: Mapping[str, int]
    """The numbers of earlier questions that begin, or end, with the same words."""

    @property
    def currency(self) -> Currency:
        return self.stock.shop.manifest.money

    @property
    def language(self) -> str | None:
        """Return the question's language; that of the shop where no rules wrote it and nobody says another."""
        stated = self.query.language
        return stated if stated or self.query.rule_written else self.stock.shop.manifest.foreign_language

    @property
    def demands(self) -> Constraints:
        """Return what the question's text demands."""
        return demands_of(self.query, self.currency)


def user_known(case: CheckCase) -> CheckResult:
    return PASS if case.known is not None else fail(f"no user {case.query.user_id} in this shop")


def shop_unchanged(case: CheckCase) -> CheckResult:
    then, now = case.query.shop_hash, case.stock.shop.manifest.content_hash
    if then is None:
        return NONE
    if then == now:
        return PASS
    return fail(
        f"written for another shop or an earlier state of this one (manifest {then[:12]}, here {now[:12]}); "
        "generate again"
    )


def profile_unchanged(case: CheckCase) -> CheckResult:
    query = case.query
    if query.profile_hash is None or case.known is None:
        return NONE
    shop = case.stock.shop
    profile = build_profile(shop.store, query.user_id, shop.manifest.as_of, shop.manifest.money)
    return (
        PASS if profile.sha256 == query.profile_hash else fail("the user's profile summary has changed since")
    )


def tools_exist(case: CheckCase) -> CheckResult:
    query = case.query
    if not query.tools:
        return NONE if query.mode in (None, "manual") else fail("names no tool")
    wrong = [name for name in query.tools if name not in TOOLS]
    return fail(f"no such tool: {', '.join(wrong)}") if wrong else PASS


def web_need(case: CheckCase) -> CheckResult:
    """Check that a question states a need for the web exactly where its tools include the web. Of joined ones the plan proves it."""
    query = case.query
    if not query.tools or (query.checkable and query.checkable.points):
        return NONE
    if "web_search" in query.tools and not query.web_need:
        return fail("names web_search and does not say what only the web can tell")
    if query.web_need and "web_search" not in query.tools:
        return fail("says what only the web can tell and does not name web_search")
    return PASS if query.web_need else NONE


def answerable(case: CheckCase) -> CheckResult:
    query = case.query
    if not query.needs:
        return NONE if query.mode in (None, "manual") else fail("names nothing that the shop must sell")
    scarce = [
        f"{need} ({total})" for need in query.needs if (total := case.stock.sold(need)) < case.min_products
    ]
    if scarce:
        return fail(f"fewer than {case.min_products} products for {', '.join(scarce)}")
    return PASS


def budget(case: CheckCase) -> CheckResult:
    query = case.query
    wanted = query.constraints or case.demands
    if not query.needs or not sets_limit(wanted):
        return NONE
    cheapest = {need: case.stock.cheapest(need) for need in query.needs}
    unknown = [need for need, price in cheapest.items() if price is None]
    if unknown:
        return fail(f"no product with a known price for {', '.join(unknown)}")
    cap, count = wanted.item_max, wanted.count
    if len(query.needs) == 1 and cap is not None and count is not None:
        found = case.stock.sold(query.needs[0], cap)
        if found < count:
            most = case.currency.text(cap)
            return fail(f"{count} are asked for, and {found} of {query.needs[0]} cost up to {most}")
    return _within(wanted, [price for price in cheapest.values() if price is not None], case.currency)


def facts(case: CheckCase) -> CheckResult:
    query, known = case.query, case.known
    if known is None:
        return NONE
    if not query.facts_used:
        return fail("leans on no fact of the user") if query.mode == "profile" else NONE
    if query.mode == "generic":
        return fail("a generic question leans on facts of a user")
    own: Mapping[str, Collection[str]] = {"order": known.orders, "product": known.orders.values()}
    wrong = [
        f"{one.kind} {one.id}" for one in query.facts_used if one.id not in own.get(one.kind, _EXPLAINED)
    ]
    return fail(f"not in this user's records: {', '.join(wrong)}") if wrong else PASS


def ids_in_text(case: CheckCase) -> CheckResult:
    query, known = case.query, case.known
    if known is None:
        return NONE
    orders = [found for found in order_ids(query.query) if found not in known.orders]
    bought = set(known.orders.values())
    products = [found for found in product_ids(query.query) if found not in bought]
    wrong = [*orders, *products]
    return fail(f"ids that are not this user's: {', '.join(wrong)}") if wrong else PASS


def states_in_text(case: CheckCase) -> CheckResult:
    query, known = case.query, case.known
    if known is None:
        return NONE
    own = STATES.get(known.user.address.state, known.user.address.state)
    others = [state for state in states(query.query) if state != own]
    return (
        fail(f"speaks of {', '.join(others)}, the user lives in {own or 'no known place'}")
        if others
        else PASS
    )


def names_in_text(case: CheckCase) -> CheckResult:
    """Check that each name stands in a record. Other languages than English have capitals that tell no name."""
    query, known = case.query, case.known
    if known is None or case.language is not None:
        return NONE
    needs = query.checkable.needs if query.checkable else []
    stated = [step for need in needs for step in need.category]
    stated += [str(text) for need in needs for one in need.constraints for text in (one.name, one.value)]
    stated += [json.dumps(query.checkable.specification, ensure_ascii=False)] if query.checkable else []
    wrong = [
        name
        for name in names(query.query)
        if not _is_known(case.stock, name, known) and not any(name in text for text in stated)
    ]
    return fail(f"neither in the user's records nor in the shop: {', '.join(wrong)}") if wrong else PASS


def privacy(case: CheckCase) -> CheckResult:
    """Check for personal data in the question and in the texts published beside it."""
    query, known = case.query, case.known
    text = "\n".join([query.query, query.rationale or "", query.web_need or "", *query.needs])
    found = personal_data(text)
    if known is not None:
        user = known.user
        full = re.escape(f"{user.first_name} {user.last_name}".strip())
        if full and re.search(rf"(?<!\w){full}(?!\w)", text, re.I):
            found.append("the user's name")
        own = {
            "surname": user.last_name,
            "first name": user.first_name,
            "street": user.address.address1,
            "zip": user.address.zip,
            "user id": user.user_id,
        }
        found += [
            name
            for name, value in own.items()
            if value.strip()
            and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text)
            and not (name in ("surname", "first name") and set(tokens(value)) <= known.words)
        ]
    return fail(f"holds {', '.join(dict.fromkeys(found))}") if found else PASS


def length(case: CheckCase) -> CheckResult:
    words, truth = len(case.query.query.split()), case.query.checkable
    longest = _LONGEST + _OF_POINT * len(truth.points if truth else ())
    if _SHORTEST <= words <= longest:
        return PASS
    return fail(f"{words} words; {_SHORTEST} to {longest} are asked for")


def language(case: CheckCase) -> CheckResult:
    """Check for frequent words of the question's language; English does where none is stated."""
    text, own = case.query.query, case.language
    if case.query.language is None and unlike_language(text, None) is None:
        return PASS
    if own is not None and known_language(own) is None:
        return NONE
    unlike = unlike_language(text, own)
    return fail(unlike) if unlike else PASS


def unlike_others(case: CheckCase) -> CheckResult:
    for earlier, alike in case.earlier:
        if alike >= ALIKE:
            return fail(f"{alike:.0%} the same as {earlier}")
    return PASS


def tics(case: CheckCase) -> CheckResult:
    """Check that few questions of a set begin or end with the same words. Checkable questions are exempt, as they are made from patterns."""
    if case.query.checkable is not None:
        return NONE
    for way, words in ends(case.query.query).items():
        if (others := case.same_ends[way]) + 1 > max(1, TICS * case.size):
            return fail(f"{way} {words!r}, as {others} others do; at most {TICS:.0%} of {case.size} may")
    return PASS


def coherence(case: CheckCase) -> CheckResult:
    """Check that an owned product used as a fact is related to the needs of the question."""
    owned = [fact.id for fact in case.query.facts_used if fact.kind == "product"]
    if not owned or not case.query.needs:
        return NONE
    if case.stock.kin(owned, case.query.needs) is None:
        return fail(f"what it leans on has nothing to do with {', '.join(case.query.needs)}")
    return PASS


def constraints(case: CheckCase) -> CheckResult:
    query = case.query
    if query.constraints is None:
        return NONE if query.mode in (None, "manual") else fail("not parsed")
    parsed = case.demands
    if parsed == query.constraints:
        return PASS
    mine, theirs = parsed.model_dump(), query.constraints.model_dump()
    wrong = [name for name in mine if mine[name] != theirs[name]]
    return fail(f"the text says otherwise: {', '.join(wrong)}")


def _is_known(stock: Stock, name: str, known: Known) -> bool:
    words = tokens(name)
    if not words or all(word in known.words or word in COMMON_NAMES for word in words):
        return True
    return stock.sold(name) > 0


def sets_limit(wanted: Constraints) -> bool:
    return any(value is not None for value in (wanted.total_max, wanted.item_max, wanted.month_max))


def _within(wanted: Constraints, prices: Sequence[float], currency: Currency) -> CheckResult:
    total = round(sum(prices), 2)
    if wanted.total_max is not None and total > wanted.total_max:
        return fail(
            f"the cheapest of each need cost {currency.text(total)} together, above {currency.text(wanted.total_max)}"
        )
    if wanted.item_max is not None and max(prices) > wanted.item_max:
        return fail(
            f"one need costs {currency.text(max(prices))} at the least, above {currency.text(wanted.item_max)} by the piece"
        )
    if wanted.month_max is not None and total > wanted.month_max * (wanted.months or 1):
        return fail(
            f"the cheapest of each need cost {currency.text(total)}, above {currency.text(wanted.month_max)} a month"
        )
    return PASS


CHECKS: dict[str, Callable[[CheckCase], CheckResult]] = {
    "user": user_known,
    "shop": shop_unchanged,
    "profile": profile_unchanged,
    "tools": tools_exist,
    "web_need": web_need,
    "answerable": answerable,
    "budget": budget,
    "facts": facts,
    "ids": ids_in_text,
    "states": states_in_text,
    "names": names_in_text,
    "privacy": privacy,
    "length": length,
    "language": language,
    "near_duplicate": unlike_others,
    "tics": tics,
    "coherence": coherence,
    "constraints": constraints,
}
