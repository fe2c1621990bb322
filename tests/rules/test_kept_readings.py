"""A judge's readings that were paid for stay valid: both requests have the bytes that the kept answers were given to."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from drr.env.shop import Shop
from drr.eval.asking.conversation import box_prompts
from drr.eval.asking.forms import StatementAnswers
from drr.eval.asking.judge import groups_of
from drr.eval.tasks.mistakes import TOGETHER, Brief, _charges, reading, weighing

from benchmarks.first_contact import ROUNDS, read_round
from benchmarks.mistakes import KEPT, KeptReader, _read, run, subject

NAMES = [*(f"round{number}" for number in range(79, 85)), "hostile1"]


@pytest.fixture(scope="module")
def kept() -> dict[str, Any]:
    return dict(_read(KEPT))


def briefs(shop: Shop, name: str) -> Iterator[tuple[str, Brief]]:
    """Every text of a round and its twin, as a judge is shown it."""
    for one in read_round(ROUNDS / f"{name}.jsonl"):
        for text in filter(None, (one.text, one.twin)):
            yield one.id, Brief.of(subject(shop, one, text), shop.shop_url)


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_a_judge_is_asked_in_the_very_bytes_that_were_answered(
    name: str, rules_shop: Shop, kept: dict[str, Any]
) -> None:
    """Where prompts or evidence change, what was measured is measured anew (`benchmarks/mistakes.py`)."""
    first, second, charged = list[str](), list[str](), 0
    for text_id, brief in briefs(rules_shop, name):
        said: dict[str, Any] = {}
        for group in groups_of(list(brief.statements), TOGETHER):
            asked = reading(brief, group, box_prompts()).fingerprint
            if asked not in kept:
                first.append(text_id)
                continue
            for one in StatementAnswers.model_validate(kept[asked]).verdicts:
                said.setdefault(one.id, one)
        charges = {f"c{place}": one for place, one in enumerate(_charges(brief, said), 1)}
        charged += bool(charges)
        for group in groups_of(list(charges), TOGETHER):
            asked = weighing(brief, {key: charges[key] for key in group}, box_prompts()).fingerprint
            second += [] if asked in kept else [text_id]
    assert (first, second) == ([], [])
    assert charged > 0


def test_the_first_readings_of_a_round_are_kept(rules_shop: Shop, kept: dict[str, Any]) -> None:
    """The quick one of the test above."""
    asked = [
        reading(brief, group, box_prompts()).fingerprint
        for _, brief in briefs(rules_shop, "hostile1")
        for group in groups_of(list(brief.statements), TOGETHER)
    ]
    assert len(asked) >= 40
    assert set(asked) <= set(kept)


@pytest.mark.long
def test_two_readings_find_planted_errors_and_pass_true_texts(rules_shop: Shop) -> None:
    planted = caught = passages = reports = 0
    accused, told = {"passage": 0, "report": 0}, list[str]()
    for name in NAMES[:-1]:
        seen = asyncio.run(
            run(rules_shop, read_round(ROUNDS / f"{name}.jsonl"), KeptReader(KEPT, None), together=1)
        )
        assert seen.unread == 0
        planted, caught = planted + seen.planted.total(), caught + seen.caught.total()
        passages, reports = passages + seen.clean["passage"], reports + seen.clean["report"]
        for form in accused:
            accused[form] += seen.alarmed[form]
        told += seen.told
    assert (planted, passages, reports) == (342, 305, 95)
    assert caught >= 0.97 * planted, told
    assert accused["passage"] <= 0.01 * passages, told
    assert accused["report"] <= 2, told


def test_the_kept_answers_are_packed_without_a_date() -> None:
    """So that the same answers are the same bytes."""
    assert KEPT.read_bytes()[4:8] == b"\0\0\0\0"
    rows = list(_read(KEPT))
    assert [key for key, _ in rows] == sorted(key for key, _ in rows)
    assert all(orjson.dumps(said) for _, said in rows)
