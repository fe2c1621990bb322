"""What no template may make of its choices, and no task of the world: English that nobody writes, questions that nobody asks."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from itertools import islice, product
from pathlib import Path
from random import Random
from typing import Any

import drr.papers.dr3.corpus as corpus_room
import drr.papers.dr3.planning.kinds as kinds_module
import pytest
from drr.env.shop import Shop
from drr.papers.dr3.case import MADE, PlannedFile, TaskCase
from drr.papers.dr3.corpus.known import CasePages
from drr.papers.dr3.corpus.pool import PagePool, PageRanking, build_pool
from drr.papers.dr3.corpus.stock import stock
from drr.papers.dr3.corpus.template import _Choice, _Part, _Slot, template
from drr.papers.dr3.drawer.goods import SUNDRIES
from drr.papers.dr3.drawer.labels import upc
from drr.papers.dr3.drawer.writer import write_drawer
from drr.papers.dr3.form import CorpusPage
from drr.papers.dr3.planning.files import modality
from drr.papers.dr3.planning.kinds import ANY, all_kinds, kind_of
from drr.papers.dr3.quality.filters import FILTERS, beside_the_point, better_sources, makes_apart
from drr.papers.dr3.quality.material import TaskMaterial
from drr.papers.dr3.quality.timing import answered_elsewhere, foreknowing, of_another_make, reported, untimely
from drr.papers.dr3.reckoning import nonsense, overturns, reckoned, turns
from drr.papers.dr3.truth import ChangeKind, KnownPage, StatementChange, TaskFact
from drr.papers.dr3.values import FactValues, is_rest, number_of, sold_from

from tests.cases import cases, table
from tests.filetasks.reading import whole_text

_IMPOSSIBLE = cases("filetasks", "_IMPOSSIBLE")
_PATTERNS = {name: re.compile(pattern) for name, pattern in _IMPOSSIBLE.items()}
_TOGETHER = 2
"""Choices in a row that are tried with each other."""
_MOST = 20_000


def _slips(text: str) -> Iterator[str]:
    for name, pattern in _PATTERNS.items():
        for found in pattern.finditer(text):
            yield f"{name}: {text[max(0, found.start() - 40) : found.end() + 40]!r}"


def _texts(held: Any) -> Iterator[str]:
    if isinstance(held, str):
        yield held
    elif isinstance(held, (list, dict)):
        for one in held.values() if isinstance(held, dict) else held:
            yield from _texts(one)


def _said(parts: tuple[_Part, ...]) -> list[str]:
    """In all ways, slots by their names."""
    ways = [
        [part]
        if isinstance(part, str)
        else [f"[{part.name}]"]
        if isinstance(part, _Slot)
        else [one for option in part.options for one in _said(option)]
        for part in parts
    ]
    return ["".join(one) for one in islice(product(*ways), _MOST)]


def _stretches(parts: tuple[_Part, ...]) -> Iterator[str]:
    """From the end of one choice to the beginning of another, with all choices between."""
    at = [place for place, part in enumerate(parts) if isinstance(part, _Choice)]
    for first in range(max(1, len(at) - _TOGETHER + 1)):
        begin = at[first - 1] + 1 if first else 0
        last = first + _TOGETHER
        yield from _said(parts[begin : at[last] if last < len(at) else len(parts)])


@pytest.mark.long
def test_nothing_makes_impossible_english(shop: Shop) -> None:
    found = set()
    for file in sorted((Path(corpus_room.__file__).parent / "words").glob("*.toml")):
        if file.stem == "granted":
            continue
        for text in set(_texts(tomllib.loads(file.read_text("utf-8")))):
            for said in _stretches(template(text).parts):
                found |= {f"{file.stem}: {slip}" for slip in _slips(said)}
    assert not sorted(found)
    pages = build_pool(shop.store.iter_products(), 11, 900).pages
    assert not [slip for page in pages for slip in _slips(page.text)]


@table("filetasks", "slips_that_readers_found_are_known")
def test_slips_that_readers_found_are_known(said: str) -> None:
    assert [*_slips(said)]


TODAY = date(2022, 10, 1)
TERM = "warranty term from serial K3100 on, sold from March 2018"
BED = {"purchase date": "February 2, 2019", "serial number": "K3145-12345", TERM: "33 months"}
BACK = cases("filetasks", "BACK")
PACK = {"day of opening": "2022-05-29", "use": "4 times a week", "portions in one pack": "118 portions"}


def facts(values: Mapping[str, str]) -> list[TaskFact]:
    pages = ("warranty term", "share", "portions", "months", "days to", "narrowest", "weight on", "least")
    return [
        TaskFact(
            id=f"f{at}",
            subject="Acme thing",
            attribute=name,
            value=value,
            text="It is so.",
            source="page" if name.startswith(pages) else "file",
        )
        for at, (name, value) in enumerate(values.items(), 1)
    ]


@table("filetasks", "what_nobody_would_ask_is_told")
def test_what_nobody_would_ask_is_told(values: dict[str, str], told: str) -> None:
    assert any(told in one for one in nonsense(facts(values), TODAY)), list(nonsense(facts(values), TODAY))


def test_a_pack_counts_from_its_opening_and_a_value_turns_an_answer_by_its_verdict() -> None:
    sound = {"lot number": "A2160", "lots that are faulty": "lots before A2140"}
    for values in (BED, PACK, BACK, BACK | sound, {**PACK, "months it keeps once open": "9 months"}):
        assert list(nonsense(facts(values), TODAY)) == []
    pack = reckoned("lasting", FactValues(PACK, TODAY))
    assert pack.figure == "December 21, 2022" and pack.verdict == ""
    assert reckoned("term", FactValues(BED, TODAY)).figure == "November 2, 2021"
    assert reckoned("term", FactValues(BED, TODAY)).verdict == "past"
    trunk = FactValues({"gap in the trunk": "21.7 in", "narrowest side of the carton": "22.8 inches"}, TODAY)
    assert not overturns(trunk, "narrowest side of the carton", "34.4 inches")
    assert turns(trunk, "narrowest side of the carton", "34.4 inches")
    assert overturns(trunk, "narrowest side of the carton", "19.4 inches")
    assert turns(FactValues(PACK, TODAY), "portions in one pack", "90 portions")


@pytest.mark.long
def test_every_case_makes_sense(hundred: list[TaskCase]) -> None:
    for case in hundred:
        for part in case.couplings:
            assert reckoned(part.key, FactValues.of(case.facts, case.today)).text == part.how
        for fact in case.of("page"):
            start = sold_from(fact.attribute)
            assert start is None or start <= case.bought
        for fact in case.facts:
            assert fact.attribute != "day of delivery" or not is_rest(
                FactValues.of([fact], case.today).day("day")
            )


def test_products_are_asked_what_their_sort_can_be_asked(hundred: list[TaskCase], pool: PagePool) -> None:
    for case in hundred:
        kind = kind_of(case.thing.noun)
        keys = {part.key for part in case.couplings}
        assert ("lasting" in keys) == (case.intent == "refill") and (
            not kind.is_used_up or case.intent == "refill"
        )
        assert kind is not ANY or case.intent == "return_or_keep"
        assert kind.upkeep or "upkeep" not in keys
        assert kind.keeps or "keeping" not in keys
        assert kind.coded or "code" not in keys
        assert kind.stands == "shelf" or "load" not in keys
        assert kind.manual or all(file.form != "manual" for file in case.files)
        values = {fact.attribute: fact.value for fact in case.facts}
        for name, within in (
            ("width of the product", kind.wide),
            ("height once", kind.high),
            ("upkeep a", kind.upkeep),
        ):
            for said in (value for attribute, value in values.items() if attribute.startswith(name)):
                assert within is not None
                assert within[0] <= float(re.findall(r"[\d.]+", said)[0]) <= within[1] + 1
    assert {modality(file.form) for case in hundred for file in case.files} == {"text", "table", "picture"}
    # A nail lamp with LEDs of 2001, a massage gun of 2011.
    assert kind_of("mini massage gun").since == 2016 and kind_of("tall kettle").since == 0
    for case in hundred:
        for thing in (case.thing, case.rival):
            assert thing is None or case.bought.year >= kind_of(thing.noun).since
    young = [page for page in pool.pages if page.since > 2005]
    assert len(young) > 3 and all(page.is_possible(date(2030, 1, 1)) for page in young)
    assert not any(page.is_possible(date(2005, 1, 1)) for page in young)


def test_sorts_are_plausible() -> None:
    text = (Path(kinds_module.__file__).parent / "kinds.toml").read_text("utf-8")
    assert text.count("\nwhy = ") == text.count("[[kind]]")
    words = [
        word
        for row in re.findall(r"^words = \[(.*)\]$", text, re.M)
        for word in re.findall(r'"([^"]+)"', row)
    ]
    assert len(words) == len(set(words))
    weights = tomllib.loads((Path(kinds_module.__file__).parent / "weights.toml").read_text("utf-8"))[
        "pounds"
    ]
    assert set(weights) <= set(words) and all(0 < low < high for low, high in weights.values())
    balm, kettle = kind_of("tinted lip balm"), kind_of("gooseneck kettle")
    assert balm.weigh is not None and balm.weigh[1] < 5 and kettle.alone != kettle.pounds
    assert kind_of("maple rolling pin").lasts is None and kind_of("maple rolling pin").upkeep is None
    assert kind_of("raised garden beds").stands == "floor" and kind_of("dog bed").stands == ""
    # An oil diffuser of 12.6 pounds in use, and clamps with a serial number.
    rows = tomllib.loads((Path(__file__).parent / "plausible.toml").read_text("utf-8"))
    for name, known in rows.items():
        kind = kind_of(name)
        for field, (low, high) in known.items():
            found = getattr(kind, {"used": "pounds"}.get(field, field))
            assert found is not None and low <= found[0] < found[1] <= high, (name, field, found)
    for kind in all_kinds():
        assert kind.alone is None or kind.pounds is None or kind.alone[0] <= kind.pounds[1], kind.ending
        assert kind.holds is None or kind.pounds is not None, kind.ending
        if kind.plate:
            carried = kind.ending in ("grill", "baby carrier", "carrier")
            assert kind.manual in ("powered", "handheld", "furniture") or carried, kind.ending
    for name in ("clamp set", "chef knife", "dog bed", "bird feeder", "socket set"):
        assert not kind_of(name).plate
    for kind in all_kinds():
        assert kind.parcel is None or (kind.alone is not None and kind.parcel[0] > kind.alone[1])
        assert kind.wrapped is None or (kind.weigh is not None and kind.wrapped[0] > kind.weigh[1])
        if kind.boxed is not None and kind.carton is not None:
            assert kind.boxed[0] > kind.carton[1]
        assert "corded" not in kind.fits or "cordless" not in kind.traits
    assert "corded" not in kind_of("solar pathway light").fits and "corded" in kind_of("humidifier").fits


def test_papers_of_one_purchase_agree_and_say_day_and_price(hundred: list[TaskCase]) -> None:
    for case in hundred:
        forms = {entry.attribute: file.form for file in case.files for entry in file.entries}
        printed = {file.form for file in case.files} & {"receipt", "invoice", "till_slip"}
        assert len(printed) <= 1
        for name in ("purchase date", "price paid"):
            assert not printed or forms.get(name, *printed) in printed
    papers = (
        PlannedFile(name="a.pdf", form="invoice", entries=()),
        PlannedFile(name="b.pdf", form="delivery_note", entries=()),
    )
    for case in hundred[:4]:
        written = write_drawer(replace(case, files=papers)).files
        texts = [whole_text(name, content) for name, content in written.items()]
        numbers = [set(re.findall(r"\b[ABRS]\d{6}\b", text)) for text in texts]
        assert numbers[0] and numbers[0] == numbers[1]
        goods = [{text for text, _ in SUNDRIES if text in one} for one in texts]
        assert goods[0] and goods[0] == goods[1]
        assert case.thing.model in texts[0] and case.thing.model in texts[1]
    assert upc("03600029145") == "036000291452"
    assert upc("54838729697") != "548387296974"


@pytest.fixture(scope="module")
def pool(shop: Shop) -> PagePool:
    return build_pool(shop.store.iter_products(), 4, 60)


@pytest.mark.long
def test_distractors_mislead_and_speak_of_other_purchases(hundred: list[TaskCase], pool: PagePool) -> None:
    kinds = set()
    for case in [one for one in hundred if one.intent == "replace_under_warranty"][:3]:
        writer = CasePages(case, pool, 4)
        supportive = [writer.supportive(fact) for fact in case.of("page")]
        said = FactValues.of(case.facts, case.today)
        made = writer.distractors(supportive)
        names = {fact.id: fact.attribute for fact in case.facts}
        for page in (next(made) for _ in range(24)):
            change = page.known.change
            assert change is not None
            kinds.add(change.kind)
            value, _, month = (change.after or "").rpartition(": ")[2].partition(", sold from ")
            assert not value or turns(said, names[change.fact], value)
            start = sold_from(f"x, sold from {month}") if month else None
            true = sold_from(names[change.fact])
            assert (
                start is None
                or true is None
                or (start > case.bought if change.kind == "other_period" else start < true)
            )
        assert all(page.page.age is not None for page in supportive)
    assert {"outdated", "other_period", "wrong_figure", "other_model"} <= kinds


def _astray(page: CorpusPage, kind: ChangeKind, fact: TaskFact, after: str | None, **more: Any) -> KnownPage:
    """The record of a page that leads astray from the one that says this fact."""
    change = StatementChange(kind=kind, fact=fact.id, before=fact.value, after=after)
    told = {"made_from": "https://x.example/a", **more}
    return KnownPage(url=page.url, kind="distractor", change=change, **told)


def _changed(known: tuple[KnownPage, ...], after: str | None) -> tuple[KnownPage, ...]:
    first = next(page for page in known if page.kind == "supportive")
    change = StatementChange(kind="wrong_figure", fact=first.facts[0], before="x", after=after)
    one = KnownPage(url="https://a.example/b", kind="distractor", made_from=first.url, change=change)
    return (*known, one)


def test_the_filter_refuses_what_was_spoilt(hundred: list[TaskCase], pool: PagePool) -> None:
    from drr.papers.dr3.corpus.build import corpora
    from drr.papers.dr3.quality.material import made_material

    case = next(one for one in hundred if one.intent == "refill")
    found = corpora(case, 4, {"8k": 8_000}, pool)
    task = made_material("It was opened.", [file.name for file in case.files], found)
    assert list(FILTERS["sense"](task)) == [] and list(FILTERS["sense_question"](task)) == []
    assert list(FILTERS["sense_question"](replace(task, question="When will it be empty?")))
    late = replace(task, today=date(2031, 1, 1))
    assert any("before it is asked" in told for told in FILTERS["sense"](late))
    undated = [page.model_copy(update={"date": None}) for page in task.pages]
    assert any("needs a date" in told for told in FILTERS["sense"](replace(task, pages=undated)))
    same = next(fact.value for fact in case.of("page"))
    (told,) = FILTERS["sense"](replace(task, known=_changed(task.known, same)))
    assert "turns no part of the answer" in told
    assert list(FILTERS["sense"](replace(late, is_planned=False))) == []


@table("filetasks", "a_page_that_is_outdated_by_its_date_alone_is_refused")
def test_a_page_that_is_outdated_by_its_date_alone_is_refused(
    hundred: list[TaskCase], pool: PagePool, spoilt: dict[str, object], told: str
) -> None:
    """A forum post that is newer than a data sheet, and pages of which none says that anything has changed."""
    case = next(one for one in hundred if any(sold_from(fact.attribute) is None for fact in one.of("page")))
    fact = next(fact for fact in case.of("page") if sold_from(fact.attribute) is None)
    pages = [_page("right", "2022-06-01"), _page("old", "2019-06-01")]
    right = KnownPage(url=pages[0].url, kind="supportive", facts=(fact.id,), trust=1, as_of="May 2021")
    old = _astray(pages[1], "outdated", fact, "other", made_from=right.url, trust=1, as_of="April 2018")
    task = replace(_of_pages(pages), facts=tuple(case.facts), known=(right, old))
    assert list(better_sources(task)) == []
    (said,) = better_sources(replace(task, known=(right, old.model_copy(update=spoilt))))
    assert said.startswith("https://old.example/") and told in said
    assert list(better_sources(replace(task, pages=[pages[0], _page("old", "2023-01-01")]))) == []
    terms = [one.model_copy(update={"attribute": "days to return, sold from May 2021"}) for one in case.facts]
    (same,) = better_sources(replace(task, facts=tuple(terms)))
    assert "earlier time" in same
    assert old.change is not None
    said = old.change.model_copy(update={"after": "9 days, sold from April 2018"})
    earlier = old.model_copy(update={"change": said})
    assert list(better_sources(replace(task, facts=tuple(terms), known=(right, earlier)))) == []


@table("filetasks", "of_which_make_the_thing_is_must_be_plain")
def test_of_which_make_it_is_must_be_plain(made: str | None, right: str, other: str, told: str) -> None:
    known = facts({"points in the household test": "80 points", **({MADE: made} if made else {})})
    pages = [_page("right", "2022-06-01"), _page("other", "2022-06-01")]
    key = KnownPage(url=pages[0].url, kind="supportive", facts=("f1",), trust=1, as_of=right)
    astray = _astray(pages[1], "other_period", known[0], "71 points", made_from=key.url, trust=1, as_of=other)
    task = replace(_of_pages(pages), facts=tuple(known), known=(key, astray))
    said = list(of_another_make(task))
    assert len(said) == bool(told) and all(told in one for one in said)


@table("filetasks", "pages_that_know_the_future_or_another_make_are_refused")
def test_pages_that_know_too_much_are_refused(text: str, since: str, told: str | None) -> None:
    wanted = facts({"portions in one pack": "118 portions", "months it keeps once open": "9 months"})
    pages = [_page("one", "2022-06-01", text), _page("two", "2022-06-01")]
    known = tuple(
        KnownPage(url=page.url, kind="supportive", facts=(fact.id,), trust=1, as_of=month)
        for page, fact, month in zip(pages, wanted, ("May 2021", since), strict=True)
    )
    task = replace(_of_pages(pages), facts=tuple(wanted), known=known)
    said = [*foreknowing(task), *makes_apart(task)]
    assert len(said) == (told is not None) and all(str(told) in one for one in said)


@table("filetasks", "what_nobody_can_have_seen_by_then_is_refused")
def test_what_nobody_can_have_seen_by_then_is_refused(text: str, told: str | None) -> None:
    """Of needed pages as of any other, and read from the page alone."""
    task = _of_pages([_page("one", "2017-12-30", f"Hello.\n\n{text}")])
    assert [str(told) in one for one in untimely(task)] == [True] * (told is not None)
    assert list(untimely(_of_pages([_page("one", "2030-12-30", text)]))) == []


@table("filetasks", "a_distractor_that_is_beside_the_point_is_refused")
def test_beside_the_point_is_refused(text: str, kind: ChangeKind, after: str | None, refused: bool) -> None:
    (fact,) = facts({"portions in one pack": "118 portions"})
    page = _page("one", "2017-12-30", text)
    task = replace(_of_pages([page]), facts=(fact,), known=(_astray(page, kind, fact, after),))
    assert len(list(beside_the_point(task))) == refused


def _of_pages(pages: list[CorpusPage]) -> TaskMaterial:
    return TaskMaterial(
        question="", files=(), facts=(), known=(), terms=(), pages=pages,
        ranking=PageRanking.of(pages), today=TODAY, is_planned=True,
    )  # fmt: skip


def _page(name: str, day: str, text: str = "") -> CorpusPage:
    return CorpusPage(url=f"https://{name}.example/a", title=name, text=text or name, date=day)


@table("filetasks", "another_figure_that_answers_what_is_asked_is_refused")
def test_another_answering_figure_is_refused(asked: str, value: str, text: str, refused: bool) -> None:
    """Asked whether the height fits, four pages said how much room it needs above."""
    fact = facts({asked: value})[0].model_copy(update={"source": "page"})
    task = replace(_of_pages([_page("one", "2017-12-30", text)]), facts=(fact,))
    assert len(list(answered_elsewhere(task))) == refused


def test_other_figures_are_told_from_names_and_from_records() -> None:
    """The parcel of a heavy-duty monitor arm was taken for its weight: all candidates of a task were refused."""
    (fact,) = facts({"weight in use": "11.4 pounds"})
    fact = fact.model_copy(update={"source": "page", "subject": "Acme heavy-duty arm"})
    texts = (
        "The parcel of the Acme heavy-duty arm is 11.8 pounds.",
        "A heavy-duty arm takes 11.8 pounds of paper.",
    )
    for text in (*texts, "| Model | Parcel |\n| --- | --- |\n| Acme heavy-duty arm | 11.8 pounds |"):
        page = _page("one", "2017-12-30", f"{text} Acme heavy-duty arm")
        assert list(answered_elsewhere(replace(_of_pages([page]), facts=(fact,)))) == []
    page = _page("one", "2017-12-30", "The Acme heavy-duty arm weighs 11.8 pounds.")
    assert len(list(answered_elsewhere(replace(_of_pages([page]), facts=(fact,))))) == 1
    (fact,) = facts({"portions in one pack": "118 portions"})
    page = _page("one", "2017-12-30", "A pack of the Acme thing gave 90 portions.")
    task = replace(_of_pages([page]), facts=(fact,), known=(_astray(page, "outdated", fact, "90 portions"),))
    assert list(answered_elsewhere(task)) == []


def test_statements_are_known_for_what_they_are(pool: PagePool) -> None:
    """`It needs 1.2 inches on the left and as much on the right` was refused as silence on the room at the sides, one task in so many."""
    for form in (one for one in stock().statements if not one.is_beside):
        for row in (*form.sentences, *form.talk, *form.side, *form.bare, form.column):
            for way in range(min(row.ways, 200)):
                said = row.words(Random(way), lambda slot: f"<{len(slot)}>", way)
                assert form.called.search(said), (form.attribute.pattern, said)
    asked = {form.topic for form in stock().statements if not form.is_beside}
    for form in stock().statements:
        assert not form.is_beside or form.topic not in asked, form.attribute.pattern
    # `Upkeep: | Model | Unopened |` made a table of upkeep of another, and no table at all.
    tables = [page for page in pool.pages if "| --- |" in page.text]
    assert len(tables) > 9
    for page in tables:
        for head in re.findall(r"(.*)\n\| --- \|", page.text):
            assert head.startswith("| "), head
    row = "Upkeep: | Model | Unopened |\n| --- | --- |\n| Acme cream | 20 months (version of July 2019) |"
    assert list(reported(_page("one", "2020-01-28", row))) == []


def test_terms_are_those_that_people_know(hundred: list[TaskCase], pool: PagePool) -> None:
    """Warranties of 27, 53 and 61 months, returns within 37 days and fees of 17 percent: right and wrong ones are drawn from the same figures."""
    seen: dict[str, set[str]] = {}
    for case in hundred:
        for fact in case.of("page"):
            form = stock().statement(fact.attribute)[0]
            if form.among:
                assert number_of(fact.value) in form.among, fact
                seen.setdefault(form.attribute.pattern, set()).add(fact.value)
    assert len(seen) == 6 and sum(len(values) for values in seen.values()) > 30
    case = next(one for one in hundred if one.intent == "return_or_keep")
    writer = CasePages(case, pool, 4)
    made = writer.distractors([writer.supportive(fact) for fact in case.of("page")])
    facts = {fact.id: stock().statement(fact.attribute)[0] for fact in case.facts}
    for change in (page.known.change for page in (next(made) for _ in range(20))):
        assert change is not None
        among = facts[change.fact].among
        assert not among or not change.stated or number_of(change.stated) in among


@pytest.mark.long
def test_wrong_is_above_right_as_often_as_below(hundred: list[TaskCase], pool: PagePool) -> None:
    """Beside a rumor of the same time the larger figure was always the right one; most of them turn the verdict all the same."""
    above: Counter[bool] = Counter()
    turned: Counter[bool] = Counter()
    for case in hundred[:50]:
        writer = CasePages(case, pool, 4)
        said = FactValues.of(case.facts, case.today)
        names = {fact.id: fact.attribute for fact in case.facts}
        made = writer.distractors([writer.supportive(fact) for fact in case.of("page")])
        for change in (page.known.change for page in (next(made) for _ in range(6))):
            if change is not None and change.stated and re.search(r"\d", change.before):
                above[number_of(change.stated) > number_of(change.before)] += 1
                turned[overturns(said, names[change.fact], change.stated)] += 1
    assert above.total() > 120 and 0.38 < above[True] / above.total() < 0.62
    assert turned[True] > 1.2 * turned[False]
