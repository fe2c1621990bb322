"""Required facts in a report, by rule: found in whatever words, of the right thing, and distractors accused only where that is certain."""

from __future__ import annotations

import pytest
from drr.papers.dr3.judging.finding import ReportFacts
from drr.papers.dr3.judging.rows import RequiredFactRow
from drr.papers.dr3.judging.subjects import TaskSubjects
from drr.wording.told_values import ToldValue

from tests.cases import cases, each
from tests.eval.dr3_truth import OLD, PAGES, QUESTION, RIGHT, RUMOR, UPKEEP, fact, truth


def rows(report: str) -> dict[str, RequiredFactRow]:
    one = truth()
    here = ReportFacts(report, TaskSubjects(one.facts, one.pages, QUESTION), one.facts)
    return {row["id"]: row for row in here.rows(one.pages)}


def scores(report: str) -> dict[str, float | None]:
    return {name: row["score"] for name, row in rows(report).items() if row["score"] != 0}


def said_again(report: str) -> list[tuple[str, str]]:
    return [(name, one["value"]) for name, row in rows(report).items() for one in row["repeated"]]


WHOLLY = {
    "f1": (
        "You bought the Oakmere kettle on 17 July 2020.",
        "Oakmere: purchased 2020-07-17 [1].\n\n[1] https://right.example/a",
        "The slip dates your kettle to 7/17/20.",
        "# Oakmere steel kettle\n\n| what | when |\n|---|---|\n| bought | the 17th of July, 2020 |",
    ),
    "f2": (
        "Yours swallows 54.20 dollars a year.",
        "Each year goes $54.20 into the Oakmere, against $18.95 for others.",
        "| | Oakmere | Brightpail |\n|---|---|---|\n| a year | $54.20 | $19.00 |",
        "About the Oakmere:\n- upkeep: USD 54.20",
    ),
    "f3": (
        "Your shelf offers 30 1/2 inches.",
        "There are 77.5 cm in the spot.",
        'The place at home is 30.5" wide.',
        "The niche measures 2 ft 6.5 in from wall to wall.",
        "Nothing wider than 30.5 inches goes into that corner.",
    ),
    "p1": (
        "Oakmere covers it for four and a half years.",
        "The Oakmere kettle has a 54-month guarantee.",
        "## Oakmere\n\nThe cover runs 4 years and 6 months.",
        "The Oakmere is old. Its cover lasts fifty-four months.",
    ),
    "p2": (
        "The Brightpail needs $18.90.",
        "You would spend $54.20 on the Oakmere and $18.90 on the Brightpail.",
        "- **Brightpail**\n  - yearly: 18.90 USD",
        "At $18.90, the Brightpail is cheaper than the Oakmere.",
    ),
}


@each(("name", "report"), [(name, one) for name, many in WHOLLY.items() for one in many])
def test_a_fact_is_found_in_whatever_words(name: str, report: str) -> None:
    found = rows(report)[name]
    assert found["score"] == 1, found
    start, end = found["spans"][0]
    assert ToldValue(found["value"]).places(" ".join(report[start:end].split()))


@each(
    ("report", "found"),
    cases("eval", "test_nothing_is_found_that_is_not_told"),
)
def test_nothing_is_found_that_is_not_told(report: str, found: dict[str, float]) -> None:
    assert scores(report) == found


@pytest.mark.parametrize(
    ("report", "repeated"),
    [
        ("The Oakmere kettle is under warranty for three years.", [("p1", "36 months")]),
        ("The Brightpail swallows $25.33 a year.", [("p2", "$25.33")]),
        ("The Brightpail swallows $31.75 a year.", [("p2", "$31.75")]),  # another model's, said of this one
        (f"The Oakmere was 36 months in [a drawer]({OLD}).", [("p1", "36 months")]),  # by what it cites
        ("The Oakmere stood 36 months in a drawer.", []),  # about something else
        ("The Brightpail Classic swallows $31.75 a year.", []),
        ("The Oakmere is under warranty for 54 months, although an old page has 36 months.", []),
        ("The Oakmere is under warranty for 36 months, which is outdated.", []),
        ("The Oakmere is not under warranty for 36 months.", []),
        ("One page gives the Oakmere a warranty of 36 months. However, that is a mistake.", []),
        ("Its warranty is 36 months.", []),  # whose?
        ("The Brightpail is under warranty for 36 months.", []),
    ],
)
def test_what_a_distractor_says_is_accused_only_where_that_is_certain(
    report: str, repeated: list[tuple[str, str]]
) -> None:
    assert said_again(report) == repeated


SET_ASIDE = (
    "The Oakmere's warranty of 36 months is hearsay nobody checked; I would not plan around it.",
    "For the Oakmere the warranty terms of 2011, 36 months, are no longer in force.",
    "Numbers that I did not use:\n\n- The Oakmere with a warranty of 36 months",
    "Numbers that I did not use:\n\n| Thing | Warranty |\n|---|---|\n| Oakmere | 36 months |",
    "## Withdrawn terms\n\nThe Oakmere warranty runs 36 months.",
    "Not everything online is reliable: some of it is outdated. The Oakmere warranty is 36 months on one such page.",
    "The Oakmere warranty is 36 months in the brochure. Do not rely on that.",
    "Unused: Oakmere warranty, 36 months.",
)


