"""Each filter lets a good task through and refuses one that was spoiled in its own way."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from drr.env.shop import Shop
from drr.env.text import fold
from drr.papers.dr3.asking.checklist import written_checklist
from drr.papers.dr3.asking.question import written_question
from drr.papers.dr3.case import TaskCase
from drr.papers.dr3.corpus.build import Corpora, corpora
from drr.papers.dr3.corpus.pool import PageRanking, build_pool
from drr.papers.dr3.drawer.writer import WrittenDrawer, write_drawer
from drr.papers.dr3.form import CORPUS, DRAWER, QUESTION, SIZES, TRUTH, CorpusPage, FileQuestion, document
from drr.papers.dr3.quality.filters import FILTERS, refusal
from drr.papers.dr3.quality.material import TaskMaterial, catalogue_of, made_material, stored_material
from drr.papers.dr3.truth import FactPlace, SearchTerm, TaskFact, TaskTruth

from tests.cases import table

SIZES_ASKED = {"8k": 8_000, "16k": 16_000}


@pytest.fixture(scope="module")
def made(shop: Shop, hundred: list[TaskCase]) -> tuple[TaskMaterial, Corpora, WrittenDrawer]:
    pool = build_pool(shop.store.iter_products(), 4, 120)
    for case in hundred:
        drawer = write_drawer(case)
        found = corpora(drawer.case, 4, SIZES_ASKED, pool)
        for attempt in range(6):
            task = made_material(
                written_question(drawer.case, attempt), drawer.files, found, catalogue_of(shop)
            )
            if refusal(task) is None:
                return task, found, drawer
    raise AssertionError("every candidate was refused")


@pytest.fixture(scope="module")
def task(made: tuple[TaskMaterial, Corpora, WrittenDrawer]) -> TaskMaterial:
    return made[0]


def _refuses(name: str, spoiled: TaskMaterial) -> list[str]:
    assert refusal(spoiled) is not None
    return list(FILTERS[name](spoiled))


def _page_fact(task: TaskMaterial) -> TaskFact:
    return next(fact for fact in task.facts if fact.source == "page")


def _with_pages(task: TaskMaterial, pages: list[CorpusPage]) -> TaskMaterial:
    return replace(task, pages=pages, ranking=PageRanking.of(pages))


def test_a_good_task_passes(made: tuple[TaskMaterial, Corpora, WrittenDrawer], tmp_path: Path) -> None:
    task, found, drawer = made
    case = drawer.case
    (tmp_path / DRAWER).mkdir()
    for name, content in drawer.files.items():
        (tmp_path / DRAWER / name).write_bytes(content)
    (tmp_path / CORPUS).write_bytes(b"".join(found.lines))
    question = FileQuestion(
        task_id=case.task_id, query=task.question, today=case.today.isoformat(), files=task.files
    )
    truth = TaskTruth(
        task_id=case.task_id, intent=case.intent, theme=case.theme, seed=4, shop_hash="0" * 64,
        facts=found.facts, pages=found.known, terms=found.terms, checklist=written_checklist(case),
        sizes=found.truths, counter=found.sizes.counter,
    )  # fmt: skip
    for name, row in ((SIZES, found.sizes), (QUESTION, question), (TRUTH, truth)):
        (tmp_path / name).write_bytes(document(row))
    stored = stored_material(tmp_path, task.catalogue)
    assert {page.url for page in stored.pages} == {page.url for page in task.pages}
    assert [list(check(stored)) for check in FILTERS.values()] == [[]] * len(FILTERS)


@pytest.mark.parametrize("change", ["as it is", "swapped", "other endings", "words between"])
def test_a_question_that_says_a_search_term_is_refused(task: TaskMaterial, change: str) -> None:
    term = SearchTerm(term="dented kettle warranty claim", role="signal", facts=(_page_fact(task).id,))
    said = {
        "as it is": "dented kettle warranty claim",
        "swapped": "claim of warranty, kettle dented",
        "other endings": "denting kettles and a warranty claimed",
        "words between": "dented the kettle, warranty to claim",
    }[change]
    spoiled = replace(task, question=f"{task.question} {said}.", terms=(*task.terms, term))
    (told,) = _refuses("exposure", spoiled)
    assert term.term in told


def test_a_question_exposes_by_words_that_stand_together_or_lead_elsewhere(task: TaskMaterial) -> None:
    term = SearchTerm(term="dented kettle warranty claim", role="signal", facts=(_page_fact(task).id,))
    apart = replace(
        task, question=f"Dented kettle. {task.question} A warranty claim.", terms=(*task.terms, term)
    )
    assert not list(FILTERS["exposure"](apart))
    (told,) = _refuses("guidance", replace(task, question="zebra quorum xylophone"))
    assert "own words" in told
    spoiled = replace(task, terms=tuple(term for term in task.terms if term.role == "noise"))
    told = _refuses("guidance", spoiled)
    assert len(told) == len(task.supportive) and all("no signal term" in one for one in told)


def test_what_is_needless_or_lost_is_refused(task: TaskMaterial) -> None:
    (told,) = _refuses("necessity", replace(task, files=(*task.files, "holiday.png")))
    assert told.startswith("holiday.png: can be left out")
    fact = _page_fact(task)
    other = next(one for one in task.facts if one.source == "file")
    twice = fact.model_copy(update={"places": (*fact.places, *other.places)})
    told = _refuses(
        "necessity", replace(task, facts=tuple(twice if one == fact else one for one in task.facts))
    )
    assert f"{fact.places[0].address}: can be left out" in told[0]
    fact = _page_fact(task)
    lost = fact.model_copy(update={"places": ()})
    told = _refuses(
        "necessity", replace(task, facts=tuple(lost if one == fact else one for one in task.facts))
    )
    assert f"fact {fact.id}: stands in no file and no supportive page" in told
    fact = _page_fact(task)
    pages = [
        page.model_copy(update={"text": page.text.replace(fact.value, "some")})
        if page.url == fact.places[0].address
        else page
        for page in task.pages
    ]
    told = _refuses("necessity", _with_pages(task, pages))
    assert f"fact {fact.id}: {fact.places[0].address} does not say" in told[0]
    fact = _page_fact(task)
    spoiled = replace(task, texts={task.files[0]: fold(f"as they told me, {fact.value} in all")})
    assert any(f"fact {fact.id}: {task.files[0]} says" in told for told in _refuses("necessity", spoiled))


def test_what_others_say_is_refused(task: TaskMaterial, shop: Shop) -> None:
    fact = _page_fact(task)
    noise = next(page for page in task.pages if page.url not in {one.url for one in task.known})
    said = noise.model_copy(update={"text": f"{noise.text}\n\n{fact.subject}: {fact.value}."})
    (told,) = _refuses("novelty", _with_pages(task, [said if page == noise else page for page in task.pages]))
    assert told.startswith(f"fact {fact.id}: {noise.url} says")
    fact = _page_fact(task)
    noise = next(page for page in task.pages if page.url not in {one.url for one in task.known})
    said = noise.model_copy(update={"text": f"{noise.text}\n\n{fact.subject}: 1{fact.value.strip('$')}."})
    same = _with_pages(task, [said if page == noise else page for page in task.pages])
    assert not list(FILTERS["novelty"](same))
    fact = _page_fact(task)
    product = next(iter(shop.store.iter_products())).model_copy(
        update={"title": f"{fact.subject}, new", "features": [f"Now with {fact.value}."]}
    )
    told = _refuses(
        "novelty", replace(task, catalogue=lambda words: [product] if words == fact.subject else [])
    )
    assert told == [f"fact {fact.id}: the catalogue says {fact.value!r} of {product.product_id}"]
    for fact in task.facts:
        told = _refuses("novelty_question", replace(task, question=f"{task.question} I think {fact.value}."))
        assert told == [f"fact {fact.id}: the question says {fact.value!r}"]


def _spoiled_place(task: TaskMaterial, **change: str | None) -> TaskMaterial:
    fact = next(one for one in task.facts if one.source == "file")
    place = fact.places[0].model_copy(update=change)
    bad = fact.model_copy(update={"places": (place,)})
    return replace(task, facts=tuple(bad if one == fact else one for one in task.facts))


def test_a_fact_whose_object_is_unsaid_or_called_otherwise_is_refused(task: TaskMaterial) -> None:
    (told,) = _refuses("tied", _spoiled_place(task, names=None))
    assert "nothing in" in told and "says of what it is" in told
    (told,) = _refuses("tied", _spoiled_place(task, names="our zebra corner"))
    assert "the question does not call it 'our zebra corner'" in told


@table("filetasks", "a_line_that_names_no_object_is_refused")
def test_a_line_that_names_no_object_is_refused(name: str, address: str, quote: str, row: str) -> None:
    place = FactPlace(address=address, quote=quote, names="kettle")
    fact = TaskFact(
        id="f1", subject="the kettle", attribute="day of delivery", value="May 14", text="It came.", source="file", places=(place,)
    )  # fmt: skip
    task = TaskMaterial(
        question="When did my kettle come?", files=(name,), facts=(fact,), known=(), terms=(), pages=(),
        ranking=PageRanking.of([]), texts={name: row or fold(quote)}, is_planned=True,
    )  # fmt: skip
    (told,) = FILTERS["tied"](task)
    assert "does not say beside it that it is of 'kettle'" in told
    said = place.model_copy(update={"quote": f"The kettle: {quote}"})
    tied = replace(
        task, facts=(fact.model_copy(update={"places": (said,)}),), texts={name: "kettle | may 14"}
    )
    assert list(FILTERS["tied"](tied)) == [] and list(FILTERS["tied"](replace(task, is_planned=False))) == []
