"""Pages agree with themselves, and files with the pages that decide: dates, who writes, versions, prices and terms."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import replace
from datetime import date
from random import Random

import pytest
from drr.env.shop import Shop
from drr.papers.dr3.case import NamedThing, PlannedFile, TaskCase
from drr.papers.dr3.corpus.build import Corpora, corpora
from drr.papers.dr3.corpus.known import CasePages
from drr.papers.dr3.corpus.pool import PagePool, build_pool
from drr.papers.dr3.corpus.statement import drawn_statement, statements_of
from drr.papers.dr3.corpus.stock import stock
from drr.papers.dr3.corpus.template import granted
from drr.papers.dr3.corpus.times import NeededTimes
from drr.papers.dr3.drawer.booklets import _printed
from drr.papers.dr3.drawer.brief import FileBrief
from drr.papers.dr3.form import CorpusPage
from drr.papers.dr3.planning.kinds import kind_of, thing_of
from drr.papers.dr3.planning.purchases import AGAIN, sort_of
from drr.papers.dr3.quality.timing import _TITLED, contradictions, had_since
from drr.papers.dr3.reckoning import PARTS, comes_out_even
from drr.papers.dr3.values import month_of, number_of, sold_from

from tests.cases import table

SEED = 8
OWN = re.compile(r"^(?:Our year with|Notes from|I bought a|An? [A-Z]\w+ with a|What I learned)|comes to live")


@pytest.fixture(scope="module")
def pool(shop: Shop) -> PagePool:
    return build_pool(shop.store.iter_products(), SEED, 260)


@pytest.fixture(scope="module")
def made(hundred: list[TaskCase], pool: PagePool) -> list[Corpora]:
    return [corpora(case, SEED, {"24k": 24_000}, pool) for case in hundred[:8]]


@pytest.mark.long
def test_no_page_of_several_tasks_contradicts_itself(made: list[Corpora]) -> None:
    pages = [page for one in made for page in one.pages]
    assert [(page.url, said) for page in pages for said in contradictions(page)] == []
    assert sum(had_since(page.text) is not None for page in pages) > 4
    assert sum(_TITLED.search(page.title) is not None for page in pages) > 2


@table("filetasks", "what_is_at_odds_is_told")
def test_what_is_at_odds_is_told(title: str, day: str, text: str, told: str) -> None:
    page = CorpusPage(url="https://a.example/1", title=title, text=text, date=day)
    found = list(contradictions(page))
    assert (told in found[0]) if told else found == [] or "I have had" in text


@pytest.mark.long
def test_who_writes_is_one_person(made: list[Corpora]) -> None:
    pages = [page for one in made for page in one.pages if OWN.search(page.title)]
    assert len(pages) > 3
    for page in pages:
        for slot in ("bought", "house"):
            assert sum(f" {said}" in page.text for said in stock().details[slot]) <= 1, page.text
    # A column had three Ledbetters, and one of four surnames stood on a tenth of all pages.
    names, seen, pages = stock().names, Counter[str](), 0
    given, family = set(names["given"]), set(names["family"])
    for page in (page for one in made for page in one.pages):
        found = {
            (first, last)
            for first, last in re.findall(r"\b([A-Z][a-z]+) ([A-Z][a-z]+)\b", page.text)
            if first in given and last in family
        }
        lasts = {last for _, last in found}
        assert len(lasts) == len(found) == len({first for first, _ in found}), (page.title, found)
        seen.update(lasts)
        pages += bool(found)
    assert pages > 100 and seen.most_common(1)[0][1] < 0.13 * pages


@pytest.mark.long
def test_of_each_make_or_list_one_thing_is_so_whichever_page_says_it(
    hundred: list[TaskCase], pool: PagePool
) -> None:
    for case in hundred[:6]:
        writer, said = CasePages(case, pool, SEED), defaultdict(set)
        for form in statements_of(case.thing.noun):
            for age in (30, 200, 500, 900):
                for is_early in (False, True):
                    calendar = writer.calendar(age, is_early=is_early)
                    one = drawn_statement(case.thing, case.seller, Random(age), calendar, form)
                    if one and one.as_of and not one.is_wrong and one.value:
                        said[form.attribute.pattern, one.subject, one.as_of, str(one.groups)].add(one.value)
        assert said and all(len(values) == 1 for values in said.values())


def test_a_booklet_is_no_older_than_the_make_that_is_in_the_box(
    hundred: list[TaskCase], pool: PagePool
) -> None:
    looked = 0
    for case in hundred[:40]:
        writer = CasePages(case, pool, SEED)
        for fact in case.of("page"):
            thing = writer.thing(fact)
            dating = stock().statement(fact.attribute)[0].dating
            if dating is None or dating.changes != "make" or fact.subject != thing.name:
                continue
            made = month_of(NeededTimes(case, SEED).since(fact))
            entry = next(one for file in case.files for one in file.entries)
            file = PlannedFile(name="booklet.pdf", form="manual", entries=(replace(entry, attribute="x"),))
            facts = tuple(
                one.model_copy(update={"subject": thing.name}) if one.id == entry.fact else one
                for one in case.facts
            )
            day = _printed(FileBrief(case=replace(case, facts=facts), file=file, rng=Random(1))).day
            assert made <= day <= case.today
            assert case.earlier_make is None or day <= case.earlier_make.made
            looked += 1
    assert looked > 15


def test_what_is_due_comes_out_even_by_terms_of_its_time(hundred: list[TaskCase]) -> None:
    looked = 0
    for case in hundred:
        paid = next((one.value for one in case.facts if one.attribute == "price paid"), None)
        for fact in case.of("page"):
            if paid and fact.attribute.startswith("share"):
                assert comes_out_even(number_of(paid), number_of(fact.value)), (paid, fact.value)
                looked += 1
    assert looked > 15
    assert not comes_out_even(113.95, 10) and comes_out_even(86.95, 20) and set(PARTS) > {"fee", "refund"}
    starts = [(case, sold_from(fact.attribute)) for case in hundred for fact in case.of("page")]
    assert sum(start is not None for _, start in starts) > 30
    assert all(start is None or (case.bought - start).days < 730 for case, start in starts)


def test_orders_are_those_of_a_person_and_files_use_their_names(shop: Shop, hundred: list[TaskCase]) -> None:
    """Six heating pads in six months were nobody's."""
    by_title = {" ".join(one.title.split()): one for one in shop.store.iter_products()}
    for case in hundred:
        days: dict[tuple[str, bool], list[date]] = defaultdict(list)
        for item in case.purchases:
            days[sort_of(by_title[item.title])].append(item.day)
        assert sum(item.day == case.bought for item in case.purchases) >= 1
        for (_, is_used_up), found in days.items():
            apart = [(later - day).days for day, later in zip(sorted(found), sorted(found)[1:], strict=False)]
            assert is_used_up or all(gap >= AGAIN for gap in apart)
    plain = hundred[0].thing
    edition = NamedThing(brand=plain.brand, noun=plain.noun, model=plain.model, plural=False, edition="Pro")
    assert edition.called.endswith(" Pro") and kind_of(edition.noun) is kind_of(plain.noun)
    for case in hundred:
        own = {fact.id for fact in case.facts if fact.subject == case.thing.name}
        for file in case.files:
            for entry in file.entries:
                if entry.fact in own and case.thing.noun in entry.sentence:
                    assert case.thing.called in entry.sentence, entry.sentence


