"""Models word joined questions: a text is kept where two readers turn it into the same answer, and a third finds nothing open."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from drr.app.study.seals import is_worded
from drr.env.checkable import Checkable, Constraint
from drr.env.points import JointRule
from drr.env.query import Query, read_queries
from drr.env.shop import open_shop
from drr.env.web.open import open_web
from drr.llm.factory import Models
from drr.llm.models import ModelSettings
from drr.llm.prompts import Prompts
from drr.querygen.asking import FOLDER
from drr.querygen.checks import Checker
from drr.querygen.files import write_queries
from drr.querygen.joined.describing import FRAME, asked, framed, unframed
from drr.querygen.joined.making import JoinedMaker
from drr.querygen.joined.specification import JoinedNeed, OrderCondition, OrderFigure, Specification
from drr.querygen.joined.wording import JoinedWriter
from drr.querygen.joined.words import word_use

from tests.app.conftest import truth_of
from tests.commands import Drr
from tests.querygen.test_joined import SETTINGS
from tests.wire import Fail, Reply, Request, Say, Wire

WRITER, READER, OTHER, SEEKER = (f"anthropic:{name}" for name in ("author", "reader", "second", "seeker"))
SCENES = (
    "My sister moves and asks me for help, and this is wish number 0 of the letter that I write for her tonight.",
    "It has rained for a week, the roof leaks and my brother counts on me: here comes wish number 1 of our long list.",
    "When the children sleep I sit down at last and think of wish number 2, which has waited since the spring.",
)


@pytest.fixture(scope="module")
def place(joined: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("worded")
    (folder / "made").symlink_to(joined)
    write_queries(folder / "q.jsonl", read_queries(joined / "q.jsonl")[1:4])
    return folder


@pytest.fixture
def printed(place: Path) -> list[Query]:
    return read_queries(place / "q.jsonl")


def given(request: Request) -> str:
    return "\n".join(
        part if isinstance(part := one["content"], str) else "".join(block["text"] for block in part)
        for one in request.body["messages"]
    )


def specification(query: Query) -> Specification:
    return Specification.model_validate(truth_of(query).specification)


class Cast:
    """A writer, two readers and a seeker of gaps, who answer for the questions of a file as told."""

    def __init__(self, printed: Sequence[Query], **told: Callable[[str, int], object]) -> None:
        self.printed, self.told, self.asked = printed, told, Counter[str]()

    def __call__(self, request: Request) -> Reply:
        name, text = request.body["model"], given(request)
        if name == "author":
            wanted = text.partition("<wanted")[2].partition("</wanted")[0]
            number = next(
                at for at, one in enumerate(self.printed) if "\n".join(asked(specification(one))) in wanted
            )
            needs = specification(self.printed[number]).needs
            named = [str(x.value) for one in needs for x in one.constraints if x.kind == "brand_is"]
            answer: object = {"text": " ".join([SCENES[number], *named])}
        else:
            number = int(re.findall(r"wish number (\d+)", text)[0])
            answer = truth_of(self.printed[number]).specification if name != "seeker" else {"open": []}
        self.asked[f"{name} {number}"] += 1
        if name in self.told:
            answer = self.told[name](text, number) or answer
        return answer if isinstance(answer, Fail) else Say(json.dumps(answer))


def words(place: Path, out: Path, wire: Wire, *more: object) -> Sequence[object]:
    models = ("--writer", WRITER, "--readers", f"{READER},{OTHER},{SEEKER}", "--base-url", wire.url)
    return (
        "queries",
        "word",
        place / "q.jsonl",
        "--shop",
        place / "made" / "shop",
        "--out",
        out,
        *models,
        "--quiet",
        *more,
    )


def test_words_that_both_readers_understand_are_kept_and_pass_every_check(
    place: Path, printed: list[Query], tmp_path: Path, drr: Drr
) -> None:
    out, cast = tmp_path / "worded.jsonl", Cast(printed)
    with Wire(cast) as wire:
        told = drr.out(*words(place, out, wire))
        assert "3 of 3 questions worded" in told
        assert len(wire.requests) == 12
        drr.out(*words(place, out, wire))
        assert len(wire.requests) == 12, "a paid answer was asked for again"
    worded = read_queries(out)
    shutil.copy(out, tmp_path / "queries.jsonl")
    assert is_worded(tmp_path), "no seed makes these words again: their set is encrypted"
    for before, after in zip(printed, worded, strict=True):
        assert truth_of(after).worded is not None
        assert truth_of(after).model_copy(update={"worded": None}) == truth_of(before)
        assert (after.model, after.rule_written) == (WRITER, None)
        assert after.query == f"{unframed(after.query)}\n\n{FRAME}"
        assert "no model worded it" not in after.query
    worked = truth_of(worded[0]).worded
    assert worked is not None
    assert worked.readers == [READER, OTHER, SEEKER]
    assert worked.prompts.keys() == {"joined_writer", "joined_reader", "joined_gaps", "house_rules"}
    ids = {pick.product for one in printed for point in truth_of(one).points for pick in point.picks}
    for request in wire.requests:
        assert not any(one in json.dumps(request.body) for one in ids), "an answer was shown"
        assert ("<wanted" in given(request)) == (request.body["model"] == "author")
    assert "3 of 3 questions pass every check" in drr.out(
        "queries", "check", out, "--shop", place / "made" / "shop"
    )


def test_a_text_that_a_reader_understands_otherwise_is_written_anew_and_dropped_in_the_end(
    place: Path, printed: list[Query], tmp_path: Path, drr: Drr
) -> None:
    def misread(text: str, number: int) -> object:
        own = json.loads(json.dumps(truth_of(printed[number]).specification))
        if number == 1:
            own["needs"][0]["pieces"] = 1 + own["needs"][0].get("pieces", 1)
            own["budget"] = 1000 + own["budget"]
        return own if number == 1 else None

    assert specification(printed[1]).needs
    cast = Cast(printed, second=misread)
    with Wire(cast) as wire:
        document = drr.json(*words(place, tmp_path / "worded.jsonl", wire), code=1)
        remarks = [text for one in wire.requests if "<remarks" in (text := given(one))]
    assert (document["questions"], document["dropped"]) == (2, {"understood otherwise": 1})
    assert cast.asked["author 1"] == 3
    assert len(remarks) == 2
    assert all("instead of: 1." in one and "a reader understood: 1." in one for one in remarks)


def test_what_a_text_leaves_open_is_told_to_the_writer(
    place: Path, printed: list[Query], tmp_path: Path, drr: Drr
) -> None:
    def seek(text: str, number: int) -> object:
        return (
            {"open": ["Which of two wins is not said."]}
            if cast.asked["seeker 0"] == 1 and not number
            else None
        )

    cast = Cast(printed, seeker=seek)
    with Wire(cast) as wire:
        document = drr.json(*words(place, tmp_path / "worded.jsonl", wire))
        (remark,) = [text for one in wire.requests if "<remarks" in (text := given(one))]
    assert "it leaves open: Which of two wins is not said." in remark
    assert SCENES[0] in remark
    assert document["writings"] == 4


def test_code_refuses_words_that_name_a_detail_and_asks_no_reader(
    place: Path, printed: list[Query], tmp_path: Path, drr: Drr
) -> None:
    cast = Cast(printed, author=lambda text, number: {"text": SCENES[number] + " It must fit exactly."})
    with Wire(cast) as wire:
        document = drr.json(*words(place, tmp_path / "worded.jsonl", wire), code=1)
        assert {one.body["model"] for one in wire.requests} == {"author"}
        assert "it holds what it must not: exactly" in given(wire.requests[-1])
    assert document["dropped"] == {"unfit words": 3}


def test_a_misspelt_reading_is_told_its_error_once(
    place: Path, printed: list[Query], tmp_path: Path, drr: Drr
) -> None:
    def misspell(text: str, number: int) -> object:
        own = json.dumps(truth_of(printed[number]).specification)
        value = next(x.value for need in specification(printed[1]).needs for x in need.constraints if x.name)
        refused = "cannot be used" in text
        return (
            json.loads(own.replace(str(value), "Quite Unheard Of")) if number == 1 and not refused else None
        )

    cast = Cast(printed, reader=misspell)
    with Wire(cast) as wire:
        document = drr.json(*words(place, tmp_path / "worded.jsonl", wire))
        again = [text for one in wire.requests if "cannot be used" in (text := given(one))]
    assert document["questions"] == 3
    assert len(again) == 1
    assert "Quite Unheard Of" in again[0].partition("cannot be used")[2]


def test_a_stopped_run_goes_on_and_pays_no_answer_twice(
    place: Path, printed: list[Query], tmp_path: Path, drr: Drr
) -> None:
    broken = [True]
    cast = Cast(
        printed, seeker=lambda *_: Fail(401, "authentication_error", "no such key") if broken else None
    )
    out, answered = tmp_path / "worded.jsonl", Counter[str]()
    with Wire(cast) as wire:
        # One after another: what other questions had asked for when the run stopped is cancelled, not kept.
        assert "401" in drr.err(*words(place, out, wire, "--units", "1"), code=1)
        broken.clear()
        answered.update({name: 1 for name in cast.asked if not name.startswith("seeker")})
        drr.out(*words(place, out, wire))
    assert len(read_queries(out)) == 3
    assert {name: count for name, count in cast.asked.items() if name in answered} == answered


def test_only_joined_questions_are_worded_and_only_by_language_models(
    place: Path, printed: list[Query], tmp_path: Path, drr: Drr
) -> None:
    plain = tmp_path / "plain.jsonl"
    write_queries(plain, [Query(query="Which?", user_id="U", checkable=Checkable())])
    own = (
        "--shop",
        place / "made" / "shop",
        "--out",
        tmp_path / "o.jsonl",
        "--readers",
        "offline",
        "--writer",
    )
    assert "models word joined questions only" in drr.err("queries", "word", plain, *own, "offline")
    assert "name language models" in drr.err("queries", "word", place / "q.jsonl", *own, "offline")


def demand(name: str, value: str) -> Constraint:
    return Constraint(kind="attribute", name=name, value=value)


def test_a_shop_in_which_the_questions_have_other_answers_is_refused_before_any_call(
    place: Path, printed: list[Query], tmp_path: Path, drr: Drr
) -> None:
    truth = truth_of(printed[0])
    wrong = truth.points[0].model_copy(update={"status": "not_sold", "picks": [], "figure": None})
    changed = truth.model_copy(update={"points": [wrong, *truth.points[1:]]})
    path = tmp_path / "q.jsonl"
    write_queries(path, [printed[0].model_copy(update={"checkable": changed}), printed[1]])
    with Wire(Cast(printed)) as wire:
        command = [path if one == place / "q.jsonl" else one for one in words(place, tmp_path / "w", wire)]
        told = drr.err(*command)
        assert not wire.requests
    assert "1 of 2 questions have another answer in this shop and web" in told
    assert "--sandbox" in told


def test_the_lists_have_each_kind_that_some_question_asks_for(place: Path, printed: list[Query]) -> None:
    with open_shop(str(place / "made" / "shop"), SETTINGS) as shop:
        path = next(shop.store.iter_products()).categories
        need = {"category": path, "constraints": [{"kind": "attribute", "name": "Brand", "value": "Own"}]}
        other = printed[0].model_copy(update={"checkable": Checkable(specification={"needs": [need]})})
        maker, models = JoinedMaker(shop, open_web(SETTINGS, shop=shop)), Models(ModelSettings(roles={}))
        writer = JoinedWriter(maker, models, Prompts(FOLDER), 1, [*printed, other])
        assert set(maker.bundles.kinds) < set(writer.lists)
        assert json.dumps(path) in writer.lists[tuple(path)]


def test_a_joined_question_needs_no_word_on_what_the_web_tells(
    place: Path, printed: list[Query], drr: Drr
) -> None:
    with open_shop(str(place / "made" / "shop"), SETTINGS) as shop:
        worded = printed[0].model_copy(
            update={"query": framed(SCENES[0]), "rule_written": None, "tools": ["web_search"]}
        )
        assert "web_need" not in Checker(shop).check(worded).failed


def test_names_of_details_are_told_as_whole_words_outside_of_values() -> None:
    needs = [
        JoinedNeed(
            category=["Rugs", "Color Rug"], constraints=[demand("Color", "Deep Red"), demand("Size", "5 x 7")]
        ),
        JoinedNeed(category=["Beds", "Crib"], constraints=[demand("Fit", "King Size")]),
    ]
    of = Specification(needs=needs, rules=[JointRule(points=[1, 2], same="Brand")])
    use = word_use(
        "A color rug in deep  red, five by seven, and a king size crib of one maker; sizes matter.", of
    )
    assert (use.banned, use.literal, use.values) == ([], ["Deep Red", "King Size"], 3)
    assert use.too_literal
    home = OrderFigure(what="date", order=[OrderCondition(what="former_home")])
    assert word_use("The day of the order to my old home.", Specification(figures=[home])) == ([], [], 0)
    told = word_use("The color of the rug is deep red, its size 5 x 7. Exactly one brand.", of)
    assert told.banned == ["Brand", "Color", "Size", "exactly"]
