"""What other papers sum from the same verdicts, worked out on paper; and from one judging, without a call more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from drr.eval.metrics import fact, metrics
from drr.eval.metrics.document import study_document
from drr.eval.stats.citations import CitationVerdict
from drr.eval.stats.faithfulness import Status
from drr.papers.dr3.metrics import accuracy
from drr.papers.pdr.metrics import reliability
from drr.papers.pdr.sums import WeighedScore, WeighedTotals, spread, weighted_score
from drr.papers.reporteval import support
from drr.study.study import Study

from tests.eval.nursery import answer, by_rules, put, web

SUMS = [one.SUMS for one in (reliability, fact, accuracy, support)]
METHODS = {name: told for one in SUMS for name, told in one.methods.items()}


def report_values(
    claims: dict[str, bool] | None, citations: list[CitationVerdict] | None
) -> dict[str, float | None]:
    return {name: value for one in SUMS for name, value in one.of(claims, citations).items()}


def cites(claim: str, *statuses: Status | None) -> list[CitationVerdict]:
    place, rest = ("a", "v", "q", 0, claim, "", "c1"), (None, None, True, "", None, "j", "ours", None)
    return [CitationVerdict(*place, f"u{claim}{n}", "web", s, *rest) for n, s in enumerate(statuses)]


# Five claims, four cited; eight pairs. c1: full, none. c2: partial. c3: unreachable. c4: none, blocked, full, judge_error. c5 uncited.
CLAIMS = {"c1": True, "c2": True, "c3": True, "c4": True, "c5": False}
PAIRS = [
    *cites("c1", "full", "none"),
    *cites("c2", "partial"),
    *cites("c3", "unreachable"),
    *cites("c4", "none", "blocked", "full", "judge_error"),
]


def test_one_table_five_sums_by_hand() -> None:
    exact = pytest.approx
    assert report_values(CLAIMS, PAIRS) == {
        "pqr_fa": exact(10 * 2 / 4),  # c1 and c4 wholly, of four
        "pqr_fa_lenient": exact(10 * 3 / 4),
        "pqr_cc": exact(10 * 4 / 5),
        "pqr_r": exact((5 + 8) / 2),
        "pqr_r_printed": exact((7.5 + 8) / 2),
        "fact_accuracy": exact(3 / 5),  # full, partial, full of these and two none
        "fact_effective": 3,
        "dr3_fa": exact(100 * 2 / 7),  # the failure of the judge is left out, the two unread count
        "dr3_fa_lenient": exact(100 * 3 / 7),
        "dr3_fa_claims": exact(100 * 1 / 4),  # c2 alone has no source against it
        "re_support": exact(2 * (1 + 0 + 0.5 + 0 + 1) / 5 - 1),
        "re_strong": exact(2 / 5),
    }


def test_each_has_its_own_rule_for_what_is_unknown() -> None:
    dead = report_values({"c1": True}, cites("c1", "unreachable"))
    assert (dead["pqr_fa"], dead["dr3_fa"], dead["fact_accuracy"], dead["re_support"]) == (0, 0, None, None)
    failed = report_values({"c1": True}, cites("c1", "judge_error"))
    assert (failed["pqr_fa"], failed["dr3_fa"], failed["fact_accuracy"], failed["re_support"]) == (None,) * 4
    assert (failed["pqr_cc"], failed["pqr_r"], failed["pqr_r_printed"]) == (10, None, 5)
    uncited = report_values({"c1": False}, [])
    names = ("pqr_fa", "pqr_cc", "pqr_r", "pqr_r_printed")
    assert [uncited[name] for name in names] == [None, 0, None, 0]
    assert uncited["dr3_fa_claims"] is uncited["fact_effective"] is None
    waiting = report_values({"c1": True}, cites("c1", "full", None))
    assert {name for name, value in waiting.items() if value is not None} == {"pqr_cc"}
    assert set(report_values(None, None).values()) == {None}


async def test_one_judging_gives_them_all(study: Study) -> None:
    """Two reports: FACT of the pool differs from the mean of the reports."""
    good, idle = "The feeder is cleaned once a week.", "Cars are red."
    urls = [f"https://site{n}.example/p" for n in range(4)]
    sources = [web(urls[0], good), *(web(url, f"{idle} {n}") for n, url in enumerate(urls[1:]))]

    def report(count: int) -> str:
        marks = "".join(f"[{n}]" for n in range(1, count + 1))
        listed = "\n".join(f"[{n}] {url}" for n, url in enumerate(urls[:count], 1))
        return f"{good[:-1]} {marks}.\n\nCars cost money.\n\n## Sources\n{listed}\n"

    await put(study, answer("a", "x", report(1), sources), answer("b", "x", report(4), sources))
    await by_rules(study, ["faithfulness", "citations"])
    found: dict[str, Any] = {name: v["value"] for name, v in study_document(study)["metrics"]["x"].items()}
    exact = pytest.approx
    assert (found["fp"], found["fr"], found["fp_citation"]) == (1, exact(1 / 2), exact((1 + 1 / 4) / 2))
    assert (found["pqr_fa"], found["pqr_cc"], found["pqr_r"]) == (10, 5, 7.5)
    assert (found["fact_accuracy"], found["fact_rate"]) == (exact((1 + 1 / 4) / 2), exact(2 / 5))
    assert (found["dr3_fa"], found["dr3_fa_claims"]) == (exact((100 + 25) / 2), 50)
    assert (found["re_support"], found["re_strong"]) == (exact((1 - 0.5) / 2), exact((1 + 1 / 4) / 2))
    assert METHODS.keys() | {"fact_rate"} == {m.name for m in metrics().values() if m.table == "papers"}


ReportFolder = tuple[float, list[int | None] | None]


def _totals(weights: Mapping[str, float], criteria: Mapping[str, Sequence[ReportFolder]]) -> WeighedTotals:
    return weighted_score(
        weights, {name: [WeighedScore(*one) for one in own] for name, own in criteria.items()}
    )


def test_missing_scores_make_the_whole_unknown_and_count_nothing_as_printed() -> None:
    scores: dict[str, list[ReportFolder]] = {
        "GOAL": [(0.5, [8, 6]), (0.5, None)],
        "CONT": [(1.0, [None, None])],
    }
    half = _totals({"GOAL": 0.6, "CONT": 0.4}, scores)
    assert half.dimensions == {"GOAL": 7.0, "CONT": None}
    assert half.total is None and half.by_round == [None, None]
    assert half.n_unscored == 3  # a list that is missing, and two answers
    assert half.as_printed.dimensions == {"GOAL": 7.0, "CONT": 0.0}
    assert half.as_printed.total == pytest.approx(4.2)


def test_a_dimension_without_criteria_is_one_without_a_score() -> None:
    for criteria in ({"GOAL": [(1.0, [10])]}, {"GOAL": [(1.0, [10])], "CONT": []}):
        found = _totals({"GOAL": 0.7, "CONT": 0.3}, criteria)
        assert found.total is None
        assert found.as_printed.total == pytest.approx(7.0)
        assert found.n_unscored == 0
    nothing = _totals({"GOAL": 1.0}, {})
    assert nothing.total is None
    assert nothing.by_round is None


def test_rounds_of_one_report_and_their_spread() -> None:
    found = _totals({"GOAL": 1.0}, {"GOAL": [(3, [8, 7, None]), (1, [4, None, 8])]})
    assert found.by_round == [7.0, 7.0, 8.0]
    assert found.dimensions["GOAL"] == pytest.approx((3 * 7.5 + 1 * 6) / 4)
    assert spread(found.by_round) == pytest.approx(3**-0.5)
    assert spread([7.0, None]) is None
    assert spread(None) is None


def test_criteria_of_a_dimension_without_a_weight_are_refused() -> None:
    with pytest.raises(ValueError, match="the dimension ACTI has criteria and no weight"):
        _totals({"GOAL": 1.0}, {"GOAL": [(1.0, [1])], "ACTI": [(1.0, [1])]})