def test_words_parts_and_brands_are_of_just_such_things(shop: Shop) -> None:
    assert granted("Take the batteries out first.") == {"battery"}
    assert "battery" in kind_of("digital kitchen scale").fits and "battery" not in kind_of("shredder").fits
    assert "hard" not in kind_of("heating pad").fits and "harmless" not in kind_of("chef knife").fits
    assert "shared" in kind_of("drip coffee maker").fits and "shared" not in kind_of("air purifier").fits
    thumbs = [
        one
        for rows in stock().voices["editor"].values()
        for one in rows
        if any("harmless" in said.needs for step in one.steps for said in step)
    ]
    assert thumbs and not any(one.suits(kind_of("chef knife").fits) for one in thumbs)
    # Pill organizers had chest clips, and label makers lens rings.
    for noun, foreign in (
        ("weekly pill organizer", "clip|zipper|buckle"),
        ("label maker", "lens"),
        ("cutting board", "."),
        ("chef knife", "spring|catch"),
        ("paper shredder", "battery"),
    ):
        assert [part for part in kind_of(noun).parts if re.search(foreign, part)] == [], noun
    assert "planted" in kind_of("raised garden bed").fits and kind_of("hang-on aquarium filter").stands == ""
    product = next(shop.store.iter_products())
    for brand in ("Open Box Outlet", "Maker Renewed"):
        assert thing_of(product.model_copy(update={"store": brand}), Random(1)) is None


def test_what_is_asked_is_answered_by_its_own() -> None:
    carriers = stock().carriers
    for about in ("thing", "brand", "seller", "house"):
        for row in carriers[about]:
            said = row.say(Random(1), lambda slot: slot)
            assert not re.search(r"question|\bask|\?$|^(?:Say|Suppose|Look at|You may)", said), said
    assert all(
        "question" in row.say(Random(2), str) or "ask" in row.say(Random(2), str)
        for row in carriers["asking"]
    )
    # Whether one may leave it on was answered by how loud it is.
    left_on = {"motor", "operated"}
    matter = next(one for one in stock().matters if one.needs == left_on)
    loud, on, bill = matter.asked(frozenset({*left_on, "electric", "single"})).values()
    assert len(loud) == 2 and len(on) == len(bill) == 1 and not {*map(id, loud)} & {*map(id, on + bill)}
    for one in stock().matters:
        assert all(one.answers) and {id(reply) for told in one.answers for reply in told} == {
            *map(id, one.replies)
        }
