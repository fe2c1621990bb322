"""What pages and files say is as in the world: recalls grow, prices move by steps, what is needed is news, and what an answer rests on stands somewhere."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date, timedelta
from itertools import islice, pairwise

import pytest
from drr.env.shop import Shop
from drr.papers.dr3.case import TaskCase
from drr.papers.dr3.corpus.build import corpora
from drr.papers.dr3.corpus.known import CasePage, CasePages
from drr.papers.dr3.corpus.pool import PagePool, build_pool
from drr.papers.dr3.corpus.statement import months_taken
from drr.papers.dr3.corpus.stock import stock
from drr.papers.dr3.corpus.times import owned_make
from drr.papers.dr3.drawer.writer import write_drawer
from drr.papers.dr3.planning.kinds import MODELS
from drr.papers.dr3.quality.filters import shrinks
from drr.papers.dr3.values import lot_before, lot_letter, month_of, month_of_recall, months_after, number_of

from tests.filetasks.reading import whole_text

_NEWS = 730 + 31
_LOT = re.compile(r"\blots before ([A-Z])(\d+)")


@pytest.fixture(scope="module")
def pool(shop: Shop) -> PagePool:
    return build_pool(shop.store.iter_products(), 4, 60)


@pytest.fixture(scope="module")
def told(hundred: list[TaskCase], pool: PagePool) -> list[tuple[TaskCase, list[CasePage], list[CasePage]]]:
    """Cases with their needed pages and the first that lead astray."""
    found = []
    priced = [case for case in hundred[12:] if any(fact.value.startswith("$") for fact in case.of("page"))]
    for case in (*hundred[:12], *priced[:6]):
        writer = CasePages(case, pool, 4)
        needed = [writer.supportive(fact) for fact in case.of("page")]
        found.append((case, needed, [*islice(writer.distractors(needed), 4 * len(needed))]))
    return found


def _lots(case: TaskCase) -> tuple[str, str] | None:
    """The lot at hand, and the first that is not recalled."""
    values = {fact.attribute: fact.value for fact in case.facts}
    if "lots that are faulty" not in values:
        return None
    return values["lot number"], values["lots that are faulty"].split()[-1]


def test_lots_grow_with_time_and_a_recall_with_them() -> None:
    months = [months_after(date(2004, 1, 1), at) for at in range(240)]
    assert all(lot_before(one) < lot_before(later) for one, later in pairwise(months))
    assert all(month_of_recall(f"lots before A{lot_before(one)}") == one for one in months)
    assert {len(str(lot_before(one))) for one in months} == {4}
    assert len({lot_letter(f"Acme kettle {model}".rstrip()) for model in ("", *MODELS)}) == 1


def test_a_lot_was_made_before_it_was_sold_and_has_the_letter_of_its_product(hundred: list[TaskCase]) -> None:
    """`lots before N3097` of 2016 beside `lots before N2269` of 2017, and a lot recalled in 2019 sold in 2022."""
    seen = 0
    for case in hundred:
        if (lots := _lots(case)) is not None:
            seen += 1
            own, bound = lots
            assert own[0] == bound[0] == lot_letter(case.thing.name)
            notice = month_of_recall(f"lots before {bound}")
            assert months_after(notice, 6) <= case.bought < months_after(notice, 12)
            assert int(own[1:]) < lot_before(case.bought)
            assert int(own[1:]) > lot_before(months_after(case.bought, -18))
    assert seen > 5


@pytest.mark.long
def test_an_earlier_recall_covers_less_and_all_lots_of_a_product_have_one_letter(
    hundred: list[TaskCase], pool: PagePool
) -> None:
    earlier = 0
    for case in (one for one in hundred if _lots(one)):
        lots = _lots(case)
        assert lots is not None
        for page in corpora(case, 4, {"16k": 16_000}, pool).pages:
            for said in re.split(r"\n\n|\n(?=\|)", page.text):
                if case.thing.name in said:
                    assert all(found[1] == lots[1][0] for found in _LOT.finditer(said)), said
        writer = CasePages(case, pool, 4)
        needed = [writer.supportive(fact) for fact in case.of("page")]
        for page in islice(writer.distractors(needed), 12):
            change = page.known.change
            if change and change.kind == "outdated" and (change.stated or "").startswith("lots"):
                earlier += 1
                assert number_of(change.stated or "") < int(lots[1][1:])
    assert earlier


def test_a_recall_that_shrinks_is_refused(
    told: list[tuple[TaskCase, list[CasePage], list[CasePage]]],
) -> None:
    fact = next(f for case, *_ in told for f in case.facts if f.attribute == "lots that are faulty")
    assert shrinks(fact, f"lots before A{int(number_of(fact.value)) + 1}")
    assert not shrinks(fact, f"lots before A{int(number_of(fact.value)) - 1}")


def test_what_is_needed_is_news(told: list[tuple[TaskCase, list[CasePage], list[CasePage]]]) -> None:
    """Asked in 2015 how long a pack lasts, the newest page said it of the version of 2007."""
    seen = 0
    for case, needed, _ in told:
        facts = {fact.id: fact for fact in case.of("page")}
        took = max(months_taken(stock().statement(one.attribute)[0], one.value) for one in facts.values())
        for page in needed:
            day, fact = page.page.page(case.today).date, facts[page.known.facts[0]]
            held = owned_make(case, fact)
            known_by = case.known_by if held is None else held.made
            assert day is not None and (known_by - date.fromisoformat(day)).days <= _NEWS
            if page.known.as_of is not None:
                seen += 1
                since = months_after(month_of(page.known.as_of), took)
                assert (known_by - since).days <= _NEWS + 250, page.known.as_of
    assert seen > 15


def test_prices_and_points_move_by_steps(told: list[tuple[TaskCase, list[CasePage], list[CasePage]]]) -> None:
    """$10.39 and half a year later $18.89."""
    seen: Counter[str] = Counter()
    for case, _, astray in told:
        facts = {fact.id: fact for fact in case.of("page")}
        for change in (page.known.change for page in astray):
            if change is None or change.kind != "outdated" or not change.stated:
                continue
            right = facts[change.fact].value
            if right.startswith("$") or right.endswith(" points"):
                seen[right[0]] += 1
                assert 0.65 < number_of(change.stated) / number_of(right) < 1.35, (right, change.stated)
    assert seen


def test_terms_say_that_they_go_by_the_purchase(
    told: list[tuple[TaskCase, list[CasePage], list[CasePage]]],
) -> None:
    """`Those are the January 2016 terms`: that terms go by the day of the purchase stood on no page of the task."""
    seen = 0
    for case, needed, _ in told:
        facts = {fact.id: fact for fact in case.of("page")}
        for page in needed:
            if ", sold from " in facts[page.known.facts[0]].attribute:
                seen += 1
                assert re.search(r"bought|sold since|purchase", page.quote), page.quote
    assert seen > 5


def test_no_table_gives_one_thing_two_values(
    told: list[tuple[TaskCase, list[CasePage], list[CasePage]]], pool: PagePool
) -> None:
    texts = [page.text for page in pool.pages]
    texts += [page.page.text for _, needed, astray in told for page in (*needed, *astray)]
    tables = 0
    for text in texts:
        for part in text.split("\n\n"):
            if part.startswith(("| Model |", "| Maker |", "| Shop |")):
                tables += 1
                named = [row.split(" | ")[0] for row in part.split("\n")[2:]]
                assert len(set(named)) == len(named), part
    assert tables > 10


@pytest.mark.long
def test_a_pack_that_is_counted_is_the_regular_one(hundred: list[TaskCase]) -> None:
    """Pages warn that the large pack is another matter, and no file said which was open."""
    seen: Counter[str] = Counter()
    for case in (one for one in hundred if one.intent == "refill"):
        file = next(one for one in case.files if any(e.attribute == "day of opening" for e in one.entries))
        seen[file.form] += 1
        if file.form != "photo":
            text = whole_text(file.name, write_drawer(case).files[file.name])
            assert "regular pack" in text, text
    assert len(seen) == 3


def test_a_load_is_what_is_left_of_it(hundred: list[TaskCase]) -> None:
    """`It bears 3.4 lb`, said of a shelf with towels on it."""
    seen = 0
    for case in hundred:
        for fact in case.of("file"):
            if fact.attribute.startswith("load"):
                seen += 1
                assert fact.text.endswith(" more.")
                (file,) = (one for one in case.files if any(e.fact == fact.id for e in one.entries))
                if not file.name.endswith(".png"):
                    text = " ".join(whole_text(file.name, write_drawer(case).files[file.name]).split())
                    assert "stands there" in text, text
    assert seen


def test_other_pages_about_a_case_are_as_old_as_needed_ones_or_older(
    told: list[tuple[TaskCase, list[CasePage], list[CasePage]]],
) -> None:
    ages = [page.page.age or 0 for _, _, astray in told for page in astray]
    recent = sum(age <= timedelta(days=730).days for age in ages)
    assert 0.4 * len(ages) < recent < 0.95 * len(ages)
