"""Each filter lets a good task through and refuses one that was spoiled in its own way; rules over reports on files accuse no more."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import drr.papers.dr3
import pytest
from drr.app.report.calls import tool_calls
from drr.env.shop import Shop
from drr.env.text import fold
from drr.eval.checks import Subject, check_report
from drr.eval.evidence.answers import Answer
from drr.llm.prompts import Prompts
from drr.papers.dr3.asking.checklist import written_checklist
from drr.papers.dr3.asking.question import written_question
from drr.papers.dr3.case import TaskCase
from drr.papers.dr3.corpus.build import Corpora, corpora
from drr.papers.dr3.corpus.pool import PageRanking, build_pool
from drr.papers.dr3.drawer.writer import WrittenDrawer, write_drawer
from drr.papers.dr3.form import CORPUS, DRAWER, QUESTION, SIZES, TRUTH, CorpusPage, FileQuestion, document
from drr.papers.dr3.making.checking import StoredTask
from drr.papers.dr3.making.without import EVERYTHING, NOTHING, conditions, messages, problems_without, untold
from drr.papers.dr3.quality.filters import FILTERS, refusal
from drr.papers.dr3.quality.material import TaskMaterial, catalogue_of, made_material, stored_material
from drr.papers.dr3.truth import FactPlace, SearchTerm, TaskFact, TaskTruth

from tests.cases import cases, table
from tests.filetasks.made import write_known_task

Made = tuple[TaskMaterial, Corpora, WrittenDrawer]
SIZES_ASKED = {"8k": 8_000, "16k": 16_000}


@pytest.fixture(scope="module")
def made(shop: Shop, hundred: list[TaskCase]) -> Made:
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
def task(made: Made) -> TaskMaterial:
    return made[0]


def _refuses(name: str, spoiled: TaskMaterial) -> list[str]:
    assert refusal(spoiled) is not None
    return list(FILTERS[name](spoiled))


def _page_fact(task: TaskMaterial) -> TaskFact:
    return next(fact for fact in task.facts if fact.source == "page")


def _with_page(task: TaskMaterial, old: CorpusPage, text: str) -> TaskMaterial:
    said = old.model_copy(update={"text": text})
    pages = [said if page == old else page for page in task.pages]
    return replace(task, pages=pages, ranking=PageRanking.of(pages))


def _with_fact(task: TaskMaterial, old: TaskFact, *places: FactPlace) -> TaskMaterial:
    changed = old.model_copy(update={"places": places})
    return replace(task, facts=tuple(changed if one == old else one for one in task.facts))


def test_a_good_task_passes(made: Made, tmp_path: Path) -> None:
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
    fact, other = _page_fact(task), next(one for one in task.facts if one.source == "file")
    place = fact.places[0].address
    told = _refuses("necessity", _with_fact(task, fact, *fact.places, *other.places))
    assert f"{place}: can be left out" in told[0]
    told = _refuses("necessity", _with_fact(task, fact))
    assert f"fact {fact.id}: stands in no file and no supportive page" in told
    page = next(page for page in task.pages if page.url == place)
    told = _refuses("necessity", _with_page(task, page, page.text.replace(fact.value, "some")))
    assert f"fact {fact.id}: {place} does not say" in told[0]
    spoiled = replace(task, texts={task.files[0]: fold(f"as they told me, {fact.value} in all")})
    assert any(f"fact {fact.id}: {task.files[0]} says" in told for told in _refuses("necessity", spoiled))


def test_what_is_said_elsewhere_or_of_nothing_is_refused(task: TaskMaterial, shop: Shop) -> None:
    fact = _page_fact(task)
    noise = next(page for page in task.pages if page.url not in {one.url for one in task.known})
    spoiled = _with_page(task, noise, f"{noise.text}\n\n{fact.subject}: {fact.value}.")
    (told,) = _refuses("novelty", spoiled)
    assert told.startswith(f"fact {fact.id}: {noise.url} says")
    longer = _with_page(task, noise, f"{noise.text}\n\n{fact.subject}: 1{fact.value.strip('$')}.")
    assert not list(FILTERS["novelty"](longer))  # another figure
    named = {"title": f"{fact.subject}, new", "features": [f"Now with {fact.value}."]}
    product = next(iter(shop.store.iter_products())).model_copy(update=named)
    spoiled = replace(task, catalogue=lambda words: [product] if words == fact.subject else [])
    told = [f"fact {fact.id}: the catalogue says {fact.value!r} of {product.product_id}"]
    assert _refuses("novelty", spoiled) == told
    for fact in task.facts:
        told = _refuses("novelty_question", replace(task, question=f"{task.question} I think {fact.value}."))
        assert told == [f"fact {fact.id}: the question says {fact.value!r}"]
    fact = next(one for one in task.facts if one.source == "file")
    for names, said in ((None, "says of what it is"), ("our zebra corner", "not call it 'our zebra corner'")):
        place = fact.places[0].model_copy(update={"names": names})
        (told,) = _refuses("tied", _with_fact(task, fact, place))
        assert said in told


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


ROWS = "file://orders%202022.csv#row=2-7"
TEXTS = cases("filetasks", "TEXTS")


def checked(sentence: str, address: str) -> dict[str, Any]:
    report = f"{sentence} [1].\n\n## Sources\n[1] It: {address}\n"
    return check_report(Subject(report, returned=frozenset(TEXTS), texts=TEXTS))


@table("filetasks", "a_part_of_what_was_read_of_a_file_is_not_made_up")
def test_a_part_of_what_was_read_of_a_file_is_not_made_up(address: str, status: str) -> None:
    assert checked("It is so", address)["fabricated_citation"].status == status


@table("filetasks", "figures_are_held_against_what_was_read_around_the_place")
def test_figures_are_held_against_what_was_read(sentence: str, address: str, status: str) -> None:
    assert checked(sentence, address)["numbers_in_evidence"].status == status


def answers(world: dict[str, str], *names: str) -> list[Answer]:
    calls = [{"name": name, "kind": "api"} for name in names]
    record = SimpleNamespace(key_fields=world, result={})
    one = SimpleNamespace(query_id="q", asked="q", variant="react", usage={}, calls=calls, record=record)
    return [cast(Answer, one)]


def test_tools_for_files_are_tools_and_those_of_no_shop_are_not_listed() -> None:
    of_files = tool_calls({"a": answers({"world": "files"}, "list_files", "web_search", "made_up")})["a"]
    assert list(of_files)[:2] == ["web_search", "list_files"] and len(of_files) == 5
    assert of_files["list_files"] == {"q": [1.0]} and of_files["unknown tools"] == {"q": [1.0]}
    both = tool_calls({"a": answers({"world": "files", "shop": "x"}, "list_files")})["a"]
    assert len(both) == 9 + 1 + 3
    assert len(tool_calls({"a": answers({}, "web_search")})["a"]) == 9 + 3


PROMPTS = Prompts(Path(drr.papers.dr3.__file__).parent / "prompts")
UNKNOWN = "Nothing here says it."


@pytest.fixture(scope="module")
def known_task(tmp_path_factory: pytest.TempPathFactory) -> StoredTask:
    return StoredTask(write_known_task(tmp_path_factory.mktemp("without") / "007"))


def test_each_request_lacks_what_was_left_out_and_holds_the_rest(known_task: StoredTask) -> None:
    names = conditions(known_task)
    assert names[0] == NOTHING and names[-1] == EVERYTHING and len(names) == 10
    asked = {name: messages(PROMPTS, known_task, name)[0].text for name in names}
    assert (
        "36 months" in asked[NOTHING]
        and "every 4 weeks" in asked[NOTHING]
        and "TOTAL $49.00" in asked[NOTHING]
    )
    assert "36 months" not in asked["manual.pdf"] and "every 4 weeks" in asked["manual.pdf"]
    assert "TOTAL" not in asked["slip.png"]
    assert "(nothing)" in asked[EVERYTHING] and "58 cm" not in asked[EVERYTHING]
    assert all("hidden" not in text and "every 9 weeks" not in text for text in asked.values())


@pytest.mark.parametrize(
    ("without", "answer", "checks"),
    [
        ("manual.pdf", "The kettle is covered for three years, I believe.", ["left_out"]),
        ("manual.pdf", "The kettle is covered for 24 months.", []),
        ("slip.png", "It cost $49.00.", []),  # the orders say so
        (EVERYTHING, "Most shops take kettles back within 30 days.", ["closed_book"]),
        (NOTHING, "36 months, 58 cm, $49.00, 45 days, 30 days, every 4 weeks.", []),
    ],
)
def test_only_what_nothing_says_counts(
    known_task: StoredTask, without: str, answer: str, checks: list[str]
) -> None:
    answers = {**dict.fromkeys(conditions(known_task), UNKNOWN), without: answer}
    assert [one.check for one in problems_without(known_task, answers)] == checks


def test_what_is_not_told_with_everything_at_hand_is_listed(known_task: StoredTask) -> None:
    answers = {NOTHING: "36 months, 58 cm, $49.00 or 49.00, 45 days, 30 days, every 4 weeks."}
    assert [one.fact for one in untold(known_task, answers)] == ["f7"]  # only words say it
