"""Models word talks: the opening and what he says of his orders. They are kept where two readers note the same wishes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from drr.env.query import Query, read_queries
from drr.querygen.files import write_queries
from drr.querygen.service_requests import TalkWishes

from tests.app.conftest import truth_of
from tests.commands import Drr, drr
from tests.querygen.test_joined_words import WRITER, given, words
from tests.wire import Reply, Request, Say, Wire

AXES = 'products = 900\nusers = 400\nreviews = 9000\nkinds = 70\npages = 3\nquestions = 0\nreal_kinds = true\nsells = "general"\n'
SAID = "I would like to get a few things settled before the long weekend, and this is letter {number}."


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("talks")
    (folder / "axes.toml").write_text(AXES)
    made = folder / "made"
    drr("shop", "make", "--seed", 41, "--axes", folder / "axes.toml", "--out", made, "--quiet")
    drr("queries", "generate", "--service", 2, "--shop", made / "shop", "--out", folder / "all.jsonl", "--count", 2)  # fmt: skip
    write_queries(folder / "q.jsonl", read_queries(folder / "all.jsonl"))
    return folder


def told(query: Query) -> list[str]:
    """The sentences that are worded, in the order of the talk."""
    assert query.service is not None
    wishes = TalkWishes.model_validate(truth_of(query).specification).wishes
    kinds = {"order", "reason", *("voucher" for one in wishes if one.wish == "voucher")}
    return [one for kind, own in query.service.slots.items() if kind in kinds for one in own]


class Desk:
    """A writer, two readers and a seeker of gaps. Each answer of his is the printed one with a word before it."""

    def __init__(self, printed: Sequence[Query], **other: Callable[[Any, int], object]) -> None:
        self.printed, self.other, self.asked = printed, other, Counter[str]()

    def __call__(self, request: Request) -> Reply:
        name, text = request.body["model"], given(request)
        number = next(at for at, one in enumerate(self.printed) if told(one)[0] in text)
        self.asked[name] += 1
        answer: Any = {"open": []}
        if name == "author":
            answer = {"text": SAID.format(number=number), "answers": [f"Well. {one}" for one in told(self.printed[number])]}  # fmt: skip
        elif name != "seeker":
            answer = truth_of(self.printed[number]).specification
        return Say(json.dumps(self.other[name](answer, self.asked[name]) if name in self.other else answer))


def test_talks_are_worded_and_stay_what_they_were(place: Path, tmp_path: Path, drr: Drr) -> None:
    printed, out = read_queries(place / "q.jsonl"), tmp_path / "worded.jsonl"
    with Wire(Desk(printed)) as wire:
        assert "2 of 2 questions worded" in drr.out(*words(place, out, wire))
        assert len(wire.requests) == 8
        for request in wire.requests:
            case = printed[0].service
            assert case is not None and not any(
                one.order_id in json.dumps(request.body) for one in case.orders
            )
    for number, (before, after) in enumerate(zip(printed, read_queries(out), strict=True)):
        assert before.service is not None and after.service is not None
        assert f"He writes:\n\n{SAID.format(number=number)}\n" in after.query and after.model == WRITER
        assert told(after) == [f"Well. {one}" for one in told(before)]
        assert (
            after.service.requests == before.service.requests
            and after.service.policy == before.service.policy
        )
        assert truth_of(after).worded is not None
    assert "2 of 2 questions pass every check" in drr.out(
        "queries", "check", out, "--shop", place / "made" / "shop"
    )


def test_a_wish_that_a_reader_notes_otherwise_is_told_to_the_writer(
    place: Path, tmp_path: Path, drr: Drr
) -> None:
    def misread(answer: Any, asked: int) -> object:
        return (
            {"wishes": [*answer["wishes"][:-1], {"wish": "voucher", "facts": []}]} if asked == 1 else answer
        )

    with Wire(Desk(read_queries(place / "q.jsonl"), second=misread)) as wire:
        document = drr.json(*words(place, tmp_path / "worded.jsonl", wire))
        (remark,) = [text for one in wire.requests if "<remarks" in (text := given(one))]
    assert (document["questions"], document["writings"]) == (2, 3) and "a reader understood:" in remark


def test_code_refuses_a_text_that_tells_what_nobody_asked_yet(place: Path, tmp_path: Path, drr: Drr) -> None:
    printed = read_queries(place / "q.jsonl")
    wishes = [TalkWishes.model_validate(truth_of(one).specification).wishes for one in printed]
    facts = [fact for own in wishes for wish in own[1:] for fact in wish.facts]

    def early(answer: Any, asked: int) -> object:
        return {**answer, "text": f"{answer['text']} {' '.join(facts)}", "answers": answer["answers"][:-1]}

    with Wire(Desk(printed, author=early)) as wire:
        document = drr.json(*words(place, tmp_path / "worded.jsonl", wire), code=1)
        assert {one.body["model"] for one in wire.requests} == {"author"}
        assert "tells what he tells only when he is asked" in given(wire.requests[-1])
        assert "no two of them alike" in given(wire.requests[-1])
    assert document["dropped"] == {"unfit words": 2}


def test_talks_and_questions_of_one_file_are_misuse(place: Path, tmp_path: Path, drr: Drr) -> None:
    (first, *_) = read_queries(place / "q.jsonl")
    joined = first.model_copy(update={"service": None, "id": "q-other"})
    write_queries(tmp_path / "q.jsonl", [first, joined])
    said = drr.err("queries", "word", tmp_path / "q.jsonl", "--shop", place / "made" / "shop", "--out", tmp_path / "o", "--writer", WRITER, "--readers", WRITER)  # fmt: skip
    assert "nor all talks of version 2" in said
