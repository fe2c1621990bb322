"""What a score means: the page's figures are those of our statistics, reports lead there, and cards name what scripts earn."""

from __future__ import annotations

import re
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from drr.app.study.frozen_sets import best_script, place_of_set, read_set
from drr.eval.stats.differences import SIGNIFICANT, detectable_difference, unpaired
from drr.eval.stats.intervals import SHARE, from_sums, ratio
from drr.eval.stats.ranks import LEVEL

from tests.sources import ROOT

PAGE = ROOT / "docs" / "what-a-score-means.md"
QUESTIONS = (30, 100, 300)
SPREADS = {
    "faithfulness, standard deviation .15": 0.15,
    "a grade from 0 to 10, standard deviation 1": 1.0,
    "solved, 1 question in 10 has another result": sqrt(0.1),
    "solved, 3 questions in 10 have another result": sqrt(0.3),
}
MOST = {
    "solved, 1 question in 10 has another result": 0.1,
    "solved, 3 questions in 10 have another result": 0.3,
}
"""No difference of such shares is larger than the share of questions that have another result."""
SETS = {"retail-v3": ("1,797", ".72", "250")}


def difference(spread: float, questions: int, tests: int = 1) -> float:
    found = detectable_difference(spread / sqrt(questions), questions, tests)
    assert found is not None
    return found


def test_the_differences_of_the_page_are_those_that_the_test_finds() -> None:
    cell = r" (\.\d\d|none) \|"
    rows = re.findall(rf"^\| (.+?) \|{cell}{cell}{cell}$", PAGE.read_text("utf-8"), re.M)
    shown = {name: [None if one == "none" else float(one) for one in values] for name, *values in rows}
    wanted = {
        name: [
            round(found, 2) if (found := difference(spread, n)) <= MOST.get(name, found) else None
            for n in QUESTIONS
        ]
        for name, spread in SPREADS.items()
    }
    halves = []
    for n in QUESTIONS:
        solved = np.column_stack([np.arange(n) < n // 2, np.ones(n)]).astype(float)
        own = from_sums(solved, [str(k) for k in range(n)], ratio, "share", ends=SHARE)
        assert own.ci_low is not None and own.ci_high is not None
        halves.append(round((own.ci_high - own.ci_low) / 2, 2))
    assert shown == wanted | {"one system's share near .5, half of its interval": halves}


def test_two_halves_differ_by_chance_as_far_as_the_page_says() -> None:
    said = r"Chance alone makes (\.\d\d) between halves of (\d+)"
    gap, size = re.findall(said, PAGE.read_text("utf-8"))[0]
    half = np.arange(int(size)) < int(size) // 2
    one = {str(k): [float(solved)] for k, solved in enumerate(half)}
    found = unpaired(one, one, SHARE).difference.document()
    assert found["ci_high"] == pytest.approx(float(gap), abs=0.005)


@pytest.mark.parametrize(("tests", "larger"), [(4, 1 / 5), (round(SIGNIFICANT / LEVEL), 1 / 3)])
def test_more_tests_need_the_larger_difference_that_the_page_says(tests: int, larger: float) -> None:
    for n in QUESTIONS:
        assert difference(1, n, tests) / difference(1, n) == pytest.approx(1 + larger, abs=0.03)


def test_a_report_leads_to_the_page(report: Path) -> None:
    said = (report.parent / "said.txt").read_text("utf-8")
    limits = (report / "index.html").read_text("utf-8").partition('id="limits"')[2].partition("<details")[0]
    for text in (said, limits, (ROOT / "README.md").read_text("utf-8")):
        assert "docs/what-a-score-means.md" in text


@pytest.mark.parametrize("name", SETS)
def test_a_card_names_the_best_script_and_so_does_a_report(name: str) -> None:
    folder = place_of_set(Path(name))
    frozen = read_set(folder)
    label = f"{name}/{frozen.parts[0].name} {frozen.content_hash[:16]} with other rules"
    for text in (best_script(label), (folder / "README.md").read_text("utf-8")):
        assert [word for word in SETS[name] if word not in text] == []
    assert best_script(f"{name}/x 0000000000000000") == best_script("") == best_script("../x/y z") == ""