@pytest.mark.parametrize("report", SET_ASIDE)
def test_a_value_mentioned_to_be_set_aside_is_no_harm(report: str) -> None:
    assert said_again(report) == []


@pytest.mark.parametrize(
    ("report", "score"),
    [
        ("The Oakmere warranty is 36 months.\n\nTo sum up, the Oakmere is covered for 54 months.", 1),
        (f"# Cover\n\n- Term: 54 months [1].\n- The Oakmere cover: 36 months.\n\n[1] {RIGHT}", 1),
    ],
)
def test_a_report_that_tells_both_values_is_in_doubt_and_not_accused(report: str, score: float) -> None:
    assert (rows(report)["p1"]["score"], said_again(report)) == (score, [])


@pytest.mark.parametrize(
    "report",
    [
        "The Oakmere warranty is 36 months. One column has 54 months, which I count as an outlier.",
        "The Oakmere warranty is 36 months.\n\nNot used: 54 months for the Oakmere.",
        "The Oakmere warranty is 36 months.\n\nOf the Oakmere's life, twice that is 54 months.",
    ],
)
def test_a_true_value_that_is_set_aside_or_worked_out_is_not_told(report: str) -> None:
    assert (rows(report)["p1"]["score"], said_again(report)) == (0, [("p1", "36 months")])


def test_what_is_wrong_with_a_thing_disowns_no_statement() -> None:
    assert said_again("What is wrong with the Brightpail is its upkeep: $25.33.") == [("p2", "$25.33")]
    assert said_again("Something is wrong with the figure of $25.33 for the Brightpail.") == []


@pytest.mark.parametrize(
    ("report", "found"),
    [
        ("The picture shows 17 July 2020 ([slip](file://slip.png)).", {"f1": 1}),
        ("| What | How much |\n|---|---|\n| Upkeep | $54.20 ([plan](file://plan.xlsx)) |", {"f2": 1}),
        (f"Cover: 54 months [1].\n\n[1] {RIGHT}", {"p1": 1}),
        (f"A drawer holds it for 54 months [1].\n\n[1] {RIGHT}", {"p1": 0.5}),  # much has 54 months
        (f"Most covers run 54 months [1].\n\n[1] {RIGHT}", {"p1": 0.5}),  # of many
        (f"Cover: 54 months [1].\n\n[1] {UPKEEP}", {"p1": 0.5}),  # another document
        (f"# Brightpail\n\nCover: 54 months [1].\n\n[1] {RIGHT}", {}),  # named, and not it
        ("The slip shows July 2020 ([slip](file://slip.png)).", {"f1": 0.5}),
    ],
)
def test_what_names_nothing_is_of_what_stands_in_the_document_it_cites(
    report: str, found: dict[str, float]
) -> None:
    assert scores(report) == found


def test_a_distractors_value_under_its_own_address_is_accused_without_a_name() -> None:
    assert said_again(f"Yearly sum: $25.33 [1].\n\n[1] {RUMOR}") == [("p2", "$25.33")]
    assert said_again(f"Other kettles: $25.33 [1].\n\n[1] {RUMOR}") == []
    assert said_again(f"Yearly sum: $25.33 [1].\n\n[1] {RIGHT}") == []


def test_one_that_is_said_to_be_owned_is_yours() -> None:
    one = truth()
    asked = "I own an Oakmere steel kettle. Is the Brightpail steel kettle better?"
    here = ReportFacts("Yours takes $54.20 a year.", TaskSubjects(one.facts, one.pages, asked), one.facts)
    assert {row["id"]: row["score"] for row in here.rows(one.pages)}["f2"] == 1


def test_an_imported_insight_is_for_a_judge_to_find() -> None:
    insight = fact(
        "p1", "a page", "insight", "Kettles ought to be descaled.", "https://right.example/a", made=False
    )
    one = truth(facts=[insight], pages=[], checklist=[])
    here = ReportFacts("Kettles ought to be descaled.", TaskSubjects(one.facts), one.facts)
    assert [(row["score"], row["repeated"]) for row in here.rows(one.pages)] == [(None, [])]


def test_a_long_report_is_read_in_time() -> None:
    """A line for each sentence, each with a value that belongs to nothing named before it."""
    found = rows("# Oakmere\n\n" + "- It costs $54.20 and lasts 54 months, the 17th of July.\n" * 3000)
    assert found["p1"]["score"] == 1
    assert len(found["p1"]["spans"]) == 5


def test_a_sentence_that_never_ends_is_read_as_far_as_one_may_go() -> None:
    """Dates without an end are compared with each other: of 300,000 characters of them that would take minutes."""
    assert scores("The Oakmere costs $54.20, on " + "2021-07-17 " * 30_000 + " for 54 months") == {"f2": 1}


def test_pages_of_a_change_are_named_together() -> None:
    again = {**PAGES[2], "url": "https://old.example/b"}
    one = truth(pages=[*PAGES, again])
    here = ReportFacts("The Oakmere warranty is 36 months.", TaskSubjects(one.facts, one.pages), one.facts)
    repeated = {row["id"]: row["repeated"] for row in here.rows(one.pages)}["p1"]
    assert [row["pages"] for row in repeated] == [[OLD, "https://old.example/b"]]
